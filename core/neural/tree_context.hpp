// What a network is shown of trees beside the words: for every arc and every node, where to look. The words
// of many sentences stand in one table, one sentence after the other; what is written down are rows of it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace spindle {

inline constexpr int kArcRoles = 9, kArcCounts = 3, kNodeRoles = 6, kNodeMarks = 3;

// What there is to see of an arc: words of its sentence, or -1 for nobody, and numbers.
struct Arc {
    std::array<int, kArcRoles> roles;
    std::array<int, kArcCounts> counts;
    bool operator==(const Arc&) const = default;
};

// Trees of the same sentence have most of their arcs in common, with all that is around them: such are
// described once.
struct ArcContext {
    std::vector<std::int64_t> roles;    // kArcRoles rows of words for every description
    std::vector<std::int64_t> counts;   // kArcCounts numbers for every description
    std::vector<std::int64_t> places;   // of every arc: the number of its description
    std::vector<Arc> arcs;              // what was described
    std::vector<std::int64_t> latest;   // of every row of words: the description last made of its arc, or -1
    std::vector<std::int64_t> earlier;  // of every description: the one made before of the same word's arc
};

struct NodeContext {
    std::vector<std::int64_t> words, events;  // the place of every node
    std::vector<std::int64_t> roles;          // kNodeRoles rows of words for every node
    std::vector<std::int64_t> marks;          // kNodeMarks numbers for every node
};

// One number for every word.
using WordNumbers = std::span<const int>;

// Adds the arcs of a sentence whose words start at row `start`; `nobody` is the row that stands for no word.
void add_arc_context(WordNumbers heads, std::int64_t start, std::int64_t nobody, ArcContext& found);

// Adds the nodes of an ordered d-tree; symbols are numbers above 0, which is the symbol of a word.
void add_node_context(WordNumbers heads, WordNumbers symbols, WordNumbers events, std::int64_t start,
                      std::int64_t nobody, NodeContext& found);

}  // namespace spindle
