// Feature indices of the arcs and nodes of trees, for a network that has encoded the words: per arc and per
// node the words to look at, and a few small numbers. The words of all sentences of a batch stand in one
// table, one sentence after the other; words are given as rows of that table.
//
// src/spindle/parsers/neural/context.py describes the roles and has the readable version of this code.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace spindle {

inline constexpr int kArcRoles = 9, kArcCounts = 3, kNodeRoles = 6, kNodeMarks = 3;

// The features of an arc: words of its sentence (or no word), and counts.
struct ArcDescription {
    std::array<int, kArcRoles> roles;
    std::array<int, kArcCounts> counts;
    bool operator==(const ArcDescription&) const = default;
};

// Trees of the same sentence share most of their arcs and what surrounds them: equal arcs of a word are
// described once.
struct ArcContext {
    std::vector<std::int64_t> roles;   // [descriptions, kArcRoles], rows of words
    std::vector<std::int64_t> counts;  // [descriptions, kArcCounts]
    std::vector<std::int64_t> places;  // the description of every arc
    std::vector<ArcDescription> arcs;  // the same descriptions, to compare with
    std::vector<std::int64_t> latest;  // per row of words, the last description of an arc to that word, or -1
    std::vector<std::int64_t> earlier;  // per description, the one before of an arc to the same word, or -1
};

struct NodeContext {
    std::vector<std::int64_t> words, events;  // the place of every node
    std::vector<std::int64_t> roles;          // [nodes, kNodeRoles], rows of words
    std::vector<std::int64_t> marks;          // [nodes, kNodeMarks]
};

// Which rows a sentence's words have in the table, and the row that stands for no word.
struct WordRows {
    std::int64_t start, padding_row;
};

// The columns of an ordered d-tree; symbols are numbers above 0, which is the symbol of a word.
struct DTreeSpans {
    std::span<const int> heads, symbols, events;
};

// Appends the arcs of a tree. Throws std::invalid_argument if the heads are no tree.
void add_arc_context(std::span<const int> heads, WordRows rows, ArcContext& context);

// Appends the nodes of a d-tree, words included. Throws std::invalid_argument if it is no tree, or if the
// events of a head are not between 1 and the number of its modifiers.
void add_node_context(const DTreeSpans& dtree, WordRows rows, NodeContext& context);

}  // namespace spindle
