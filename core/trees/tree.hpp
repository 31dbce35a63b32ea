// Constituent trees as columns of parents: see src/spindle/trees/tree.py for the representation.
#pragma once

#include <vector>

#include "trees/root.hpp"
#include "trees/tree_columns.hpp"

namespace spindle {

// A tree whose nodes are in canonical order: by leftmost token, then from the top down.
struct ArrangedTree {
    std::vector<int> order;  // the number that every node had before
    std::vector<int> parents;
    std::vector<int> leaf_parents;
};

// Sorts nodes that come in any order into canonical order. Throws std::invalid_argument, with a message for
// users, if they do not form one tree in which every node has words beneath it.
ArrangedTree arrange_tree(const std::vector<int>& parents, const std::vector<int>& leaf_parents);

// Throws std::invalid_argument unless the columns are a tree in canonical order.
void check_tree(const std::vector<int>& parents, const std::vector<int>& leaf_parents);

// Throws std::invalid_argument unless every parent exists and stands before its children: enough for code
// that follows parents never to leave the columns.
void check_canonical_parents(const std::vector<int>& parents, const std::vector<int>& leaf_parents);

// The children of every node of a tree in canonical order, sorted by their leftmost tokens. Token i is vertex
// i, node j is vertex words + j.
std::vector<std::vector<int>> tree_children(const std::vector<int>& parents,
                                            const std::vector<int>& leaf_parents);

// Throws std::invalid_argument unless every node's lexical head heads one of its children.
void check_heads(const std::vector<int>& parents, const std::vector<int>& leaf_parents,
                 const std::vector<int>& heads);

}  // namespace spindle
