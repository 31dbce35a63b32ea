#include "linear/constituents.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

#include "support/checks.hpp"
#include "trees/dtree.hpp"
#include "trees/tree.hpp"

namespace spindle {

namespace {

// The templates; their order is part of the model format. Words and phrases do not share weights.
enum Template : std::uint64_t {
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
    kFirstAttribute,
    kLastAttribute,
    kHeadAttribute,
    kLeftAttribute,
    kRightAttribute,
};

}  // namespace

Constituents::Constituents(const Sentence& sentence, const HashedTree& tree)
    : sentence_(sentence), words_(sentence.size()) {
    check_same_length(tree.leaf_parents.size(), "leaf parents", static_cast<std::size_t>(words_), "words");
    check_same_length(tree.labels.size(), "labels", tree.parents.size(), "parents");
    check_same_length(tree.heads.size(), "heads", tree.parents.size(), "parents");
    check_canonical_parents(tree.parents, tree.leaf_parents);
    read_vertices(tree);
    find_yields();
    find_children();
    find_rules();
}

void Constituents::read_vertices(const HashedTree& tree) {
    const int nodes = static_cast<int>(tree.parents.size()), size = words_ + nodes;
    labels_.resize(size);
    parents_.resize(size);
    heads_.resize(size);
    const auto vertex_of = [&](int node) { return node == kRoot ? kRoot : words_ + node; };
    for (int word = 0; word < words_; ++word) {
        labels_[word] = sentence_.tag(word);
        parents_[word] = vertex_of(tree.leaf_parents[word]);
        heads_[word] = word;
    }
    for (int node = 0; node < nodes; ++node) {
        if (tree.heads[node] < 0 || tree.heads[node] >= words_)
            throw std::invalid_argument("a head is no word");
        labels_[words_ + node] = tree.labels[node];
        parents_[words_ + node] = vertex_of(tree.parents[node]);
        heads_[words_ + node] = tree.heads[node];
    }
}

void Constituents::find_yields() {
    first_.assign(size(), words_);
    last_.assign(size(), -1);
    const auto widen_parent = [&](int vertex) {
        const int parent = parents_[vertex];
        if (parent == kRoot) return;
        first_[parent] = std::min(first_[parent], first_[vertex]);
        last_[parent] = std::max(last_[parent], last_[vertex]);
    };
    for (int word = 0; word < words_; ++word) {
        first_[word] = last_[word] = word;
        widen_parent(word);
    }
    // parents have smaller numbers
    for (int vertex = size() - 1; vertex >= words_; --vertex) widen_parent(vertex);
}

void Constituents::find_children() {
    starts_.assign(nodes() + 1, 0);
    for (const int parent : parents_)
        if (parent != kRoot) ++starts_[parent - words_ + 1];
    for (int node = 0; node < nodes(); ++node) starts_[node + 1] += starts_[node];
    children_.resize(starts_[nodes()]);
    std::vector<int> next(starts_.begin(), starts_.end() - 1);
    for (int vertex = 0; vertex < size(); ++vertex)
        if (parents_[vertex] != kRoot) children_[next[parents_[vertex] - words_]++] = vertex;
}

void Constituents::find_rules() {
    ranks_.assign(size(), 0);
    rules_.resize(nodes());
    for (int node = 0; node < nodes(); ++node) {
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
    std::vector<int> events(words_, 0);  // the events of every word so far, from the bottom up
    for (int word = 0; word < words_; ++word) places[word] = {word, 0};
    for (int vertex = size() - 1; vertex >= words_; --vertex)
        places[vertex] = {heads_[vertex], ++events[heads_[vertex]]};
    return places;
}

Constituents::Siblings Constituents::siblings(int vertex) const {
    Siblings found;
    if (parents_[vertex] == kRoot) return found;
    const int parent = parents_[vertex] - words_, rank = ranks_[vertex];
    const int* siblings = children_.data() + starts_[parent];
    found.count = starts_[parent + 1] - starts_[parent];
    if (rank > 0) found.left = siblings[rank - 1];
    if (rank + 1 < found.count) found.right = siblings[rank + 1];
    return found;
}

// Appends features; all include the label of the vertex, except those of rules, which contain it.
class Constituents::Adder {
  public:
    Adder(bool is_word, Atom label, std::vector<FeatureHash>& features)
        : is_word_(is_word), label_(label), features_(features) {}

    template <class... Values>
    void operator()(std::uint64_t kind, Values... values) const {
        features_.push_back(feature(2 * kind + is_word_, label_, values...));
    }
    template <class... Values>
    void without_label(std::uint64_t kind, Values... values) const {
        features_.push_back(feature(2 * kind + is_word_, values...));
    }
    // Only where there is a value: not every treebank has lemmas and morphology.
    void if_any(std::uint64_t kind, Atom value) const {
        if (value) operator()(kind, value);
    }
    void each(std::uint64_t kind, std::span<const Atom> values) const {
        for (const Atom value : values) operator()(kind, value);
    }

  private:
    bool is_word_;
    Atom label_;
    std::vector<FeatureHash>& features_;
};

// Section 4.4 of the paper, and besides the parent's head (which helps most), the words around the yield, and
// the place among the siblings.
void Constituents::add_features(int vertex, std::vector<FeatureHash>& features) const {
    const Adder add(is_word(vertex), labels_[vertex], features);
    const Siblings around = siblings(vertex);
    add_surroundings(vertex, around, add);
    add_yield(vertex, add);
    add_neighbours(vertex, around, add);
}

// The labels around a vertex.
void Constituents::add_surroundings(int vertex, const Siblings& siblings, const Adder& add) const {
    const auto label_or_none = [&](int sibling) {
        return sibling == Siblings::kNone ? Atom{kNoSiblingAtom} : labels_[sibling];
    };
    const Atom above = parent_label(vertex);
    const Atom left_label = label_or_none(siblings.left), right_label = label_or_none(siblings.right);
    const int parent = parents_[vertex], rank = ranks_[vertex], count = siblings.count;
    add(kLabel);
    add(kParent, above);
    add(kLeft, left_label);
    add(kRight, right_label);
    add(kNeighbours, left_label, right_label);
    add(kAround, above, left_label, right_label);
    add(kRank, std::min(count, 4), std::min(rank, 4));
    add(kRankAndParent, above, std::min(rank, 3), std::min(count - rank, 3));
    if (parent == kRoot) return;
    add.without_label(kRuleAbove, rules_[parent - words_], rank);
    add(kGrandparent, above, parent_label(parent));
    const int parent_head = heads_[parent];
    const int side = parent_head < first_[vertex] ? 0 : parent_head > last_[vertex] ? 1 : 2;
    add(kParentHeadSide, above, side);
    add(kParentHeadTag, above, sentence_.tag(parent_head), side);
    add(kParentHeadWord, above, sentence_.lower(parent_head), side);
}

// The words and tags of the yield.
void Constituents::add_yield(int vertex, const Adder& add) const {
    const Atom above = parent_label(vertex);
    const int first = first_[vertex], last = last_[vertex], head = heads_[vertex], length = last - first;
    add(kLength, above, length < 4 ? length : length < 10 ? 4 : 5);
    add(kFirstWord, sentence_.lower(first));
    add(kParentAndFirst, above, sentence_.lower(first));
    add.if_any(kFirstLemma, sentence_[first].lemma);
    add.if_any(kFirstMorph, sentence_[first].morph);
    add.each(kFirstAttribute, sentence_.attributes(first));
    if (is_word(vertex)) {
        add(kSuffix, sentence_[vertex].suffix[2]);
        add(kSuffixAndParent, above, sentence_[vertex].suffix[1]);
        add(kShape, sentence_[vertex].shape);
        return;
    }
    add.without_label(kRuleBeneath, rules_[vertex - words_]);
    add(kLastWord, sentence_.lower(last));
    add(kParentAndLast, above, sentence_.lower(last));
    add.if_any(kLastLemma, sentence_[last].lemma);
    add.if_any(kLastMorph, sentence_[last].morph);
    add.each(kLastAttribute, sentence_.attributes(last));
    add.each(kHeadAttribute, sentence_.attributes(head));
    add(kFirstTag, sentence_.tag(first));
    add(kLastTag, sentence_.tag(last));
    add(kEndTags, sentence_.tag(first), sentence_.tag(last));
    add(kHeadWord, sentence_.lower(head));
    add(kHeadTag, sentence_.tag(head));
    add(kParentAndHead, above, sentence_.lower(head));
}

// The words beside the yield, and the siblings.
void Constituents::add_neighbours(int vertex, const Siblings& siblings, const Adder& add) const {
    const int first = first_[vertex], last = last_[vertex];
    add(kTagBefore, sentence_.tag(first - 1));
    add(kTagAfter, sentence_.tag(last + 1));
    add(kTagsAround, sentence_.tag(first - 1), sentence_.tag(last + 1));
    add(kTagsBefore, sentence_.tag(first - 2), sentence_.tag(first - 1));
    add(kTagsAfter, sentence_.tag(last + 1), sentence_.tag(last + 2));
    add(kWordBefore, sentence_.lower(first - 1));
    add(kWordAfter, sentence_.lower(last + 1));
    add(kAtEnds, first == 0, last + 1 == words_);
    if (siblings.left != Siblings::kNone) {
        add(kLeftHead, sentence_.lower(heads_[siblings.left]));
        if (is_word(siblings.left)) {
            add(kLeftWord, sentence_.lower(siblings.left));
            add.if_any(kLeftLemma, sentence_[siblings.left].lemma);
            add.if_any(kLeftMorph, sentence_[siblings.left].morph);
            add.each(kLeftAttribute, sentence_.attributes(siblings.left));
        }
    }
    if (siblings.right != Siblings::kNone) {
        add(kRightHead, sentence_.lower(heads_[siblings.right]));
        if (is_word(siblings.right)) {
            add(kRightWord, sentence_.lower(siblings.right));
            add.if_any(kRightLemma, sentence_[siblings.right].lemma);
            add.if_any(kRightMorph, sentence_[siblings.right].morph);
            add.each(kRightAttribute, sentence_.attributes(siblings.right));
        }
    }
}

DecodedTree decode_unaryless(const HashedDTree& dtree) {
    check_same_length(dtree.symbols.size(), "symbols", dtree.heads.size(), "heads");
    check_dtree(dtree.heads, dtree.events);
    return decode_tree(dtree.heads, dtree.events, {});
}

HashedTree with_labels(const DecodedTree& decoded, const HashedDTree& dtree) {
    HashedTree tree{{}, decoded.parents, decoded.leaf_parents, decoded.heads};
    tree.labels.reserve(decoded.sources.size());
    for (const int source : decoded.sources) tree.labels.push_back(dtree.symbols[source]);
    return tree;
}

}  // namespace spindle
