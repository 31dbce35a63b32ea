// Marginal probabilities of arcs, where the probability of a tree is exp(its score) over the sum of all
// trees.
#pragma once

#include "decoding/arc_scores.hpp"

namespace spindle {

class ArcMarginals : public ArcTable<double> {
  public:
    explicit ArcMarginals(int size) : ArcTable(size, 0) {}
    double log_sum = 0;  // the log partition function
};

// Over all projective trees, and over all trees of any kind, with exactly one root. The marginals of the
// heads of a word sum up to 1, and forbidden arcs have 0. Where every tree has a forbidden arc, the best tree
// has probability 1.
ArcMarginals projective_marginals(const ArcScores& scores);
ArcMarginals marginals(const ArcScores& scores);

}  // namespace spindle
