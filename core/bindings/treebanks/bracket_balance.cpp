#include "treebanks/bracket_balance.hpp"

#include "bindings/module.hpp"
#include "bindings/support/text.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

void bind_bracket_balance(nb::module_& module) {
    module.def(
        "bracket_balance",
        [](nb::str text) {
            const BracketBalance balance = bracket_balance(utf8(text));
            return nb::make_tuple(balance.opened, balance.outermost);
        },
        "text"_a, "Opening minus closing brackets, and the number of brackets that are inside no other.");
}

}  // namespace spindle
