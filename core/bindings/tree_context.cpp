#include "tree_context.hpp"

#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "module.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Columns = std::vector<std::vector<int>>;

nb::tuple arc_context(const Columns& heads, const std::vector<std::int64_t>& starts, std::int64_t nobody) {
    if (heads.size() != starts.size()) throw std::invalid_argument("every sentence must start somewhere");
    for (std::int64_t start : starts)
        if (start < 0) throw std::invalid_argument("no sentence starts before the first row");
    ArcContext found;
    for (std::size_t at = 0; at < heads.size(); ++at)
        add_arc_context(heads[at], starts[at], nobody, found);
    return nb::make_tuple(to_array(std::move(found.roles)), to_array(std::move(found.counts)),
                          to_array(std::move(found.places)));
}

nb::tuple node_context(const Columns& heads, const Columns& symbols, const Columns& events,
                       const std::vector<std::int64_t>& starts, std::int64_t nobody) {
    if (heads.size() != starts.size() || symbols.size() != starts.size() || events.size() != starts.size())
        throw std::invalid_argument("every sentence must start somewhere");
    NodeContext found;
    std::vector<std::int64_t> counts;
    for (std::size_t at = 0; at < heads.size(); ++at) {
        const std::size_t before = found.words.size();
        add_node_context(heads[at], symbols[at], events[at], starts[at], nobody, found);
        counts.push_back(static_cast<std::int64_t>(found.words.size() - before));
    }
    return nb::make_tuple(to_array(std::move(counts)), to_array(std::move(found.words)),
                          to_array(std::move(found.events)), to_array(std::move(found.roles)),
                          to_array(std::move(found.marks)));
}

}  // namespace

void bind_tree_context(nb::module_& module) {
    module.def("arc_context", &arc_context, "heads"_a, "starts"_a, "nobody"_a,
               "Descriptions of arcs (rows of the words around them, and counts), and which one each has.");
    module.def("node_context", &node_context, "heads"_a, "symbols"_a, "events"_a, "starts"_a, "nobody"_a,
               "How many nodes each tree has; of every node: its word and event, rows of words, marks.");
}

}  // namespace spindle
