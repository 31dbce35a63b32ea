#include "linear/backbone.hpp"

#include <algorithm>

namespace spindle {

namespace {

enum : Atom { kNobody = 7 };  // stands where a sibling could be

// Kinds of features; their order is part of the model format.
enum Kind : std::uint64_t {
    kBias,
    kTags,
    kModifierTag,
    kHeadTag,
    kHeadWord,
    kModifierWord,
    kBothWords,
    kModifierAlone,
    kHeadAlone,
    kAfterModifier,
    kBeforeModifier,
    kAfterHead,
    kBeforeHead,
    kModifierMorph,
    kHeadMorph,
    kBothMorphs,
    kRank,
    kRanks,
    kCounts,
    kCountsAndTags,
    kSiblingBefore,
    kSiblingAfter,
    kSiblings,
    kOutermost,
    kAcross,
    kAcrossWord,
    kAllModifiers,
    kSideModifiers,
    kGrandparent,
    kGrandparentWord,
    kGrandparentRank,
    kGrandparentHeadWord,
    kGrandparentModifierWord,
    kYield,
    kYieldFirst,
    kYieldLast,
    kOwnCounts,
    kOwnEnds,
    kOwnModifiers,
    kPairBias,
    kPairHead,
    kPairTags,
    kPairRight,
    kPairLeft,
    kPairTouch,
};

}  // namespace

Backbone::Backbone(const Sentence& sentence, std::span<const int> heads)
    : sentence_(sentence), heads_(heads.begin(), heads.end()) {
    const int size = sentence.size();
    starts_.assign(size + 2, 0);
    for (int word = 0; word < size; ++word) {
        if (heads_[word] < 0 || heads_[word] >= size || heads_[word] == word) heads_[word] = kTop;
        ++starts_[heads_[word] + 2];
    }
    for (int at = 1; at < size + 2; ++at) starts_[at] += starts_[at - 1];
    modifiers_.resize(size);
    std::vector<int> next(starts_.begin(), starts_.end() - 1);
    for (int word = 0; word < size; ++word) modifiers_[next[heads_[word] + 1]++] = word;

    first_.resize(size);
    for (int word = 0; word < size; ++word) first_[word] = word;
    last_ = first_;
    const std::span<const int> roots = modifiers(kTop);
    std::vector<int> order(roots.begin(), roots.end());
    order.reserve(size);
    for (std::size_t done = 0; done < order.size(); ++done) {
        const std::span<const int> below = modifiers(order[done]);
        order.insert(order.end(), below.begin(), below.end());
    }
    for (auto word = order.rbegin(); word != order.rend(); ++word) {
        const int head = heads_[*word];
        if (head == kTop) continue;
        first_[head] = std::min(first_[head], first_[*word]);
        last_[head] = std::max(last_[head], last_[*word]);
    }
}

// Labels get worse without any of these groups on one treebank or another; benchmarks/RESULTS.md has the
// figures. The paper also has the distance, which does not pay here. Neither do words between head and
// modifier, lemmas, affixes, words next to the yields, and the words of siblings.
void Backbone::arc_features(int head, int rank, FeatureList& features) const {
    const Sentence& sentence = sentence_;
    const std::span<const int> siblings = modifiers(head);
    const int count = static_cast<int>(siblings.size()), modifier = siblings[rank];
    const bool right = modifier > head;
    const int lefts =
        static_cast<int>(std::lower_bound(siblings.begin(), siblings.end(), head) - siblings.begin());
    const int rights = count - lefts;
    const int inner = right ? rank - lefts : lefts - 1 - rank;  // siblings between it and the head
    const int outer = (right ? rights : lefts) - 1 - inner;     // siblings beyond it
    const auto sibling = [&](int at) { return at >= 0 && at < count ? tag(siblings[at]) : Atom{kNobody}; };

    const Atom head_tag = tag(head), own_tag = tag(modifier);
    const Atom head_word = lower(head), own_word = lower(modifier);
    features.clear();
    features.add(kBias, right);
    features.add(kTags, head_tag, own_tag, right);
    features.add(kModifierTag, own_tag, right);
    features.add(kHeadTag, head_tag, right);
    features.add(kHeadWord, head_word, own_tag, right);
    features.add(kModifierWord, head_tag, own_word, right);
    features.add(kBothWords, head_word, own_word, right);
    features.add(kModifierAlone, own_word, right);
    features.add(kHeadAlone, head_word, right);
    features.add(kAfterModifier, head_tag, own_tag, sentence.tag(modifier + 1), right);
    features.add(kBeforeModifier, head_tag, own_tag, sentence.tag(modifier - 1), right);
    if (head != kTop) {
        features.add(kAfterHead, head_tag, own_tag, sentence.tag(head + 1), right);
        features.add(kBeforeHead, head_tag, own_tag, sentence.tag(head - 1), right);
    }
    const Atom own_morph = sentence[modifier].morph, head_morph = head == kTop ? 0 : sentence[head].morph;
    if (own_morph) features.add(kModifierMorph, own_morph, head_tag, right);
    if (head_morph) features.add(kHeadMorph, head_morph, own_tag, right);
    if (own_morph && head_morph) features.add(kBothMorphs, head_morph, own_morph, right);

    // its place among the head's modifiers
    const int near = std::min(inner, 4), left_count = std::min(lefts, 4), right_count = std::min(rights, 4);
    features.add(kRank, head_tag, own_tag, near, right);
    features.add(kRanks, near, std::min(outer, 3), right);
    features.add(kCounts, head_tag, left_count, right_count, near, right);
    features.add(kCountsAndTags, head_tag, own_tag, left_count, right_count, near, right);
    features.add(kSiblingBefore, head_tag, own_tag, sibling(rank - 1), right);
    features.add(kSiblingAfter, head_tag, own_tag, sibling(rank + 1), right);
    features.add(kSiblings, head_tag, own_tag, sibling(rank - 1), sibling(rank + 1), right);
    features.add(kOutermost, head_tag, own_tag, sibling(0), sibling(count - 1), right);
    const int across = right ? lefts - 1 : lefts;  // the nearest one on the other side
    const bool is_across = right ? lefts > 0 : rights > 0;
    features.add(kAcross, head_tag, own_tag, is_across ? tag(siblings[across]) : Atom{kNobody}, right);
    features.add(kAcrossWord, head_tag, own_tag, is_across ? lower(siblings[across]) : Atom{kNobody}, right);
    FeatureHash all = 1, side = 1;
    for (const int other : siblings) {
        all = mix(all, tag(other) + (other > head));
        if ((other > head) == right) side = mix(side, tag(other));
    }
    features.add(kAllModifiers, head_tag, all, rank);
    features.add(kSideModifiers, head_tag, side, inner, right);

    // above the head
    if (head != kTop) {
        const int above = heads_[head];
        const int turn = above == kTop ? 0 : above > head ? 2 : 1;
        features.add(kGrandparent, tag(above), turn, head_tag, own_tag, right);
        features.add(kGrandparentWord, lower(above), turn, head_tag, own_tag, right);
        features.add(kGrandparentRank, tag(above), turn, head_tag, own_tag, std::min(outer, 3), right);
        features.add(kGrandparentHeadWord, tag(above), turn, head_word, own_tag, right);
        features.add(kGrandparentModifierWord, tag(above), turn, head_tag, own_word, right);
    }

    // beneath the modifier
    const Atom first_tag = sentence.tag(first_[modifier]), last_tag = sentence.tag(last_[modifier]);
    features.add(kYield, head_tag, own_tag, first_tag, last_tag, right);
    features.add(kYieldFirst, head_tag, own_tag, first_tag, right);
    features.add(kYieldLast, head_tag, own_tag, last_tag, right);
    const std::span<const int> own = modifiers(modifier);
    int own_lefts = 0;
    FeatureHash below = 1;
    for (const int other : own) {
        own_lefts += other < modifier;
        below = mix(below, tag(other) + (other > modifier));
    }
    const int own_rights = static_cast<int>(own.size()) - own_lefts;
    features.add(kOwnCounts, head_tag, own_tag, std::min(own_lefts, 3), std::min(own_rights, 3), right);
    features.add(kOwnEnds, head_tag, own_tag, own.empty() ? 0 : tag(own.front()),
                 own.empty() ? 0 : tag(own.back()), right);
    features.add(kOwnModifiers, own_tag, below, right);
}

// The paper also has the triple of tags with a word for each of them; that does not pay here.
void Backbone::pair_features(int head, int rank, FeatureList& features) const {
    const std::span<const int> siblings = modifiers(head);
    const int before = siblings[rank - 1], here = siblings[rank];
    // both right of the head, one on each side, both left
    const int sides = before > head ? 2 : here > head ? 1 : 0;
    const Atom head_tag = tag(head), before_tag = tag(before), here_tag = tag(here);
    features.clear();
    features.add(kPairBias, sides);
    features.add(kPairHead, head_tag, sides);
    features.add(kPairTags, head_tag, before_tag, here_tag, sides);
    features.add(kPairRight, head_tag, here_tag, sides);
    features.add(kPairLeft, head_tag, before_tag, sides);
    features.add(kPairTouch, last_[before] + 1 == first_[here], sides);
}

}  // namespace spindle
