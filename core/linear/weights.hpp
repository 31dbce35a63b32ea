// Tables of weights, indexed by hashed features. Two kinds with the same way to look a weight up:
// `Learning` while training (floats, averaged over all updates), `Frozen` to parse with (16-bit numbers in
// memory that somebody else holds, such as a mapped file). Scores of a Frozen table are whole numbers; they
// compare as the floats would; times `scale()` they are the floats, but for rounding.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "linear/hashing.hpp"

namespace spindle {

// The same feature for one of many classes, whose weights stand side by side in the table: to look them all
// up is one cache miss, or a few.
inline FeatureHash beside(FeatureHash hash, std::uint64_t number) { return hash + (number << 20); }

class Frozen {
  public:
    Frozen(const std::int16_t* weights, std::size_t size, float scale = 1)
        : weights_(weights), mask_(size - 1), scale_(scale) {
        if (size == 0 || (size & (size - 1)) != 0)
            throw std::invalid_argument("a table's size is a power of two");
    }
    // hashes are mixed towards their high bits
    float operator[](FeatureHash hash) const { return weights_[(hash >> 20) & mask_]; }
    std::size_t size() const { return mask_ + 1; }
    float scale() const { return scale_; }

  private:
    const std::int16_t* weights_;
    std::size_t mask_;
    float scale_;
};

class Learning {
  public:
    explicit Learning(int bits)
        : weights_(size_of(bits)), sums_(weights_.size()), mask_(weights_.size() - 1) {}

    float operator[](FeatureHash hash) const { return weights_[(hash >> 20) & mask_]; }
    std::size_t size() const { return weights_.size(); }
    float scale() const { return 1; }

    void add(FeatureHash hash, float amount) {
        const std::size_t place = (hash >> 20) & mask_;
        weights_[place] += amount;
        sums_[place] += amount * static_cast<float>(step_);
    }

    // One more example has been seen: what is added from now on counts for less in the average.
    void next_step() { ++step_; }
    std::uint32_t step() const { return step_; }

    // The average of the weights over all steps so far.
    std::vector<float> averaged() const {
        std::vector<float> average(weights_.size());
        const float steps = static_cast<float>(std::max<std::uint32_t>(step_, 1));
        for (std::size_t place = 0; place < average.size(); ++place)
            average[place] = weights_[place] - sums_[place] / steps;
        return average;
    }

    // Everything needed to go on training after an interruption.
    const std::vector<float>& weights() const { return weights_; }
    const std::vector<float>& sums() const { return sums_; }
    void restore(std::vector<float> weights, std::vector<float> sums, std::uint32_t step) {
        if (weights.size() != weights_.size() || sums.size() != sums_.size())
            throw std::invalid_argument("the state to restore belongs to a table of another size");
        weights_ = std::move(weights);
        sums_ = std::move(sums);
        step_ = step;
    }

  private:
    static std::size_t size_of(int bits) {
        if (bits < 1 || bits > 30) throw std::invalid_argument("a table has 2^1 to 2^30 weights");
        return std::size_t{1} << bits;
    }

    std::vector<float> weights_, sums_;
    std::size_t mask_;
    std::uint32_t step_ = 1;
};

// Weights that have a step size of their own each, the smaller the more they have moved (AdaGrad): what is
// rare learns from its few sightings, what is frequent settles.
class Adaptive : public Learning {
  public:
    explicit Adaptive(int bits) : Learning(bits), squares_(size()) {}

    void step_along(FeatureHash hash, float gradient, float rate) {
        float& squares = squares_[(hash >> 20) & (squares_.size() - 1)];
        squares += gradient * gradient;
        add(hash, rate * gradient / std::sqrt(1.0f + squares));
    }

    const std::vector<float>& squares() const { return squares_; }
    void restore(std::vector<float> weights, std::vector<float> sums, std::vector<float> squares,
                 std::uint32_t step) {
        if (squares.size() != squares_.size())
            throw std::invalid_argument("the state to restore belongs to a table of another size");
        Learning::restore(std::move(weights), std::move(sums), step);
        squares_ = std::move(squares);
    }

  private:
    std::vector<float> squares_;  // the sum of the squared gradients of each weight
};

// What one of the whole numbers that weights are quantized to stands for.
inline float quantum(const std::vector<float>& weights) {
    float largest = 0;
    for (const float weight : weights) largest = std::max(largest, std::abs(weight));
    return largest / 32767.0f;
}

// Averaged weights as 16-bit numbers of one scale.
inline std::vector<std::int16_t> quantized(const std::vector<float>& weights) {
    const float unit = quantum(weights);
    std::vector<std::int16_t> numbers(weights.size());
    if (unit > 0)
        for (std::size_t place = 0; place < weights.size(); ++place)
            numbers[place] = static_cast<std::int16_t>(std::lround(weights[place] / unit));
    return numbers;
}

}  // namespace spindle
