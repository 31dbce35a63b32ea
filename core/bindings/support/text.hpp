// Strings of Python, read in place.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

namespace spindle {

// The UTF-8 of a string, which must outlive the result.
inline std::string_view utf8(nanobind::str text) {
    Py_ssize_t size;
    const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (!data) throw nanobind::python_error();
    return {data, static_cast<std::size_t>(size)};
}

}  // namespace spindle
