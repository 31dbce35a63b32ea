#include "treebanks/bracket_balance.hpp"

#include "bindings/module.hpp"
#include "bindings/support/text.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

void bind_outline(nb::module_& module) {
    module.def(
        "outline",
        [](nb::str text) {
            const Outline found = outline(utf8(text));
            return nb::make_tuple(found.opened, found.outermost);
        },
        "text"_a, "How many more brackets a line opens than it closes, and how many are in no other.");
}

}  // namespace spindle
