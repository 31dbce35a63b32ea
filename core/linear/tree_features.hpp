// The features of a whole constituent tree, from which the reranker scores it: rules, pairs of neighbouring
// children, heads with their modifiers, paths to the root, the words at the ends of constituents, gaps.
#pragma once

#include <vector>

#include "linear/constituents.hpp"
#include "linear/hashing.hpp"

namespace spindle {

// Appends the features of a tree, each as often as the tree has it.
void add_tree_features(const Constituents& tree, std::vector<FeatureHash>& features);

}  // namespace spindle
