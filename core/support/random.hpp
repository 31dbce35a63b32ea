// The order in which an epoch goes over the examples: for a seed the same on every machine.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace spindle {

inline std::vector<std::uint32_t> shuffled(std::size_t count, std::uint64_t seed, int epoch) {
    std::uint64_t state = (seed + 1) * 0xD6E8FEB86659FD93ull + static_cast<std::uint64_t>(epoch);
    const auto random = [&state] {  // splitmix64
        std::uint64_t value = (state += 0x9E3779B97F4A7C15ull);
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
        return value ^ (value >> 31);
    };
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t left = count; left > 1; --left) std::swap(order[left - 1], order[random() % left]);
    return order;
}

}  // namespace spindle
