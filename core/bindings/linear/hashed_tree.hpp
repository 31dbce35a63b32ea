// Constituent trees and d-trees between Python and the linear models: columns with labels as strings.
#pragma once

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bindings/linear/atoms.hpp"
#include "bindings/support/columns.hpp"
#include "linear/constituents.hpp"

namespace spindle {

// labels, parents, leaf parents, heads
using TreeTuple = std::tuple<Strings, Column, Column, Column>;
// heads, symbols, events
using DTreeTuple = std::tuple<Column, Strings, Column>;

inline HashedTree hashed(const TreeTuple& tree) {
    const auto& [labels, parents, leaf_parents, heads] = tree;
    return {to_atoms(labels), parents, leaf_parents, heads};
}

inline HashedDTree hashed(const DTreeTuple& dtree) {
    const auto& [heads, symbols, events] = dtree;
    return {heads, to_atoms(symbols), events};
}

inline std::vector<HashedTree> hashed(const std::vector<TreeTuple>& trees) {
    std::vector<HashedTree> found;
    found.reserve(trees.size());
    for (const TreeTuple& tree : trees) found.push_back(hashed(tree));
    return found;
}

}  // namespace spindle
