#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/module.hpp"
#include "bindings/support/columns.hpp"
#include "reduction/isomorphism.hpp"
#include "reduction/repairs.hpp"
#include "trees/tree.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;
using Column = std::vector<int>;

namespace {

// A number for every name, the same for the same names. They are few, and most often the very same objects.
std::vector<int> numbered(const std::vector<nb::object>& names) {
    std::vector<int> numbers;
    std::vector<nb::handle> different;
    for (const nb::object& name : names) {
        auto found =
            std::find_if(different.begin(), different.end(), [&](nb::handle one) { return one.is(name); });
        if (found == different.end())
            found = std::find_if(different.begin(), different.end(),
                                 [&](nb::handle one) { return one.equal(name); });
        numbers.push_back(static_cast<int>(found - different.begin()));
        if (found == different.end()) different.push_back(name);
    }
    return numbers;
}

}  // namespace

void bind_reduction(nb::module_& module) {
    module.def(
        "encode_tree",
        [](const Column& parents, const Column& leaf_parents, const Column& heads) {
            const EncodedTree tree = encode_tree(parents, leaf_parents, heads);
            return nb::make_tuple(to_tuple(tree.heads), to_tuple(tree.nodes), to_tuple(tree.events),
                                  to_tuple(tree.levels), to_tuple(tree.unaries));
        },
        "parents"_a, "leaf_parents"_a, "heads"_a, "Algorithm 1: (heads, nodes, events, levels, unaries).");
    module.def(
        "decode_tree",
        [](const Column& heads, const Column& events, Column tokens, Column chain_events, Column lengths) {
            const DecodedTree tree =
                decode_tree(heads, events, {std::move(tokens), std::move(chain_events), std::move(lengths)});
            return nb::make_tuple(to_tuple(tree.parents), to_tuple(tree.leaf_parents), to_tuple(tree.heads),
                                  to_tuple(tree.sources));
        },
        "heads"_a, "events"_a, "chain_tokens"_a, "chain_events"_a, "chain_lengths"_a,
        "Algorithm 2, unary chains put back: (parents, leaf_parents, heads, sources).");
    module.def(
        "mend_events",
        [](const Column& heads, const nb::sequence& symbols, const Column& indices, bool continuous,
           bool lower_nearer) -> nb::object {
            std::vector<nb::object> names;
            for (const nb::handle symbol : symbols) names.push_back(nb::borrow(symbol));
            const std::optional<MendedEvents> found =
                mend_events(heads, numbered(names), indices, continuous, lower_nearer);
            if (!found) return nb::none();
            const auto& [events, sources, lifted, nested, renamed, renumbered, is] = *found;
            const nb::object nothing = nb::str("");
            nb::object named = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(names.size())));
            if (!named.is_valid()) throw nb::python_error();
            for (std::size_t token = 0; token < names.size(); ++token) {
                const nb::object& name = heads[token] == kRoot ? nothing : names[sources[token]];
                PyTuple_SET_ITEM(named.ptr(), static_cast<Py_ssize_t>(token), name.inc_ref().ptr());
            }
            return nb::make_tuple(to_tuple(events), named,
                                  nb::make_tuple(lifted, nested, renamed, renumbered),
                                  nb::make_tuple(is.projective, is.nested, is.ordered, is.strict));
        },
        "heads"_a, "symbols"_a, "indices"_a, "continuous"_a, "lower_nearer"_a,
        "(events, symbols, tokens touched by each step, properties); None if heads must be mended.");
    module.def("check_dtree", &check_dtree, "heads"_a, "events"_a,
               "Raise ValueError unless there is one root and no cycle.");
    module.def(
        "dtree_properties",
        [](const Column& heads, const Column& symbols, const Column& events) {
            const DTreeProperties is = dtree_properties(heads, symbols, events);
            return nb::make_tuple(is.projective, is.nested, is.ordered, is.strict);
        },
        "heads"_a, "symbols"_a, "events"_a, "(projective, nested, ordered, strict)");
}

}  // namespace spindle
