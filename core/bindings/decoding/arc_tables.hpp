// Numbers of arcs as Python sees them: a row for every head, the first being what is above the root.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "decoding/decoders.hpp"

namespace spindle {

inline nanobind::ndarray<nanobind::numpy, float, nanobind::ndim<2>> to_table(
    const ArcTable<double>& numbers) {
    const std::size_t size = numbers.size();
    auto* table = new float[(size + 1) * size + 1];
    nanobind::capsule owner(table, [](void* pointer) noexcept { delete[] static_cast<float*>(pointer); });
    for (int head = -1; head < numbers.size(); ++head)
        for (int word = 0; word < numbers.size(); ++word)
            table[(head + 1) * size + word] = static_cast<float>(numbers(head, word));
    return {table, {size + 1, size}, owner};
}

}  // namespace spindle
