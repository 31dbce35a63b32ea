// The best tree under scores of single arcs: projective (Eisner 1996) or any (Chu & Liu 1965, Edmonds 1967),
// always with exactly one root.
#pragma once

#include <limits>
#include <vector>

namespace spindle {

inline constexpr float kForbidden = -1e30f;

// Scores of all arcs of a sentence; the head is a position or -1, above the root.
class ArcScores {
  public:
    explicit ArcScores(int size) : size_(size), scores_(static_cast<std::size_t>(size + 1) * size, kForbidden) {}
    int size() const { return size_; }
    float& operator()(int head, int modifier) { return scores_[static_cast<std::size_t>(head + 1) * size_ + modifier]; }
    float operator()(int head, int modifier) const { return scores_[static_cast<std::size_t>(head + 1) * size_ + modifier]; }

  private:
    int size_;
    std::vector<float> scores_;
};

// The heads of the best projective tree, and of the best tree of any kind. A forbidden arc is used only if
// there is no tree without one.
std::vector<int> best_projective_tree(const ArcScores& scores);
std::vector<int> best_tree(const ArcScores& scores);

}  // namespace spindle
