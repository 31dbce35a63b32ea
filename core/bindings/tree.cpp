#include "tree.hpp"

#include <nanobind/stl/vector.h>

#include "module.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

void bind_tree(nb::module_& module) {
    module.def(
        "arrange_tree",
        [](const std::vector<int>& parents, const std::vector<int>& leaf_parents) {
            ArrangedTree tree = arrange_tree(parents, leaf_parents);
            return nb::make_tuple(tree.order, tree.parents, tree.leaf_parents);
        },
        "parents"_a, "leaf_parents"_a, "Canonical order of a tree's nodes: (order, parents, leaf_parents).");
    module.def("check_tree", &check_tree, "parents"_a, "leaf_parents"_a,
               "Raise ValueError unless the columns are a tree in canonical order.");
}

}  // namespace spindle
