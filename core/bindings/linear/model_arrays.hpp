// Tables of classes and of weights between Python and the core: named arrays, as in a model file.
#pragma once

#include <nanobind/nanobind.h>

#include <stdexcept>
#include <string>

#include "bindings/support/arrays.hpp"
#include "linear/class_table.hpp"
#include "linear/weights.hpp"

namespace spindle {

inline nanobind::dict to_arrays(const ClassTable& table) {
    nanobind::dict arrays;
    arrays["keys"] = to_array(table.keys());
    arrays["starts"] = to_array(table.starts());
    arrays["classes"] = to_array(table.classes());
    return arrays;
}

inline nanobind::dict to_arrays(const std::vector<float>& weights, const ClassTable& table) {
    nanobind::dict arrays = to_arrays(table);
    arrays["weights"] = to_array(quantized(weights));
    arrays["scale"] = to_array(std::vector<float>{quantization_scale(weights)});
    return arrays;
}

// One of the arrays. Throws std::invalid_argument if it is missing or of another type: it is not converted,
// because the converted copy would not outlive this function.
template <class Number>
Numbers<Number> array_named(const nanobind::dict& arrays, const char* name) {
    Numbers<Number> array;
    if (!arrays.contains(name) || !nanobind::try_cast(arrays[name], array, false))
        throw std::invalid_argument("the model has no usable array \"" + std::string(name) + "\"");
    return array;
}

inline ClassTable to_class_table(const nanobind::dict& arrays, int count) {
    return ClassTable(to_vector(array_named<FeatureHash>(arrays, "keys")),
                      to_vector(array_named<std::int32_t>(arrays, "starts")),
                      to_vector(array_named<Class>(arrays, "classes")), count);
}

// The weights are used in place: the arrays must outlive the result.
inline QuantizedWeights to_weights(const nanobind::dict& arrays) {
    const Numbers<std::int16_t> weights = array_named<std::int16_t>(arrays, "weights");
    const Numbers<float> scale = array_named<float>(arrays, "scale");
    if (scale.size() != 1) throw std::invalid_argument("the model has no usable array \"scale\"");
    return QuantizedWeights(weights.data(), weights.size(), scale.data()[0]);
}

}  // namespace spindle
