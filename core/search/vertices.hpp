// The vertices of a tree in preorder, with what the relations of a pattern look at.
#pragma once

#include <cstdint>
#include <vector>

#include "search/pattern.hpp"
#include "search/search_tree.hpp"

namespace spindle {

enum class VertexKind : std::uint8_t { kNonterminal, kPreterminal, kTerminal };

// A constituent tree has a vertex for every node, one for the tag of every word, and one below that for the
// word itself. A d-tree has one vertex for every word. Vertices are numbered in preorder: the vertices below
// `v` are v + 1 to end[v] - 1, and the first child of `v` is v + 1.
//
// Columns may be longer than `size`, because their memory is reused, and only those that are needed are
// filled.
struct Vertices {
    // Reads another tree.
    void assign(const SearchTree& tree, const VertexNeeds& needs);

    int size() const { return count_; }
    int words() const { return words_; }
    bool is_above(int upper, int lower) const { return upper < lower && lower < end[upper]; }
    // The first and the last word for precedence: in a d-tree the words themselves.
    int begin(int vertex) const { return is_dtree_ ? number[vertex] : left[vertex]; }
    int stop(int vertex) const { return is_dtree_ ? number[vertex] : right[vertex]; }

    std::vector<VertexKind> kind;
    std::vector<int> number;    // of the node or word
    std::vector<int> label;     // the label of a node, the tag of a preterminal or d-tree word, a form
    std::vector<int> parent;    // -1 at the top
    std::vector<int> end;       // one past the last vertex below
    std::vector<int> at_word;   // the lowest vertex of every word
    std::vector<int> rank;      // among its sisters
    std::vector<int> children;  // their number
    std::vector<int> previous;  // the sister before, or -1
    std::vector<int> depth;
    std::vector<int> left, right;  // the first and the last word of the yield
    std::vector<int> length;       // the number of words of the yield
    std::vector<int> head;         // the lexical head; -1 if it is not known
    std::vector<int> gaps;

  private:
    struct Waiting {
        int vertex;  // nodes first, then words
        int parent;
    };
    void arrange_dtree(const SearchTree& tree);
    // Returns false, with columns half filled, if the tree is discontinuous.
    bool arrange_continuous(const SearchTree& tree);
    void arrange_discontinuous(const SearchTree& tree);
    int add(VertexKind vertex_kind, int vertex_number, int vertex_label, int above) {
        kind[count_] = vertex_kind;
        number[count_] = vertex_number;
        label[count_] = vertex_label;
        parent[count_] = above;
        return count_++;
    }
    // Adds the tag of a word and the word below it.
    void add_word(const SearchTree& tree, int word, int above) {
        const int tag = add(VertexKind::kPreterminal, word, tree.tags[word], above);
        at_word[word] = add(VertexKind::kTerminal, word, tree.forms[word], tag);
        end[tag] = end[tag + 1] = count_;
    }
    void find_ends();
    void find_sisters();
    void find_depths();
    void find_spans();
    void find_heads(const SearchTree& tree);
    void count_gaps();

    int count_ = 0, words_ = 0;
    bool is_dtree_ = false;
    std::vector<int> starts_, children_, ends_;  // the children of every node or word, in compressed rows
    std::vector<int> at_node_, last_child_;
    std::vector<Waiting> waiting_;
    std::vector<char> is_reached_;
};

}  // namespace spindle
