#include "bracket.hpp"

#include <nanobind/stl/string.h>

#include "columns.hpp"
#include "module.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

std::string_view utf8(nb::str text) {
    Py_ssize_t size;
    const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (!data) throw nb::python_error();
    return {data, static_cast<std::size_t>(size)};
}

// Labels and tags are few and come often: interned, each is kept once however many trees have it.
nb::tuple to_strings(const std::vector<std::string>& strings, bool is_interned) {
    PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(strings.size()));
    if (!tuple) throw nb::python_error();
    nb::tuple result = nb::steal<nb::tuple>(tuple);
    for (std::size_t at = 0; at < strings.size(); ++at) {
        PyObject* string =
            PyUnicode_DecodeUTF8(strings[at].data(), static_cast<Py_ssize_t>(strings[at].size()), nullptr);
        if (!string) throw nb::python_error();
        if (is_interned) PyUnicode_InternInPlace(&string);
        PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(at), string);
    }
    return result;
}

nb::tuple to_parsed(const ParsedBracket& parsed) {
    if (!parsed.fault.empty()) return nb::make_tuple(parsed.line, nb::none(), parsed.fault, parsed.fault_line);
    return nb::make_tuple(
        parsed.line,
        nb::make_tuple(to_strings(parsed.forms, false), to_strings(parsed.tags, true), to_strings(parsed.morphs, true),
                       to_strings(parsed.labels, true), to_tuple(parsed.parents), to_tuple(parsed.leaf_parents)),
        "", 0);
}

nb::list to_list(const std::vector<ParsedBracket>& parsed) {
    nb::list list;
    for (const ParsedBracket& one : parsed) list.append(to_parsed(one));
    return list;
}

}  // namespace

void bind_bracket(nb::module_& module) {
    module.def(
        "parse_brackets",
        [](nb::str text, bool is_nested) {
            const std::string_view characters = utf8(text);
            ParsedBrackets parsed;
            {
                nb::gil_scoped_release release;
                parsed = parse_brackets(characters, is_nested);
            }
            return nb::make_tuple(to_list(parsed.trees), parsed.is_nested);
        },
        "text"_a, "is_nested"_a, "All trees of a bracketed text, and whether leaves are (TAG (word)).");
    module.def(
        "parse_discbrackets",
        [](nb::str text) {
            const std::string_view characters = utf8(text);
            std::vector<ParsedBracket> parsed;
            {
                nb::gil_scoped_release release;
                parsed = parse_discbrackets(characters);
            }
            return to_list(parsed);
        },
        "text"_a, "All trees of a text of discontinuous brackets.");
}

}  // namespace spindle
