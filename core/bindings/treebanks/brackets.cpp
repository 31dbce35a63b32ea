#include "treebanks/brackets.hpp"

#include <nanobind/stl/string.h>

#include "bindings/module.hpp"
#include "bindings/support/columns.hpp"
#include "bindings/support/text.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

PyObject* to_str(const std::string& text) {
    PyObject* str = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr);
    if (!str) throw nb::python_error();
    return str;
}

// Labels and tags are few and come often: interned, each is kept once however many trees have it.
PyObject* to_interned(const std::string& text) {
    PyObject* str = to_str(text);
    PyUnicode_InternInPlace(&str);
    return str;
}

nb::tuple to_labels(const std::vector<std::string>& labels) {
    PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(labels.size()));
    if (!tuple) throw nb::python_error();
    nb::tuple result = nb::steal<nb::tuple>(tuple);
    for (std::size_t at = 0; at < labels.size(); ++at)
        PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(at), to_interned(labels[at]));
    return result;
}

// Tokens (tuples with named fields) are most of what a treebank in memory is made of: made here, not by
// calling the class, reading is a fifth faster. They are kept from the garbage collector, which would look at
// every one of them again and again: strings form no cycles.
nb::tuple to_tokens(const ParsedBracket& parsed, PyTypeObject* type) {
    PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(parsed.forms.size()));
    if (!tuple) throw nb::python_error();
    nb::tuple result = nb::steal<nb::tuple>(tuple);
    const nb::str nothing("");
    const bool has_features = !parsed.morphs.empty();
    for (std::size_t at = 0; at < parsed.forms.size(); ++at) {
        PyObject* token = type->tp_alloc(type, 5);
        if (!token) throw nb::python_error();
        PyObject_GC_UnTrack(token);
        PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(at), token);
        PyTuple_SET_ITEM(token, 0, to_str(parsed.forms[at]));
        PyTuple_SET_ITEM(token, 1, to_interned(parsed.tags[at]));
        PyTuple_SET_ITEM(token, 2, has_features ? to_str(parsed.lemmas[at]) : nothing.inc_ref().ptr());
        PyTuple_SET_ITEM(token, 3, has_features ? to_str(parsed.morphs[at]) : nothing.inc_ref().ptr());
        PyTuple_SET_ITEM(token, 4, nothing.inc_ref().ptr());
    }
    PyObject_GC_UnTrack(tuple);
    return result;
}

nb::list to_list(const std::vector<ParsedBracket>& parsed, nb::type_object token) {
    nb::list list;
    for (const ParsedBracket& one : parsed) {
        if (!one.fault.empty()) {
            list.append(nb::make_tuple(one.line, nb::none(), one.fault, one.fault_line));
        } else {
            nb::tuple columns =
                nb::make_tuple(to_tokens(one, reinterpret_cast<PyTypeObject*>(token.ptr())),
                               to_labels(one.labels), to_tuple(one.parents), to_tuple(one.leaf_parents));
            list.append(nb::make_tuple(one.line, columns, nb::str(""), 0));
        }
    }
    return list;
}

}  // namespace

void bind_bracket(nb::module_& module) {
    module.def(
        "parse_brackets",
        [](nb::str text, bool is_nested, nb::type_object token) {
            const std::string_view characters = utf8(text);
            ParsedBrackets parsed;
            {
                nb::gil_scoped_release release;
                parsed = parse_brackets(characters, is_nested);
            }
            return nb::make_tuple(to_list(parsed.trees, token), parsed.is_nested);
        },
        "text"_a, "is_nested"_a, "token"_a,
        "All trees of a bracketed text, and whether leaves are (TAG (word)).");
    module.def(
        "parse_discbrackets",
        [](nb::str text, nb::type_object token) {
            const std::string_view characters = utf8(text);
            std::vector<ParsedBracket> parsed;
            {
                nb::gil_scoped_release release;
                parsed = parse_discbrackets(characters);
            }
            return to_list(parsed, token);
        },
        "text"_a, "token"_a, "All trees of a text of discontinuous brackets.");
}

}  // namespace spindle
