#pragma once

#include <algorithm>

#include "linear/training_settings.hpp"
#include "linear/weights.hpp"

namespace spindle {

// The step size of stochastic gradient descent: it falls linearly to a tenth over all epochs.
inline float learning_rate(const AveragedWeights& weights, const TrainingSettings& settings,
                           std::size_t examples) {
    constexpr float kFirst = 0.1f;
    const float seen = static_cast<float>(weights.step()) / static_cast<float>(settings.epochs * examples);
    return kFirst * (1.0f - 0.9f * std::min(seen, 1.0f));
}

}  // namespace spindle
