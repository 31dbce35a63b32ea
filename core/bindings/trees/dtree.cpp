#include "trees/dtree.hpp"

#include <nanobind/stl/vector.h>

#include "bindings/module.hpp"
#include "bindings/support/columns.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

void bind_dtree(nb::module_& module) {
    module.def("check_dtree", &check_dtree, "heads"_a, "events"_a,
               "Raise ValueError unless there is one root and no cycle, and events start at 1.");
    module.def(
        "dtree_properties",
        [](const Column& heads, const Column& symbols, const Column& events) {
            const DTreeProperties is = dtree_properties(heads, symbols, events);
            return nb::make_tuple(is.projective, is.nested, is.ordered, is.strict);
        },
        "heads"_a, "symbols"_a, "events"_a, "(projective, nested, ordered, strict)");
}

}  // namespace spindle
