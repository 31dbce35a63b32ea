// Checks of what comes in from outside. All throw std::invalid_argument, which Python sees as a ValueError.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace spindle {

// For example: "length mismatch: 5 heads, 4 labels".
inline void check_same_length(std::size_t count, const char* name, std::size_t other_count,
                              const char* other_name) {
    if (count != other_count)
        throw std::invalid_argument("length mismatch: " + std::to_string(count) + " " + name + ", " +
                                    std::to_string(other_count) + " " + other_name);
}

}  // namespace spindle
