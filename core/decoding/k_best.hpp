// The k best trees under scores of single arcs, each with exactly one root: all different, the best first,
// and the first of all the one that the decoder of a single tree gives.
#pragma once

#include <limits>
#include <vector>

#include "decoding/decoders.hpp"

namespace spindle {

inline constexpr double kEndless = std::numeric_limits<double>::infinity();

struct ScoredTree {
    std::vector<int> heads;
    double score;
};

// Of projective trees, and of trees of any kind, those that score at most `within` less than the best. A tree
// with a forbidden arc is given only if there is no other. So there may be fewer than k.
std::vector<ScoredTree> best_projective_trees(const ArcScores& scores, int k, double within = kEndless);
std::vector<ScoredTree> best_trees(const ArcScores& scores, int k, double within = kEndless);

}  // namespace spindle
