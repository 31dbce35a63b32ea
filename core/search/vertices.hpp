// The vertices of a tree in preorder, with what the relations of a pattern look at.
#pragma once

#include <vector>

#include "search/search_tree.hpp"

namespace spindle {

enum class VertexKind { kNonterminal, kPreterminal, kTerminal };

// A constituent tree has a vertex for every node, one for the tag of every word, and one below that for the
// word itself. A d-tree has one vertex for every word. Vertices are numbered in preorder: the vertices below
// `v` are v + 1 to end[v] - 1, and the first child of `v` is v + 1.
struct Vertices {
    // Reads another tree; the memory is reused.
    void assign(const SearchTree& tree, bool needs_gaps);

    int size() const { return static_cast<int>(kind.size()); }
    bool is_above(int upper, int lower) const { return upper < lower && lower < end[upper]; }

    std::vector<VertexKind> kind;
    std::vector<int> number;    // of the node or word
    std::vector<int> label;     // the label of a node, the tag of a preterminal or d-tree word, a form
    std::vector<int> parent;    // -1 at the top
    std::vector<int> end;       // one past the last vertex below
    std::vector<int> rank;      // among its sisters
    std::vector<int> children;  // their number
    std::vector<int> previous;  // the sister before, or -1
    std::vector<int> depth;
    std::vector<int> left, right;  // the first and the last word of the yield
    std::vector<int> begin, stop;  // the first and the last word for precedence
    std::vector<int> length;       // the number of words of the yield
    std::vector<int> head;         // the lexical head; -1 if it is not known
    std::vector<int> gaps;         // empty unless needed
    std::vector<int> at_word;      // the lowest vertex of every word

  private:
    struct Waiting {
        int vertex;  // nodes first, then words
        int parent;
        int rank;
    };
    void add(VertexKind kind, int number, int label, int parent, int rank);
    void count_gaps(int words);

    std::vector<int> starts_, children_, ends_;  // the children of every node or word, in compressed rows
    std::vector<Waiting> waiting_;
    std::vector<char> is_reached_;
};

}  // namespace spindle
