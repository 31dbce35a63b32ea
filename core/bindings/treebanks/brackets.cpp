#include "treebanks/brackets.hpp"

#include "bindings/module.hpp"
#include "bindings/support/columns.hpp"
#include "bindings/support/text.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

constexpr Py_ssize_t kTokenFields = 5;  // form, tag, lemma, morph, and one that brackets do not have

PyObject* to_str(const std::string& text) {
    return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr);
}

// Labels and tags are few and repeat often: interned, each is kept in memory once.
PyObject* to_interned(const std::string& text) {
    PyObject* str = to_str(text);
    if (str) PyUnicode_InternInPlace(&str);
    return str;
}

nb::tuple to_labels(const Strings& labels) {
    return make_tuple_of(labels.size(), [&](std::size_t at) { return to_interned(labels[at]); });
}

void set_field(PyObject* token, Py_ssize_t field, PyObject* value) {
    if (!value) throw nb::python_error();
    PyTuple_SET_ITEM(token, field, value);
}

// Tokens are named tuples, and most of the memory of a treebank. They are allocated here, because calling the
// class takes longer, and they are hidden from the garbage collector, which would traverse each of them again
// and again: strings form no cycles.
nb::tuple to_tokens(const ParsedTree& parsed, PyTypeObject* type) {
    const nb::str nothing("");
    const bool has_features = !parsed.morphs.empty();
    nb::tuple tokens = make_tuple_of(parsed.columns.forms.size(), [&](std::size_t at) {
        nb::object token = nb::steal(type->tp_alloc(type, kTokenFields));
        if (!token.is_valid()) throw nb::python_error();
        PyObject_GC_UnTrack(token.ptr());
        set_field(token.ptr(), 0, to_str(parsed.columns.forms[at]));
        set_field(token.ptr(), 1, to_interned(parsed.columns.tags[at]));
        set_field(token.ptr(), 2, has_features ? to_str(parsed.lemmas[at]) : nothing.inc_ref().ptr());
        set_field(token.ptr(), 3, has_features ? to_str(parsed.morphs[at]) : nothing.inc_ref().ptr());
        set_field(token.ptr(), 4, nothing.inc_ref().ptr());
        return token.release().ptr();
    });
    PyObject_GC_UnTrack(tokens.ptr());
    return tokens;
}

// The class of tokens: a named tuple, or else its memory would be written as what it is not.
PyTypeObject* token_type(nb::type_object token) {
    auto* type = reinterpret_cast<PyTypeObject*>(token.ptr());
    if (!PyType_IsSubtype(type, &PyTuple_Type)) throw nb::type_error("tokens must be named tuples");
    return type;
}

nb::list to_list(const std::vector<ParsedTree>& parsed, PyTypeObject* token) {
    nb::list list;
    for (const ParsedTree& one : parsed) {
        if (!one.fault.empty()) {
            list.append(nb::make_tuple(one.line, nb::none(), nb::str(one.fault.data(), one.fault.size()),
                                       one.fault_line));
        } else {
            nb::tuple columns =
                nb::make_tuple(to_tokens(one, token), to_labels(one.columns.labels),
                               to_tuple(one.columns.parents), to_tuple(one.columns.leaf_parents));
            list.append(nb::make_tuple(one.line, columns, nb::str(""), 0));
        }
    }
    return list;
}

}  // namespace

void bind_brackets(nb::module_& module) {
    module.def(
        "parse_brackets",
        [](nb::str text, bool is_nested, nb::type_object token) {
            const std::string_view characters = utf8(text);
            PyTypeObject* type = token_type(token);
            ParsedTrees parsed;
            {
                nb::gil_scoped_release release;
                parsed = parse_brackets(characters, is_nested);
            }
            return nb::make_tuple(to_list(parsed.trees, type), parsed.is_nested);
        },
        "text"_a, "is_nested"_a, "token"_a,
        "All trees of a bracketed text, and whether leaves are (TAG (word)).");
    module.def(
        "parse_discbrackets",
        [](nb::str text, nb::type_object token) {
            const std::string_view characters = utf8(text);
            PyTypeObject* type = token_type(token);
            std::vector<ParsedTree> parsed;
            {
                nb::gil_scoped_release release;
                parsed = parse_discbrackets(characters);
            }
            return to_list(parsed, type);
        },
        "text"_a, "token"_a, "All trees of a text of discontinuous brackets.");
}

}  // namespace spindle
