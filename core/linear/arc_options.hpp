#pragma once

#include <cstdint>

namespace spindle {

// The parts of a tree that are scored: arcs; siblings and grandparents, too; all parts of arc_features.hpp.
enum class Order { kBasic = 0, kStandard = 1, kFull = 2 };

// No training needs more, and with these a parse still ends.
inline constexpr int kMostCandidateHeads = 10000, kMostStarts = 1000;

struct ArcOptions {
    Order order = Order::kStandard;
    bool projective = true;
    int candidates = 10;  // heads of a word that the higher orders consider
    int starts = 3;       // trees that hill climbing starts from; an exact search needs none
    std::uint64_t seed = 1;
};

}  // namespace spindle
