#include "reduction/repairs.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/module.hpp"
#include "bindings/support/columns.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// A number for every name, equal for equal names. Names are few, and equal ones mostly the same object.
Column numbered(const std::vector<nb::object>& names) {
    Column numbers;
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

nb::object repair(const Column& heads, const nb::sequence& symbols, const Column& indices, bool continuous,
                  bool lower_nearer) {
    std::vector<nb::object> names;
    for (const nb::handle symbol : symbols) names.push_back(nb::borrow(symbol));
    const std::optional<RepairedEvents> found =
        repair_events(heads, numbered(names), indices, {continuous, lower_nearer});
    if (!found) return nb::none();
    const auto& [events, sources, lifted, nested, renamed, renumbered, is] = *found;
    const nb::object nothing = nb::str("");
    const nb::tuple repaired = make_tuple_of(names.size(), [&, &sources = sources](std::size_t token) {
        return (heads[token] == kRoot ? nothing : names[sources[token]]).inc_ref().ptr();
    });
    return nb::make_tuple(to_tuple(events), repaired, nb::make_tuple(lifted, nested, renamed, renumbered),
                          nb::make_tuple(is.projective, is.nested, is.ordered, is.strict));
}

}  // namespace

void bind_repairs(nb::module_& module) {
    module.def("repair_events", &repair, "heads"_a, "symbols"_a, "indices"_a, "continuous"_a,
               "lower_nearer"_a,
               "(events, symbols, tokens changed by each step, properties); None if heads must be repaired "
               "first.");
}

}  // namespace spindle
