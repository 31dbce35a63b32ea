// Columns of trees between Python and the core. Python gets tuples, because trees must not change.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace spindle {

using Column = std::vector<int>;
using Strings = std::vector<std::string>;

// A tuple of item(0), item(1), ..., which are new references.
template <class Item>
nanobind::tuple make_tuple_of(std::size_t size, Item&& item) {
    nanobind::tuple tuple = nanobind::steal<nanobind::tuple>(PyTuple_New(static_cast<Py_ssize_t>(size)));
    if (!tuple.is_valid()) throw nanobind::python_error();
    for (std::size_t row = 0; row < size; ++row) {
        PyObject* one = item(row);
        if (!one) throw nanobind::python_error();
        PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(row), one);
    }
    return tuple;
}

inline nanobind::tuple to_tuple(const Column& column) {
    return make_tuple_of(column.size(), [&](std::size_t row) { return PyLong_FromLong(column[row]); });
}

}  // namespace spindle
