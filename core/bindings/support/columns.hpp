// Columns cross the border as tuples: what Python holds must not change.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

namespace spindle {

inline nanobind::tuple to_tuple(const std::vector<int>& column) {
    PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(column.size()));
    if (!tuple) throw nanobind::python_error();
    for (std::size_t row = 0; row < column.size(); ++row)
        PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(row), PyLong_FromLong(column[row]));
    return nanobind::steal<nanobind::tuple>(tuple);
}

}  // namespace spindle
