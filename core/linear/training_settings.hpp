#pragma once

#include <cstdint>

namespace spindle {

// What the trainers of the linear models have in common.
struct TrainingSettings {
    int bits;    // the table has 2^bits weights
    int epochs;  // over which the learning rate falls
    std::uint64_t seed;
};

}  // namespace spindle
