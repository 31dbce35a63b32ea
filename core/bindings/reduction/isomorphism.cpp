#include "reduction/isomorphism.hpp"

#include <nanobind/stl/vector.h>

#include "bindings/module.hpp"
#include "bindings/support/columns.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

void bind_isomorphism(nb::module_& module) {
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
        "Algorithm 2, with unary chains inserted: (parents, leaf_parents, heads, sources).");
}

}  // namespace spindle
