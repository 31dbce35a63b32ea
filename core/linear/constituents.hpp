// A constituent tree as the classifiers of its nodes see it: what of it tells the class of one node.
#pragma once

#include <vector>

#include "linear/hashing.hpp"
#include "linear/sentence.hpp"

namespace spindle {

// Labels and lexical heads of the nodes, parents of nodes and words; nodes in canonical order (tree.hpp).
struct TreeColumns {
    std::vector<Atom> labels;
    std::vector<int> parents, leaf_parents, heads;
};

// A node of the unaryless tree: the one that a word's event made; event 0 is the word itself.
struct Place {
    int word, event;
};

// Words and nodes are numbered together as vertices: word i is vertex i, node j is vertex words + j.
class Constituents {
  public:
    // Throws std::invalid_argument if the columns do not fit the sentence.
    Constituents(const Sentence& sentence, const TreeColumns& tree);

    int size() const { return static_cast<int>(parents_.size()); }
    bool is_word(int vertex) const { return vertex < words_; }
    Atom label(int vertex) const { return labels_[vertex]; }
    Atom parent_label(int vertex) const {
        return parents_[vertex] < 0 ? Atom{kAbove} : labels_[parents_[vertex]];
    }

    // The place of every vertex, if there are no unary nodes.
    std::vector<Place> places() const;

    // Appends what tells the class of a vertex.
    void add_features(int vertex, std::vector<FeatureHash>& features) const;

  private:
    const Sentence& sentence_;
    int words_;
    std::vector<Atom> labels_;
    std::vector<int> parents_, heads_;
    std::vector<int> first_, last_;  // the ends of the yield
    // the children of node j: children_[starts_[j]] to [starts_[j + 1] - 1]
    std::vector<int> starts_, children_;
    std::vector<int> ranks_;          // the place among the siblings
    std::vector<FeatureHash> rules_;  // of every node: its label and those of its children
};

// The unaryless tree that a d-tree stands for; throws std::invalid_argument if it stands for none.
TreeColumns unaryless_tree(const std::vector<int>& heads, const std::vector<Atom>& symbols,
                           const std::vector<int>& events);

}  // namespace spindle
