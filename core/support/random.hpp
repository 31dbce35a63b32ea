// Random numbers that are the same on every machine, so that a seed gives the same model everywhere.
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace spindle {

// SplitMix64 (Steele, Lea & Flood 2014).
class SplitMix64 {
  public:
    explicit SplitMix64(std::uint64_t state) : state_(state) {}

    std::uint64_t next() {
        std::uint64_t value = (state_ += 0x9E3779B97F4A7C15ull);
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
        return value ^ (value >> 31);
    }
    // Uniform between 0 and 1, both excluded.
    double fraction() { return (static_cast<double>(next() >> 11) + 0.5) / 9007199254740992.0; }
    // Standard Gumbel noise: the argmax of scores with such noise is a sample from their softmax.
    float gumbel() { return static_cast<float>(-std::log(-std::log(fraction()))); }

  private:
    std::uint64_t state_;
};

// A generator for a seed; the seeds may be consecutive numbers.
inline SplitMix64 seeded_generator(std::uint64_t seed) {
    return SplitMix64(seed * 0x9E3779B97F4A7C15ull + 0xD1B54A32D192ED03ull);
}

// The numbers from 0 to count - 1 in random order (Fisher-Yates).
inline std::vector<std::uint32_t> shuffled(std::size_t count, SplitMix64 random) {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t left = count; left > 1; --left) std::swap(order[left - 1], order[random.next() % left]);
    return order;
}

// The order in which an epoch visits the examples.
inline std::vector<std::uint32_t> shuffled_epoch(std::size_t count, std::uint64_t seed, int epoch) {
    return shuffled(count,
                    SplitMix64((seed + 1) * 0xD6E8FEB86659FD93ull + static_cast<std::uint64_t>(epoch)));
}

}  // namespace spindle
