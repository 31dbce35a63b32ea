#include "linear/unlabeled_tree.hpp"

#include <algorithm>

namespace spindle {

namespace {

// The templates; their order is part of the model format.
enum Template : std::uint64_t {
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
    kGrandparentTag,
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
    // The paper's; the templates of arcs come before.
    kPaperPair = 256,
    kPaperPairHead,
    kPaperPairBefore,
    kPaperPairHere,
    kAttributes,  // six templates
};

}  // namespace

UnlabeledTree::UnlabeledTree(const Sentence& sentence, std::span<const int> heads, LabelTemplates templates)
    : sentence_(sentence), heads_(heads.begin(), heads.end()) {
    if (templates == LabelTemplates::kPaper) padded_.emplace(sentence);
    const int size = sentence.size();
    for (int word = 0; word < size; ++word)
        if (heads_[word] < 0 || heads_[word] >= size || heads_[word] == word) heads_[word] = kRoot;
    modifiers_.assign(heads_);
    std::vector<int> order;
    order.reserve(size);
    modifiers_.top_down(order);
    find_yields(heads_, order, first_, last_);
    if (!padded_) hash_modifiers();
}

void UnlabeledTree::hash_modifiers() {
    hashes_.resize(size() + 1);
    for (int head = kRoot; head < size(); ++head) {
        ModifierHashes& hashes = hashes_[head + 1];
        for (const int modifier : modifiers(head)) {
            hashes.all = mix(hashes.all, tag(modifier) + (modifier > head));
            FeatureHash& side = modifier > head ? hashes.right : hashes.left;
            side = mix(side, tag(modifier));
            hashes.lefts += modifier < head;
        }
    }
}

// Section 4.2 of the paper, with more features of siblings, of the grandparent and of the yield: labels get
// worse without any of these groups on one treebank or another. The paper's distance does not help here.
// Neither do words between head and modifier, lemmas, affixes, words next to the yield, and the words of
// siblings.
void UnlabeledTree::arc_features(int head, int rank, LabelFeatures& features) const {
    const int modifier = modifiers(head)[rank];
    features.clear();
    if (padded_) {
        spindle::arc_features(*padded_, head, modifier, [&](FeatureHash hash) { features.push(hash); });
        return;
    }
    add_words(head, modifier, features);
    add_siblings(head, rank, features);
    add_yield(head, modifier, features);
}

void UnlabeledTree::add_words(int head, int modifier, LabelFeatures& features) const {
    const bool right = modifier > head;
    const Atom head_tag = tag(head), own_tag = tag(modifier);
    const Atom head_word = lower(head), own_word = lower(modifier);
    features.add(kBias, right);
    features.add(kTags, head_tag, own_tag, right);
    features.add(kModifierTag, own_tag, right);
    features.add(kHeadTag, head_tag, right);
    features.add(kHeadWord, head_word, own_tag, right);
    features.add(kModifierWord, head_tag, own_word, right);
    features.add(kBothWords, head_word, own_word, right);
    features.add(kModifierAlone, own_word, right);
    features.add(kHeadAlone, head_word, right);
    features.add(kAfterModifier, head_tag, own_tag, sentence_.tag(modifier + 1), right);
    features.add(kBeforeModifier, head_tag, own_tag, sentence_.tag(modifier - 1), right);
    if (head != kRoot) {
        features.add(kAfterHead, head_tag, own_tag, sentence_.tag(head + 1), right);
        features.add(kBeforeHead, head_tag, own_tag, sentence_.tag(head - 1), right);
    }
    const Atom own_morph = sentence_[modifier].morph, head_morph = head == kRoot ? 0 : sentence_[head].morph;
    if (own_morph) features.add(kModifierMorph, own_morph, head_tag, right);
    if (head_morph) features.add(kHeadMorph, head_morph, own_tag, right);
    if (own_morph && head_morph) features.add(kBothMorphs, head_morph, own_morph, right);
    attribute_features(kAttributes, sentence_.attributes(head), sentence_.attributes(modifier), head_tag,
                       own_tag, head_word, own_word, right, [&](FeatureHash hash) { features.push(hash); });
}

// The place among the head's modifiers.
void UnlabeledTree::add_siblings(int head, int rank, LabelFeatures& features) const {
    const std::span<const int> siblings = modifiers(head);
    const int count = static_cast<int>(siblings.size()), modifier = siblings[rank];
    const bool right = modifier > head;
    const ModifierHashes& hashes = hashes_[head + 1];
    const int lefts = hashes.lefts;
    const int rights = count - lefts;
    const int inner = right ? rank - lefts : lefts - 1 - rank;  // siblings between it and the head
    const int outer = (right ? rights : lefts) - 1 - inner;     // siblings beyond it
    const auto sibling = [&](int at) {
        return at >= 0 && at < count ? tag(siblings[at]) : Atom{kNoSiblingAtom};
    };
    const Atom head_tag = tag(head), own_tag = tag(modifier);
    const int near = std::min(inner, 4), left_count = std::min(lefts, 4), right_count = std::min(rights, 4);
    features.add(kRank, head_tag, own_tag, near, right);
    features.add(kRanks, near, std::min(outer, 3), right);
    features.add(kCounts, head_tag, left_count, right_count, near, right);
    features.add(kCountsAndTags, head_tag, own_tag, left_count, right_count, near, right);
    features.add(kSiblingBefore, head_tag, own_tag, sibling(rank - 1), right);
    features.add(kSiblingAfter, head_tag, own_tag, sibling(rank + 1), right);
    features.add(kSiblings, head_tag, own_tag, sibling(rank - 1), sibling(rank + 1), right);
    features.add(kOutermost, head_tag, own_tag, sibling(0), sibling(count - 1), right);
    const int across = right ? lefts - 1 : lefts;  // the nearest sibling on the other side
    const bool is_across = right ? lefts > 0 : rights > 0;
    features.add(kAcross, head_tag, own_tag, is_across ? tag(siblings[across]) : Atom{kNoSiblingAtom}, right);
    features.add(kAcrossWord, head_tag, own_tag, is_across ? lower(siblings[across]) : Atom{kNoSiblingAtom},
                 right);
    features.add(kAllModifiers, head_tag, hashes.all, rank);
    features.add(kSideModifiers, head_tag, right ? hashes.right : hashes.left, inner, right);
    if (head != kRoot) add_grandparent(head, modifier, outer, features);
}

// The head's own head; `outer` siblings stand farther away from the head than the modifier.
void UnlabeledTree::add_grandparent(int head, int modifier, int outer, LabelFeatures& features) const {
    const bool right = modifier > head;
    const Atom head_tag = tag(head), own_tag = tag(modifier);
    const int above = heads_[head];
    const int turn = above == kRoot ? 0 : above > head ? 2 : 1;
    features.add(kGrandparentTag, tag(above), turn, head_tag, own_tag, right);
    features.add(kGrandparentWord, lower(above), turn, head_tag, own_tag, right);
    features.add(kGrandparentRank, tag(above), turn, head_tag, own_tag, std::min(outer, 3), right);
    features.add(kGrandparentHeadWord, tag(above), turn, lower(head), own_tag, right);
    features.add(kGrandparentModifierWord, tag(above), turn, head_tag, lower(modifier), right);
}

// The yield and the modifiers of the modifier.
void UnlabeledTree::add_yield(int head, int modifier, LabelFeatures& features) const {
    const bool right = modifier > head;
    const Atom head_tag = tag(head), own_tag = tag(modifier);
    const Atom first_tag = sentence_.tag(first_[modifier]), last_tag = sentence_.tag(last_[modifier]);
    features.add(kYield, head_tag, own_tag, first_tag, last_tag, right);
    features.add(kYieldFirst, head_tag, own_tag, first_tag, right);
    features.add(kYieldLast, head_tag, own_tag, last_tag, right);
    const std::span<const int> own = modifiers(modifier);
    const ModifierHashes& hashes = hashes_[modifier + 1];
    const int own_lefts = hashes.lefts, own_rights = static_cast<int>(own.size()) - own_lefts;
    features.add(kOwnCounts, head_tag, own_tag, std::min(own_lefts, 3), std::min(own_rights, 3), right);
    features.add(kOwnEnds, head_tag, own_tag, own.empty() ? 0 : tag(own.front()),
                 own.empty() ? 0 : tag(own.back()), right);
    features.add(kOwnModifiers, own_tag, hashes.all, right);
}

// The paper also has the triple of tags with a word for each of them; that does not help beside these.
void UnlabeledTree::pair_features(int head, int rank, LabelFeatures& features) const {
    const std::span<const int> siblings = modifiers(head);
    const int before = siblings[rank - 1], here = siblings[rank];
    // both right of the head, one on each side, both left
    const int sides = before > head ? 2 : here > head ? 1 : 0;
    const Atom head_tag = tag(head), before_tag = tag(before), here_tag = tag(here);
    features.clear();
    if (padded_) {
        features.add(kPaperPair, head_tag, before_tag, here_tag);
        features.add(kPaperPairHead, lower(head), before_tag, here_tag);
        features.add(kPaperPairBefore, head_tag, lower(before), here_tag);
        features.add(kPaperPairHere, head_tag, before_tag, lower(here));
        return;
    }
    features.add(kPairBias, sides);
    features.add(kPairHead, head_tag, sides);
    features.add(kPairTags, head_tag, before_tag, here_tag, sides);
    features.add(kPairRight, head_tag, here_tag, sides);
    features.add(kPairLeft, head_tag, before_tag, sides);
    features.add(kPairTouch, last_[before] + 1 == first_[here], sides);
}

}  // namespace spindle
