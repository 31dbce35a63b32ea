// Arrays between Python and the core: read in place on the way in, handed over without a copy on the way out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

namespace spindle {

// A one-dimensional array of Python's, which may be read-only and mapped from a file.
template <class Number>
using Numbers = nanobind::ndarray<const Number, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

template <class Number>
std::vector<Number> to_vector(const Numbers<Number>& array) {
    return {array.data(), array.data() + array.size()};
}

template <class Number, std::size_t kDimensions>
using OwnedArray = nanobind::ndarray<nanobind::numpy, Number, nanobind::ndim<kDimensions>>;

// A NumPy array of this shape that owns the numbers.
template <class Number, std::size_t kDimensions>
OwnedArray<Number, kDimensions> to_array(std::vector<Number> numbers,
                                         const std::size_t (&shape)[kDimensions]) {
    auto* owned = new std::vector<Number>(std::move(numbers));
    const nanobind::capsule owner(
        owned, [](void* pointer) noexcept { delete static_cast<std::vector<Number>*>(pointer); });
    return OwnedArray<Number, kDimensions>(owned->data(), kDimensions, shape, owner);
}

template <class Number>
OwnedArray<Number, 1> to_array(std::vector<Number> numbers) {
    const std::size_t size = numbers.size();
    return to_array(std::move(numbers), {size});
}

}  // namespace spindle
