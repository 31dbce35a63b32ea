#include "linear/tree_features.hpp"

#include <algorithm>
#include <span>

#include "trees/root.hpp"

namespace spindle {

namespace {

// The templates; their order is part of the model format.
enum Template : std::uint64_t {
    kRule,
    kRuleAndParent,
    kRuleAndHead,
    kParents,
    kHeadWord,
    kHeadTag,
    kParentAndHeadWord,
    kFirstWord,
    kLastWord,
    kWordBefore,
    kWordAfter,
    kEndTags,
    kTagsAtStart,
    kTagsAtEnd,
    kOutsideTags,
    kOutsideWords,
    kLength,
    kLengthAndPlace,
    kLengthAndNext,
    kGap,
    kGapTags,
    kLeaf,
    kLeafAndParents,
    kPair,
    kTriple,
    kSplitTags,
    kSplitWord,
    kSplitLastWord,
    kDependentTags,
    kHeadWordAndTag,
    kTagAndDependentWord,
    kBothWords,
    kDependentPlace,
    kConjuncts,
    kConjunctRules,
    kConjunctLengths,
    kRightEdge,
    kLabel,
    kShape,
};

int length_bin(int length) {
    return length <= 5 ? length : length <= 10 ? 6 : length <= 20 ? 7 : length <= 40 ? 8 : 9;
}

class TreeFeatures {
  public:
    TreeFeatures(const Constituents& tree, std::vector<FeatureHash>& features)
        : tree_(tree), sentence_(tree.sentence()), features_(features), sizes_(tree.size(), 0) {
        for (int word = 0; word < tree.words(); ++word) {
            sizes_[word] = 1;
            add_size(word);
        }
        // parents have smaller numbers
        for (int node = tree.size() - 1; node >= tree.words(); --node) add_size(node);
    }

    void add_all() {
        for (int word = 0; word < tree_.words(); ++word) add_leaf(word);
        for (int node = tree_.words(); node < tree_.size(); ++node) {
            add_node(node);
            add_span(node);
            add_children(node);
        }
        add_right_edge();
    }

  private:
    template <class... Values>
    void add(Values... values) {
        features_.push_back(feature(values...));
    }
    void add_size(int vertex) {
        if (tree_.parent(vertex) != kRoot) sizes_[tree_.parent(vertex)] += sizes_[vertex];
    }
    Atom tag(int word) const { return sentence_.tag(word); }
    Atom word(int at) const { return sentence_.lower(at); }
    Atom grandparent(int vertex) const {
        const int parent = tree_.parent(vertex);
        return parent == kRoot ? Atom{kRootAtom} : tree_.parent_label(parent);
    }

    // The path of a word to the root.
    void add_leaf(int at) {
        add(kLeaf, word(at), tree_.parent_label(at));
        add(kLeafAndParents, word(at), tree_.parent_label(at), grandparent(at));
    }

    void add_node(int node) {
        const Atom label = tree_.label(node), above = tree_.parent_label(node);
        const int head = tree_.head(node);
        add(kLabel, label);
        add(kRule, tree_.rule(node));
        add(kRuleAndParent, tree_.rule(node), above);
        add(kRuleAndHead, tree_.rule(node), tag(head));
        add(kParents, label, above, grandparent(node));
        add(kHeadWord, label, word(head));
        add(kHeadTag, label, above, tag(head));
        add(kParentAndHeadWord, label, above, word(head));
    }

    // The words at the ends of the yield, inside and outside, and its length.
    void add_span(int node) {
        const Atom label = tree_.label(node);
        const int first = tree_.first(node), last = tree_.last(node), length = length_bin(last + 1 - first);
        add(kFirstWord, label, word(first));
        add(kLastWord, label, word(last));
        add(kWordBefore, label, word(first - 1));
        add(kWordAfter, label, word(last + 1));
        add(kEndTags, label, tag(first), tag(last));
        add(kTagsAtStart, label, tag(first - 1), tag(first));
        add(kTagsAtEnd, label, tag(last), tag(last + 1));
        add(kOutsideTags, label, tag(first - 1), tag(last + 1), length);
        add(kOutsideWords, label, word(first - 1), word(last + 1));
        add(kLength, label, length);
        add(kLengthAndPlace, label, length, length_bin(tree_.words() - 1 - last));
        add(kLengthAndNext, label, length, tag(last + 1), first == 0);
        add_shape(node, first, last);
    }

    // The tags of a short yield, and the gaps of a discontinuous one.
    void add_shape(int node, int first, int last) {
        const Atom label = tree_.label(node);
        if (last + 1 - first <= 6) {
            FeatureHash shape = 1;
            for (int at = first; at <= last; ++at) shape = mix(shape, tag(at));
            add(kShape, label, shape);
        }
        if (sizes_[node] == last + 1 - first) return;
        add(kGap, label, tree_.parent_label(node));
        int end = -1;
        for (const int child : tree_.children(node)) {
            if (end >= 0 && tree_.first(child) > end + 1)
                add(kGapTags, label, tag(end), tag(end + 1), tag(tree_.first(child)));
            end = std::max(end, tree_.last(child));
        }
    }

    void add_children(int node) {
        const std::span<const int> children = tree_.children(node);
        const int count = static_cast<int>(children.size());
        const auto label_at = [&](int rank) {
            return rank >= 0 && rank < count ? tree_.label(children[rank]) : Atom{kNoSiblingAtom};
        };
        const Atom label = tree_.label(node);
        int head_rank = 0;
        for (int rank = 0; rank < count; ++rank)
            if (tree_.head(children[rank]) == tree_.head(node)) head_rank = rank;
        for (int rank = 0; rank <= count; ++rank) {
            add(kPair, label, label_at(rank - 1), label_at(rank));
            add(kTriple, label, label_at(rank - 1), label_at(rank), label_at(rank + 1));
        }
        for (int rank = 1; rank < count; ++rank) {
            const int before = tree_.last(children[rank - 1]), after = tree_.first(children[rank]);
            add(kSplitTags, label, tag(before), tag(after));
            add(kSplitWord, label, label_at(rank - 1), label_at(rank), word(after));
            add(kSplitLastWord, label, label_at(rank - 1), label_at(rank), word(before));
        }
        for (int rank = 0; rank < count; ++rank)
            if (rank != head_rank) add_dependent(node, children[rank], label_at(head_rank), rank - head_rank);
        for (int rank = 1; rank + 1 < count; ++rank) add_conjuncts(node, children.subspan(rank - 1, 3));
    }

    void add_dependent(int node, int child, Atom head_label, int place) {
        const Atom label = tree_.label(node), own = tree_.label(child);
        const int head = tree_.head(node), dependent = tree_.head(child), side = place > 0;
        add(kDependentTags, label, own, tag(head), tag(dependent), side);
        add(kHeadWordAndTag, label, own, word(head), tag(dependent), side);
        add(kTagAndDependentWord, label, own, tag(head), word(dependent), side);
        add(kBothWords, label, word(head), word(dependent), side);
        add(kDependentPlace, label, own, head_label, std::clamp(place, -4, 4) + 4);
    }

    // Children on both sides of a word, which resemble each other in coordination.
    void add_conjuncts(int node, std::span<const int> three) {
        const int left = three[0], middle = three[1], right = three[2];
        if (!tree_.is_word(middle)) return;
        const Atom label = tree_.label(node);
        const bool are_alike = tree_.label(left) == tree_.label(right);
        add(kConjuncts, label, word(middle), tree_.label(left), tree_.label(right));
        if (!are_alike || tree_.is_word(left) || tree_.is_word(right)) return;
        const int lefts = tree_.last(left) - tree_.first(left),
                  rights = tree_.last(right) - tree_.first(right);
        add(kConjunctRules, tag(middle), tree_.label(left), tree_.rule(left) == tree_.rule(right));
        add(kConjunctLengths, tag(middle), tree_.label(left), std::clamp(rights - lefts, -3, 3) + 3);
    }

    // How many nodes end with the last word, or with the word before it.
    void add_right_edge() {
        for (int back = 1; back <= 2 && back <= tree_.words(); ++back) {
            int count = 0;
            for (int vertex = tree_.parent(tree_.words() - back); vertex != kRoot;
                 vertex = tree_.parent(vertex))
                ++count;
            for (int depth = 0; depth < count; ++depth) add(kRightEdge, back, tag(tree_.words() - 1));
        }
    }

    const Constituents& tree_;
    const Sentence& sentence_;
    std::vector<FeatureHash>& features_;
    std::vector<int> sizes_;  // the number of words below every vertex
};

}  // namespace

void add_tree_features(const Constituents& tree, std::vector<FeatureHash>& features) {
    TreeFeatures(tree, features).add_all();
}

}  // namespace spindle
