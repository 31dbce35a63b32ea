// The k best trees under scores of single arcs, each with exactly one root: all different, the best first.
// The first is the tree that the decoder of a single tree returns.
#pragma once

#include <limits>
#include <vector>

#include "decoding/arc_scores.hpp"

namespace spindle {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct ScoredTree {
    std::vector<int> heads;
    double score;
};

// Projective trees, and trees of any kind, that score at most `within` less than the best. A tree with a
// forbidden arc is returned only if there is no other; so there may be fewer than k. Scores must be bounded
// (`bounded_score`).
std::vector<ScoredTree> best_projective_trees(const ArcScores& scores, int k, double within = kInfinity);
std::vector<ScoredTree> best_trees(const ArcScores& scores, int k, double within = kInfinity);

}  // namespace spindle
