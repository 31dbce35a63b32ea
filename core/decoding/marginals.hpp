// How probable every arc is, if a tree is the more probable the more it scores: exp(score), over a sum.
#pragma once

#include "decoding/decoders.hpp"

namespace spindle {

class ArcMarginals : public ArcTable<double> {
  public:
    explicit ArcMarginals(int size) : ArcTable(size, 0) {}
    double log_sum = 0;  // the logarithm of what all trees add up to
};

// Among all projective trees, and among all trees of any kind, with exactly one root. Those of the heads of a
// word sum up to 1, and forbidden arcs have 0. Where there is no tree without forbidden arcs, the best one is
// certain.
ArcMarginals projective_marginals(const ArcScores& scores);
ArcMarginals marginals(const ArcScores& scores);

}  // namespace spindle
