// Tables of classes and of weights cross the border as named arrays, which is how a model file keeps them.
#pragma once

#include <nanobind/nanobind.h>

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
    arrays["scale"] = to_array(std::vector<float>{quantum(weights)});
    return arrays;
}

// One of the arrays; what is missing or of another type is an error that names it. Nothing is converted: a
// converted copy would not live as long as what looks into it.
template <class Number>
Numbers<Number> array_named(const nanobind::dict& arrays, const char* name) {
    Numbers<Number> array;
    if (!arrays.contains(name) || !nanobind::try_cast(arrays[name], array, false))
        throw std::invalid_argument("the model has no usable array \"" + std::string(name) + "\"");
    return array;
}

inline ClassTable to_table(const nanobind::dict& arrays, int count) {
    return ClassTable(to_vector(array_named<FeatureHash>(arrays, "keys")),
                      to_vector(array_named<std::int32_t>(arrays, "starts")),
                      to_vector(array_named<Class>(arrays, "classes")), count);
}

// The weights stay where they are: the arrays must outlive what looks them up.
inline Frozen to_weights(const nanobind::dict& arrays) {
    const Numbers<std::int16_t> weights = array_named<std::int16_t>(arrays, "weights");
    const Numbers<float> scale = array_named<float>(arrays, "scale");
    if (scale.size() != 1) throw std::invalid_argument("the model has no usable array \"scale\"");
    return Frozen(weights.data(), weights.size(), scale.data()[0]);
}

}  // namespace spindle
