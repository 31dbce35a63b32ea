// Tables of weights, indexed by hashed features, that look up a weight in the same way: `AveragedWeights` and
// `AdaGradWeights` to train (floats, averaged over all updates), `QuantizedWeights` to parse with (16-bit
// integers in memory that the caller owns, such as a mapped file). Scores of quantized weights are integers:
// they compare like the floats, and times `scale()` they equal the floats except for rounding.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "linear/hashing.hpp"

namespace spindle {

class QuantizedWeights {
  public:
    QuantizedWeights(const std::int16_t* weights, std::size_t size, float scale = 1)
        : weights_(weights), mask_(size - 1), scale_(scale) {
        if (size == 0 || (size & (size - 1)) != 0)
            throw std::invalid_argument("the size of a table of weights must be a power of two, not " +
                                        std::to_string(size));
        if (!(scale >= 0 && scale <= kMostScale))  // NaN is neither
            throw std::invalid_argument("the scale of a table of weights must be between 0 and 1e6, not " +
                                        std::to_string(scale));
    }
    float operator[](FeatureHash hash) const { return weights_[(hash >> kIndexShift) & mask_]; }
    float scale() const { return scale_; }

  private:
    // Far above any scale of a training that converged, and small enough for scores to be added up exactly.
    static constexpr float kMostScale = 1e6f;

    const std::int16_t* weights_;
    std::size_t mask_;
    float scale_;
};

// Weights that are averaged over all steps (Collins 2002).
class AveragedWeights {
  public:
    explicit AveragedWeights(int bits)
        : weights_(size_of(bits)), sums_(weights_.size()), mask_(weights_.size() - 1) {}

    float operator[](FeatureHash hash) const { return weights_[(hash >> kIndexShift) & mask_]; }
    std::size_t size() const { return weights_.size(); }
    float scale() const { return 1; }

    void add(FeatureHash hash, float amount) {
        const std::size_t place = (hash >> kIndexShift) & mask_;
        weights_[place] += amount;
        sums_[place] += amount * static_cast<float>(step_);
    }

    // Ends the step of one example: later additions count for less in the average.
    void next_step() { ++step_; }
    std::uint32_t step() const { return step_; }

    std::vector<float> averaged() const {
        std::vector<float> average(weights_.size());
        const float steps = static_cast<float>(std::max<std::uint32_t>(step_, 1));
        for (std::size_t place = 0; place < average.size(); ++place)
            average[place] = weights_[place] - sums_[place] / steps;
        return average;
    }

    // The state of an interrupted training.
    const std::vector<float>& weights() const { return weights_; }
    const std::vector<float>& sums() const { return sums_; }
    void restore(std::vector<float> weights, std::vector<float> sums, std::uint32_t step) {
        check_size(weights);
        check_size(sums);
        weights_ = std::move(weights);
        sums_ = std::move(sums);
        step_ = step;
    }

  protected:
    void check_size(const std::vector<float>& column) const {
        if (column.size() != weights_.size())
            throw std::invalid_argument("the state to restore has " + std::to_string(column.size()) +
                                        " weights, the table " + std::to_string(weights_.size()));
    }

  private:
    static std::size_t size_of(int bits) {
        if (bits < 1 || bits > 30)
            throw std::invalid_argument("a table has 2^1 to 2^30 weights, not 2^" + std::to_string(bits));
        return std::size_t{1} << bits;
    }

    std::vector<float> weights_, sums_;
    std::size_t mask_;
    std::uint32_t step_ = 1;
};

// Averaged weights with a step size each that shrinks the more the weight has moved (AdaGrad): rare features
// learn from their few occurrences, frequent ones settle.
class AdaGradWeights : public AveragedWeights {
  public:
    explicit AdaGradWeights(int bits) : AveragedWeights(bits), squares_(size()) {}

    void step_along(FeatureHash hash, float gradient, float rate) {
        float& squares = squares_[(hash >> kIndexShift) & (squares_.size() - 1)];
        squares += gradient * gradient;
        add(hash, rate * gradient / std::sqrt(1.0f + squares));
    }

    const std::vector<float>& squares() const { return squares_; }
    void restore(std::vector<float> weights, std::vector<float> sums, std::vector<float> squares,
                 std::uint32_t step) {
        check_size(squares);
        AveragedWeights::restore(std::move(weights), std::move(sums), step);
        squares_ = std::move(squares);
    }

  private:
    std::vector<float> squares_;  // the sum of the squared gradients of each weight
};

// The scale of weights that are quantized to 16 bits.
inline float quantization_scale(const std::vector<float>& weights) {
    float largest = 0;
    for (const float weight : weights) largest = std::max(largest, std::abs(weight));
    return largest / 32767.0f;
}

inline std::vector<std::int16_t> quantized(const std::vector<float>& weights) {
    const float scale = quantization_scale(weights);
    std::vector<std::int16_t> integers(weights.size());
    if (scale > 0)
        for (std::size_t place = 0; place < weights.size(); ++place)
            integers[place] = static_cast<std::int16_t>(std::lround(weights[place] / scale));
    return integers;
}

}  // namespace spindle
