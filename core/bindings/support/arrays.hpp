// Numbers cross the border as arrays: looked at where they are on the way in, handed over on the way out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

namespace spindle {

// An array of Python's, which may be read-only and mapped from a file.
template <class Number>
using Numbers = nanobind::ndarray<const Number, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

template <class Number>
std::vector<Number> to_vector(const Numbers<Number>& array) {
    return {array.data(), array.data() + array.size()};
}

template <class Number>
nanobind::ndarray<nanobind::numpy, Number, nanobind::ndim<1>> to_array(std::vector<Number> numbers) {
    auto* owned = new std::vector<Number>(std::move(numbers));
    nanobind::capsule owner(
        owned, [](void* pointer) noexcept { delete static_cast<std::vector<Number>*>(pointer); });
    return nanobind::ndarray<nanobind::numpy, Number, nanobind::ndim<1>>(owned->data(), {owned->size()},
                                                                         owner);
}

}  // namespace spindle
