// Dependency trees whose arcs carry a symbol and an event (d-trees): see src/spindle/trees/dtree.py.
#pragma once

#include <vector>

#include "trees/root.hpp"

namespace spindle {

// Sections 3.1 to 3.3 of the paper.
struct DTreeProperties {
    bool projective;  // the yield of every word is one span
    bool nested;      // going outward on either side of a head, events never fall
    bool ordered;     // the events of a head are 1, 2, ..., and the modifiers of an event agree on its symbol
    bool strict;      // no event has several modifiers
};

// Throws std::invalid_argument unless every head is kRoot or another word: enough for code that follows heads
// never to leave the columns.
void check_heads_exist(const std::vector<int>& heads);

// Throws std::invalid_argument unless there is one root and no cycle, and events start at 1.
void check_dtree(const std::vector<int>& heads, const std::vector<int>& events);

// Whether there is one root and no cycle.
bool is_dtree(const std::vector<int>& heads);

// Of heads that are a d-tree: whether the yield of every word is one span.
bool is_projective(const std::vector<int>& heads);

// Of heads that are a d-tree. `symbols` are numbers that are equal where the symbols are.
DTreeProperties dtree_properties(const std::vector<int>& heads, const std::vector<int>& symbols,
                                 const std::vector<int>& events);

}  // namespace spindle
