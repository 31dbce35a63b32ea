#include "neural/tree_context.hpp"

#include <nanobind/stl/vector.h>

#include "bindings/module.hpp"
#include "bindings/support/arrays.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// Where the words of trees of these sizes, one after the other, begin; the last number is how many there are.
std::vector<std::size_t> beginnings(const std::vector<int>& sizes, const std::vector<std::int64_t>& starts) {
    if (sizes.size() != starts.size()) throw std::invalid_argument("every sentence must start somewhere");
    for (const std::int64_t start : starts)
        if (start < 0) throw std::invalid_argument("no sentence starts before the first row");
    std::vector<std::size_t> found{0};
    for (const int size : sizes) {
        if (size < 0) throw std::invalid_argument("no tree has less than no words");
        found.push_back(found.back() + size);
    }
    return found;
}

void check_size(const Numbers<int>& column, std::size_t words) {
    if (column.size() != words) throw std::invalid_argument("a column must have a number for every word");
}

nb::tuple arc_context(const Numbers<int>& heads, const std::vector<int>& sizes,
                      const std::vector<std::int64_t>& starts, std::int64_t nobody) {
    const std::vector<std::size_t> begins = beginnings(sizes, starts);
    check_size(heads, begins.back());
    ArcContext found;
    {
        const nb::gil_scoped_release released;
        for (std::size_t at = 0; at < sizes.size(); ++at)
            add_arc_context({heads.data() + begins[at], static_cast<std::size_t>(sizes[at])}, starts[at],
                            nobody, found);
    }
    return nb::make_tuple(to_array(std::move(found.roles)), to_array(std::move(found.counts)),
                          to_array(std::move(found.places)));
}

nb::tuple node_context(const Numbers<int>& heads, const Numbers<int>& symbols, const Numbers<int>& events,
                       const std::vector<int>& sizes, const std::vector<std::int64_t>& starts,
                       std::int64_t nobody) {
    const std::vector<std::size_t> begins = beginnings(sizes, starts);
    for (const Numbers<int>& column : {heads, symbols, events}) check_size(column, begins.back());
    NodeContext found;
    std::vector<std::int64_t> counts;
    {
        const nb::gil_scoped_release released;
        for (std::size_t at = 0; at < sizes.size(); ++at) {
            const std::size_t before = found.words.size();
            const auto of_tree = [&](const Numbers<int>& column) {
                return WordNumbers(column.data() + begins[at], static_cast<std::size_t>(sizes[at]));
            };
            add_node_context(of_tree(heads), of_tree(symbols), of_tree(events), starts[at], nobody, found);
            counts.push_back(static_cast<std::int64_t>(found.words.size() - before));
        }
    }
    return nb::make_tuple(to_array(std::move(counts)), to_array(std::move(found.words)),
                          to_array(std::move(found.events)), to_array(std::move(found.roles)),
                          to_array(std::move(found.marks)));
}

}  // namespace

void bind_tree_context(nb::module_& module) {
    module.def("arc_context", &arc_context, "heads"_a, "sizes"_a, "starts"_a, "nobody"_a,
               "Descriptions of arcs (rows of the words around them, and counts), and which one each has.");
    module.def("node_context", &node_context, "heads"_a, "symbols"_a, "events"_a, "sizes"_a, "starts"_a,
               "nobody"_a,
               "How many nodes each tree has; of every node: its word and event, rows of words, marks.");
}

}  // namespace spindle
