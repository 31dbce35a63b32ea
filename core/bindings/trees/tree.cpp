#include "trees/tree.hpp"

#include <nanobind/stl/vector.h>

#include "bindings/module.hpp"
#include "bindings/support/columns.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

void bind_tree(nb::module_& module) {
    module.def(
        "arrange_tree",
        [](const std::vector<int>& parents, const std::vector<int>& leaf_parents) {
            ArrangedTree tree = arrange_tree(parents, leaf_parents);
            return nb::make_tuple(to_tuple(tree.order), to_tuple(tree.parents), to_tuple(tree.leaf_parents));
        },
        "parents"_a, "leaf_parents"_a, "Canonical order of a tree's nodes: (order, parents, leaf_parents).");
    module.def(
        "tree_children",
        [](const std::vector<int>& parents, const std::vector<int>& leaf_parents) {
            nb::list children;
            for (const std::vector<int>& siblings : tree_children(parents, leaf_parents))
                children.append(to_tuple(siblings));
            return nb::tuple(children);
        },
        "parents"_a, "leaf_parents"_a,
        "The children of every node; token i is vertex i, node j is vertex words + j.");
    module.def("check_tree", &check_tree, "parents"_a, "leaf_parents"_a,
               "Raise ValueError unless the columns are a tree in canonical order.");
    module.def("check_heads", &check_heads, "parents"_a, "leaf_parents"_a, "heads"_a,
               "Raise ValueError unless every node's head heads one of its children.");
}

}  // namespace spindle
