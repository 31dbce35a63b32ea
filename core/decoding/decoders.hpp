// The best tree under scores of single arcs: projective (Eisner 1996) or any (Chu & Liu 1965, Edmonds 1967),
// always with exactly one root.
#pragma once

#include <limits>
#include <vector>

namespace spindle {

inline constexpr float kForbidden = -1e30f;

// A number for every arc of a sentence; the head is a position or -1, above the root.
template <class Number>
class ArcTable {
  public:
    ArcTable(int size, Number value) : size_(size), numbers_(at(size, 0), value) {}
    int size() const { return size_; }
    Number& operator()(int head, int modifier) { return numbers_[at(head, modifier)]; }
    Number operator()(int head, int modifier) const { return numbers_[at(head, modifier)]; }

  private:
    std::size_t at(int head, int modifier) const {
        return static_cast<std::size_t>(head + 1) * size_ + modifier;
    }

    int size_;
    std::vector<Number> numbers_;
};

// Scores of arcs; forbidden where nobody has said otherwise.
class ArcScores : public ArcTable<float> {
  public:
    explicit ArcScores(int size) : ArcTable(size, kForbidden) {}
};

// How much worse than the best tree any tree with this arc is at least. If it has several such arcs, their
// losses add up.
class ArcLosses : public ArcTable<double> {
  public:
    explicit ArcLosses(int size) : ArcTable(size, 0) {}
};

// The heads of the best projective tree, and of the best tree of any kind. A forbidden arc is used only if
// there is no tree without one.
std::vector<int> best_projective_tree(const ArcScores& scores);
std::vector<int> best_tree(const ArcScores& scores);
// The same, and what the other arcs would cost: the search for the next best trees is led by that.
std::vector<int> best_tree(const ArcScores& scores, ArcLosses* losses);

}  // namespace spindle
