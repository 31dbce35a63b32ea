#include "linear/constituents.hpp"

#include <algorithm>
#include <stdexcept>

#include "reduction/isomorphism.hpp"
#include "trees/tree.hpp"

namespace spindle {

namespace {

enum : Atom { kNobody = 7 };  // stands where a sibling could be

// Kinds of features; their order is part of the model format. Words and phrases do not share weights.
enum Kind : std::uint64_t {
    kLabel,
    kParent,
    kLeft,
    kRight,
    kNeighbours,
    kAround,
    kRuleAbove,
    kRuleBeneath,
    kFirstWord,
    kLastWord,
    kFirstTag,
    kLastTag,
    kEndTags,
    kFirstLemma,
    kLastLemma,
    kFirstMorph,
    kLastMorph,
    kLeftWord,
    kLeftLemma,
    kLeftMorph,
    kRightWord,
    kRightLemma,
    kRightMorph,
    kTagBefore,
    kTagAfter,
    kTagsAround,
    kWordBefore,
    kWordAfter,
    kTagsBefore,
    kTagsAfter,
    kAtEnds,
    kHeadWord,
    kHeadTag,
    kGrandparent,
    kRank,
    kRankAndParent,
    kSuffix,
    kShape,
    kSuffixAndParent,
    kParentHeadTag,
    kParentHeadWord,
    kParentHeadSide,
    kParentAndFirst,
    kParentAndLast,
    kParentAndHead,
    kLength,
    kLeftHead,
    kRightHead,
};

}  // namespace

Constituents::Constituents(const Sentence& sentence, const TreeColumns& tree)
    : sentence_(sentence), words_(sentence.size()) {
    const int nodes = static_cast<int>(tree.parents.size()), size = words_ + nodes;
    if (static_cast<int>(tree.leaf_parents.size()) != words_)
        throw std::invalid_argument("a tree and its sentence are not equally long");
    if (tree.labels.size() != tree.parents.size() || tree.heads.size() != tree.parents.size())
        throw std::invalid_argument("labels, parents and heads of a tree are not equally many");
    labels_.resize(size);
    parents_.resize(size);
    heads_.resize(size);
    first_.resize(size);
    last_.resize(size);
    ranks_.assign(size, 0);
    const auto vertex_of = [&](int parent, int below) {
        if (parent < kRoot || parent >= below)
            throw std::invalid_argument("a tree's nodes are not in canonical order");
        return parent == kRoot ? kRoot : words_ + parent;
    };
    for (int word = 0; word < words_; ++word) {
        labels_[word] = sentence.tag(word);
        parents_[word] = vertex_of(tree.leaf_parents[word], nodes);
        heads_[word] = first_[word] = last_[word] = word;
    }
    for (int node = 0; node < nodes; ++node) {
        const int vertex = words_ + node;
        if (tree.heads[node] < 0 || tree.heads[node] >= words_)
            throw std::invalid_argument("a head is no word");
        labels_[vertex] = tree.labels[node];
        parents_[vertex] = vertex_of(tree.parents[node], node);
        heads_[vertex] = tree.heads[node];
        first_[vertex] = words_;
        last_[vertex] = -1;
    }
    const auto widen = [&](int vertex) {
        const int parent = parents_[vertex];
        if (parent == kRoot) return;
        first_[parent] = std::min(first_[parent], first_[vertex]);
        last_[parent] = std::max(last_[parent], last_[vertex]);
    };
    for (int word = 0; word < words_; ++word) widen(word);
    for (int vertex = size - 1; vertex >= words_; --vertex) widen(vertex);  // parents have smaller numbers

    starts_.assign(nodes + 1, 0);
    for (const int parent : parents_)
        if (parent != kRoot) ++starts_[parent - words_ + 1];
    for (int node = 0; node < nodes; ++node) starts_[node + 1] += starts_[node];
    children_.resize(starts_[nodes]);
    std::vector<int> next(starts_.begin(), starts_.end() - 1);
    for (int vertex = 0; vertex < size; ++vertex)
        if (parents_[vertex] != kRoot) children_[next[parents_[vertex] - words_]++] = vertex;
    rules_.resize(nodes);
    for (int node = 0; node < nodes; ++node) {
        const auto begin = children_.begin() + starts_[node], end = children_.begin() + starts_[node + 1];
        if (begin == end) throw std::invalid_argument("a node has no words beneath it");
        std::sort(begin, end, [&](int one, int other) { return first_[one] < first_[other]; });
        FeatureHash rule = labels_[words_ + node];
        for (auto child = begin; child != end; ++child) {
            ranks_[*child] = static_cast<int>(child - begin);
            rule = mix(rule, labels_[*child]);
        }
        rules_[node] = rule;
    }
}

std::vector<Place> Constituents::places() const {
    std::vector<Place> places(size());
    std::vector<int> spine(words_, 0);  // of every word: how many events it has had so far
    for (int word = 0; word < words_; ++word) places[word] = {word, 0};
    for (int vertex = size() - 1; vertex >= words_; --vertex)
        places[vertex] = {heads_[vertex], ++spine[heads_[vertex]]};
    return places;
}

// The paper's features, and around the parent's head (which pay most: 0.7 points of F1 of unary nodes on
// english-gum), the words around the yield, the place among the siblings.
void Constituents::add_features(int vertex, std::vector<FeatureHash>& features) const {
    const Sentence& sentence = sentence_;
    const bool word = is_word(vertex);
    const auto add = [&](std::uint64_t kind, auto... values) {
        features.push_back(feature(2 * kind + word, values...));
    };
    const Atom label = labels_[vertex], above = parent_label(vertex);
    const int parent = parents_[vertex], rank = ranks_[vertex];
    const int first = first_[vertex], last = last_[vertex], head = heads_[vertex];
    int count = 1, left = kRoot, right = kRoot;  // siblings, itself included, and the ones next to it
    if (parent != kRoot) {
        const int* siblings = children_.data() + starts_[parent - words_];
        count = starts_[parent - words_ + 1] - starts_[parent - words_];
        if (rank > 0) left = siblings[rank - 1];
        if (rank + 1 < count) right = siblings[rank + 1];
    }
    const Atom left_label = left == kRoot ? Atom{kNobody} : labels_[left];
    const Atom right_label = right == kRoot ? Atom{kNobody} : labels_[right];

    // labels around
    add(kLabel, label);
    add(kParent, label, above);
    add(kLeft, label, left_label);
    add(kRight, label, right_label);
    add(kNeighbours, label, left_label, right_label);
    add(kAround, label, above, left_label, right_label);
    add(kRank, label, std::min(count, 4), std::min(rank, 4));
    add(kRankAndParent, label, above, std::min(rank, 3), std::min(count - rank, 3));
    if (parent != kRoot) {
        add(kRuleAbove, rules_[parent - words_], rank);
        add(kGrandparent, label, above, parent_label(parent));
        const int parent_head = heads_[parent];
        const int side = parent_head < first ? 0 : parent_head > last ? 1 : 2;
        add(kParentHeadSide, label, above, side);
        add(kParentHeadTag, label, above, sentence.tag(parent_head), side);
        add(kParentHeadWord, label, above, sentence.lower(parent_head), side);
    }

    // words and tags of the yield
    const int length = last - first;
    add(kLength, label, above, length < 4 ? length : length < 10 ? 4 : 5);
    add(kFirstWord, label, sentence.lower(first));
    add(kParentAndFirst, label, above, sentence.lower(first));
    if (sentence[first].lemma) add(kFirstLemma, label, sentence[first].lemma);
    if (sentence[first].morph) add(kFirstMorph, label, sentence[first].morph);
    if (word) {
        add(kSuffix, label, sentence[vertex].suffix[2]);
        add(kSuffixAndParent, label, above, sentence[vertex].suffix[1]);
        add(kShape, label, sentence[vertex].shape);
    } else {
        add(kRuleBeneath, rules_[vertex - words_]);
        add(kLastWord, label, sentence.lower(last));
        add(kParentAndLast, label, above, sentence.lower(last));
        if (sentence[last].lemma) add(kLastLemma, label, sentence[last].lemma);
        if (sentence[last].morph) add(kLastMorph, label, sentence[last].morph);
        add(kFirstTag, label, sentence.tag(first));
        add(kLastTag, label, sentence.tag(last));
        add(kEndTags, label, sentence.tag(first), sentence.tag(last));
        add(kHeadWord, label, sentence.lower(head));
        add(kHeadTag, label, sentence.tag(head));
        add(kParentAndHead, label, above, sentence.lower(head));
    }

    // beside the yield
    add(kTagBefore, label, sentence.tag(first - 1));
    add(kTagAfter, label, sentence.tag(last + 1));
    add(kTagsAround, label, sentence.tag(first - 1), sentence.tag(last + 1));
    add(kTagsBefore, label, sentence.tag(first - 2), sentence.tag(first - 1));
    add(kTagsAfter, label, sentence.tag(last + 1), sentence.tag(last + 2));
    add(kWordBefore, label, sentence.lower(first - 1));
    add(kWordAfter, label, sentence.lower(last + 1));
    add(kAtEnds, label, first == 0, last + 1 == words_);
    if (left != kRoot) {
        add(kLeftHead, label, sentence.lower(heads_[left]));
        if (is_word(left)) {
            add(kLeftWord, label, sentence.lower(left));
            if (sentence[left].lemma) add(kLeftLemma, label, sentence[left].lemma);
            if (sentence[left].morph) add(kLeftMorph, label, sentence[left].morph);
        }
    }
    if (right != kRoot) {
        add(kRightHead, label, sentence.lower(heads_[right]));
        if (is_word(right)) {
            add(kRightWord, label, sentence.lower(right));
            if (sentence[right].lemma) add(kRightLemma, label, sentence[right].lemma);
            if (sentence[right].morph) add(kRightMorph, label, sentence[right].morph);
        }
    }
}

TreeColumns unaryless_tree(const std::vector<int>& heads, const std::vector<Atom>& symbols,
                           const std::vector<int>& events) {
    if (symbols.size() != heads.size() || events.size() != heads.size())
        throw std::invalid_argument("heads, symbols and events are not equally many");
    check_dtree(heads, events);
    DecodedTree decoded = decode_tree(heads, events, {});
    TreeColumns tree{
        {}, std::move(decoded.parents), std::move(decoded.leaf_parents), std::move(decoded.heads)};
    tree.labels.reserve(decoded.sources.size());
    for (const int source : decoded.sources) tree.labels.push_back(symbols[source]);
    return tree;
}

}  // namespace spindle
