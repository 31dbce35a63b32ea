// A constituent tree and the features from which the classifiers predict the class of a node.
#pragma once

#include <span>
#include <vector>

#include "linear/hashing.hpp"
#include "linear/sentence.hpp"
#include "reduction/isomorphism.hpp"

namespace spindle {

// Hashed labels and lexical heads of the nodes, parents of nodes and words; nodes in canonical order.
struct HashedTree {
    std::vector<Atom> labels;
    std::vector<int> parents, leaf_parents, heads;
};

// A d-tree with hashed symbols.
struct HashedDTree {
    std::vector<int> heads;
    std::vector<Atom> symbols;
    std::vector<int> events;
};

// A node of the unaryless tree: the one that a word's event made; event 0 is the word itself.
struct Place {
    int word, event;
};

// Words and nodes are numbered together as vertices: word i is vertex i, node j is vertex words + j.
class Constituents {
  public:
    // Throws std::invalid_argument if the columns do not fit the sentence.
    Constituents(const Sentence& sentence, const HashedTree& tree);

    int size() const { return static_cast<int>(parents_.size()); }
    bool is_word(int vertex) const { return vertex < words_; }
    Atom label(int vertex) const { return labels_[vertex]; }
    const Sentence& sentence() const { return sentence_; }
    int words() const { return words_; }
    // The vertex above, kRoot for the root.
    int parent(int vertex) const { return parents_[vertex]; }
    // The lexical head, and the ends of the yield.
    int head(int vertex) const { return heads_[vertex]; }
    int first(int vertex) const { return first_[vertex]; }
    int last(int vertex) const { return last_[vertex]; }
    // The children of a node, by their first words.
    std::span<const int> children(int vertex) const {
        const int node = vertex - words_;
        return std::span(children_).subspan(starts_[node], starts_[node + 1] - starts_[node]);
    }
    // A node's label and those of its children as one hash.
    FeatureHash rule(int vertex) const { return rules_[vertex - words_]; }
    Atom parent_label(int vertex) const {
        return parents_[vertex] < 0 ? Atom{kRootAtom} : labels_[parents_[vertex]];
    }

    // The place of every vertex of an unaryless tree.
    std::vector<Place> places() const;

    // Appends the features of a vertex.
    void add_features(int vertex, std::vector<FeatureHash>& features) const;

  private:
    // The siblings of a vertex, itself included; kNone where there is no sibling on that side.
    struct Siblings {
        static constexpr int kNone = -1;
        int count = 1, left = kNone, right = kNone;
    };
    class Adder;

    void read_vertices(const HashedTree& tree);
    void find_yields();
    void find_children();
    void find_rules();
    int nodes() const { return size() - words_; }
    Siblings siblings(int vertex) const;
    void add_surroundings(int vertex, const Siblings& siblings, const Adder& add) const;
    void add_yield(int vertex, const Adder& add) const;
    void add_neighbours(int vertex, const Siblings& siblings, const Adder& add) const;

    const Sentence& sentence_;
    int words_;
    std::vector<Atom> labels_;
    std::vector<int> parents_, heads_;
    std::vector<int> first_, last_;  // the ends of the yield
    // the children of node j: children_[starts_[j]] to [starts_[j + 1] - 1]
    std::vector<int> starts_, children_;
    std::vector<int> ranks_;          // the place among the siblings
    std::vector<FeatureHash> rules_;  // per node, its label and those of its children
};

// Decodes a d-tree to its unaryless tree. Throws std::invalid_argument if there is none.
DecodedTree decode_unaryless(const HashedDTree& dtree);

// A decoded unaryless tree with the symbols of its d-tree.
HashedTree with_labels(const DecodedTree& decoded, const HashedDTree& dtree);

}  // namespace spindle
