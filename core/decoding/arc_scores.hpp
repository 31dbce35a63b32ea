// Numbers for the arcs of a sentence: the input and the output of the decoders.
#pragma once

#include <algorithm>
#include <vector>

#include "trees/root.hpp"

namespace spindle {

inline constexpr float kForbidden = -1e30f;

// A number for every arc of a sentence; the head is a position or kRoot.
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

// A score that decoders can add up: NaN is forbidden, as from a training that has diverged, and no score is
// beyond the forbidden one or its opposite.
inline float bounded_score(float score) {
    return score > kForbidden ? std::min(score, -kForbidden) : kForbidden;
}

// Scores of arcs; every arc is forbidden until it gets a score.
class ArcScores : public ArcTable<float> {
  public:
    explicit ArcScores(int size) : ArcTable(size, kForbidden) {}
};

}  // namespace spindle
