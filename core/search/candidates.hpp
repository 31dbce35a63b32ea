// The trees of an index that may match a pattern.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "search/pattern.hpp"
#include "search/tree_index.hpp"

namespace spindle {

// In which form the trees are searched.
enum class SearchedAs { kStored, kDTrees };

// The numbers of all trees that may match, in order. A tree is left out only if it lacks a symbol that every
// match needs: whatever must not be there, and the places of vertices, are not looked at.
std::vector<std::uint32_t> candidates(const TreeIndex& index, const Pattern& pattern,
                                      const PredicateTable& holds, SearchedAs form);

}  // namespace spindle
