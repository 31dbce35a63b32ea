// The best tree of any kind, projective or not, under scores of single arcs (Chu & Liu 1965, Edmonds 1967).
#pragma once

#include <vector>

#include "decoding/arc_scores.hpp"

namespace spindle {

// For every arc: a lower bound of how much worse than the best tree any tree with this arc is. The losses of
// several such arcs add up.
class ArcLosses : public ArcTable<double> {
  public:
    explicit ArcLosses(int size) : ArcTable(size, 0) {}
};

// The heads of the best tree with exactly one root. A forbidden arc is used only if no tree does without.
// `losses`, if given, become those of all arcs; they guide the search for the next best trees.
std::vector<int> best_tree(const ArcScores& scores, ArcLosses* losses = nullptr);

}  // namespace spindle
