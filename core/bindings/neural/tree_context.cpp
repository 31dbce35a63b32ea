#include "neural/tree_context.hpp"

#include <nanobind/stl/vector.h>

#include <string>

#include "bindings/module.hpp"
#include "bindings/support/arrays.hpp"
#include "neural/constituents.hpp"
#include "support/checks.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// A batch of trees: their words one after the other in columns, their sentences in a table of encoded words.
struct Batch {
    std::vector<std::size_t>
        begins;  // where every tree's words begin in the columns, and where the last ends
    const std::vector<int>& sizes;
    const std::vector<std::int64_t>& starts;
    std::int64_t padding_row;

    Batch(const std::vector<int>& tree_sizes, const std::vector<std::int64_t>& sentence_starts,
          std::int64_t padding)
        : begins{0}, sizes(tree_sizes), starts(sentence_starts), padding_row(padding) {
        check_same_length(sizes.size(), "sizes", starts.size(), "starts");
        for (const std::int64_t start : starts)
            if (start < 0) throw std::invalid_argument("a sentence starts at row " + std::to_string(start));
        for (const int size : sizes) {
            if (size < 0) throw std::invalid_argument("a tree has " + std::to_string(size) + " words");
            begins.push_back(begins.back() + size);
        }
    }

    void check(const Numbers<int>& column, const char* name) const {
        check_same_length(column.size(), name, begins.back(), "words");
    }
    std::span<const int> of_tree(const Numbers<int>& column, std::size_t tree) const {
        return {column.data() + begins[tree], static_cast<std::size_t>(sizes[tree])};
    }
    WordRows rows(std::size_t tree) const { return {starts[tree], padding_row}; }
};

nb::tuple arc_context(const Numbers<int>& heads, const std::vector<int>& sizes,
                      const std::vector<std::int64_t>& starts, std::int64_t padding_row) {
    const Batch batch(sizes, starts, padding_row);
    batch.check(heads, "heads");
    ArcContext context;
    {
        const nb::gil_scoped_release released;
        for (std::size_t tree = 0; tree < sizes.size(); ++tree)
            add_arc_context(batch.of_tree(heads, tree), batch.rows(tree), context);
    }
    return nb::make_tuple(to_array(std::move(context.roles)), to_array(std::move(context.counts)),
                          to_array(std::move(context.places)));
}

nb::tuple node_context(const Numbers<int>& heads, const Numbers<int>& symbols, const Numbers<int>& events,
                       const std::vector<int>& sizes, const std::vector<std::int64_t>& starts,
                       std::int64_t padding_row) {
    const Batch batch(sizes, starts, padding_row);
    batch.check(heads, "heads");
    batch.check(symbols, "symbols");
    batch.check(events, "events");
    NodeContext context;
    std::vector<std::int64_t> counts;
    {
        const nb::gil_scoped_release released;
        for (std::size_t tree = 0; tree < sizes.size(); ++tree) {
            const std::size_t before = context.words.size();
            add_node_context(
                {batch.of_tree(heads, tree), batch.of_tree(symbols, tree), batch.of_tree(events, tree)},
                batch.rows(tree), context);
            counts.push_back(static_cast<std::int64_t>(context.words.size() - before));
        }
    }
    return nb::make_tuple(to_array(std::move(counts)), to_array(std::move(context.words)),
                          to_array(std::move(context.events)), to_array(std::move(context.roles)),
                          to_array(std::move(context.marks)));
}

nb::tuple constituents(const Numbers<int>& heads, const Numbers<int>& symbols, const Numbers<int>& indices,
                       const std::vector<int>& sizes, const std::vector<std::int64_t>& starts,
                       std::int64_t padding_row, bool continuous, bool differences) {
    const Batch batch(sizes, starts, padding_row);
    batch.check(heads, "heads");
    batch.check(symbols, "symbols");
    batch.check(indices, "indices");
    const ConstituentOptions options{{continuous, /*lower_nearer=*/true}, differences};
    ConstituentContext context;
    {
        const nb::gil_scoped_release released;
        for (std::size_t tree = 0; tree < sizes.size(); ++tree)
            add_constituents(
                {batch.of_tree(heads, tree), batch.of_tree(symbols, tree), batch.of_tree(indices, tree)},
                batch.rows(tree), options, context);
    }
    return nb::make_tuple(to_array(std::move(context.counts)), to_array(std::move(context.places)),
                          to_array(std::move(context.roles)), to_array(std::move(context.marks)),
                          to_array(std::move(context.keys)));
}

}  // namespace

void bind_tree_context(nb::module_& module) {
    module.def("arc_context", &arc_context, "heads"_a, "sizes"_a, "starts"_a, "padding_row"_a,
               "Feature indices of arcs: rows of words and counts per description, and the description of "
               "every arc. `sizes` and `starts` locate each tree's words in the batch.");
    module.def("node_context", &node_context, "heads"_a, "symbols"_a, "events"_a, "sizes"_a, "starts"_a,
               "padding_row"_a,
               "Feature indices of nodes: the number of nodes per tree; word, event, rows of words and marks "
               "per node.");
    module.def("constituents", &constituents, "heads"_a, "symbols"_a, "indices"_a, "sizes"_a, "starts"_a,
               "padding_row"_a, "continuous"_a, "differences"_a,
               "Constituents of labelled trees after repair: their number per tree, the description of each, "
               "and rows of words, marks and a key per description.");
}

}  // namespace spindle
