#include "evaluation/tree_scorer.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unordered_map.h>
#include <nanobind/stl/unordered_set.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bindings/module.hpp"
#include "bindings/support/columns.hpp"
#include "bindings/support/text.hpp"
#include "treebanks/brackets.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// compared as, is deleted, is in length, is a dropped trace, is a conjunction
using FactsTuple = std::tuple<int, bool, bool, bool, bool>;
// forms, tags, labels, parents, leaf parents
using TreeTuple = std::tuple<Strings, Strings, Strings, Column, Column>;

std::optional<nb::tuple> to_tuple(const std::optional<SentenceCounts>& counts) {
    if (!counts) return std::nullopt;
    return nb::make_tuple(counts->length, counts->gold, counts->pred, counts->matched, counts->crossing,
                          counts->words, counts->tags, counts->disc_gold, counts->disc_pred,
                          counts->disc_matched, counts->distinct_gold, counts->distinct_pred);
}

TreeColumns to_columns(TreeTuple tree) {
    auto& [forms, tags, labels, parents, leaf_parents] = tree;
    TreeColumns columns{std::move(forms), std::move(tags), std::move(labels), std::move(parents),
                        std::move(leaf_parents)};
    columns.check();
    return columns;
}

// The only tree of a text; nothing where the text must be read with more care.
std::optional<TreeColumns> only_tree(std::string_view text, bool is_discontinuous) {
    std::vector<ParsedTree> trees;
    if (is_discontinuous) {
        trees = parse_discbrackets(text);
    } else {
        ParsedTrees parsed = parse_brackets(text, false);
        if (parsed.is_nested) return std::nullopt;
        trees = std::move(parsed.trees);
    }
    if (trees.size() != 1 || !trees[0].fault.empty()) return std::nullopt;
    return std::move(trees[0].columns);
}

std::optional<nb::tuple> score_texts(TreeScorer& scorer, nb::str gold, bool gold_is_discontinuous,
                                     nb::str pred, bool pred_is_discontinuous) {
    const std::string_view gold_text = utf8(gold), pred_text = utf8(pred);
    std::optional<SentenceCounts> counts;
    {
        // a new label takes the lock back, to ask Python for its code
        nb::gil_scoped_release release;
        const auto gold_tree = only_tree(gold_text, gold_is_discontinuous);
        const auto pred_tree = only_tree(pred_text, pred_is_discontinuous);
        if (gold_tree && pred_tree) counts = scorer.score(*gold_tree, *pred_tree);
    }
    return to_tuple(counts);
}

std::optional<nb::tuple> score_columns(TreeScorer& scorer, TreeTuple gold, TreeTuple pred) {
    std::optional<SentenceCounts> counts;
    {
        nb::gil_scoped_release release;
        counts = scorer.score(to_columns(std::move(gold)), to_columns(std::move(pred)));
    }
    return to_tuple(counts);
}

}  // namespace

void bind_tree_scorer(nb::module_& module) {
    nb::class_<TreeScorer>(module, "TreeScorer",
                           "Counts the brackets of pairs of trees, and tallies their errors.")
        .def(
            "__init__",
            [](TreeScorer* self, std::function<int(const std::string&)> label_code,
               std::function<FactsTuple(const std::string&)> tag_facts,
               std::unordered_map<std::string, std::string> equal_words,
               std::unordered_set<std::string> deleted_words, std::unordered_set<std::string> wrapper_labels,
               bool deletes_by_gold, bool disc_only, std::optional<int> longest) {
                const auto facts = [tag_facts](const std::string& tag) {
                    const auto [compared_as, is_deleted, is_in_length, is_dropped_trace, is_conjunction] =
                        tag_facts(tag);
                    return TagFacts{compared_as, is_deleted, is_in_length, is_dropped_trace, is_conjunction};
                };
                new (self) TreeScorer({std::move(label_code), facts, std::move(equal_words),
                                       std::move(deleted_words), std::move(wrapper_labels), deletes_by_gold,
                                       disc_only, longest});
            },
            "label_code"_a, "tag_facts"_a, "equal_words"_a, "deleted_words"_a, "wrapper_labels"_a,
            "deletes_by_gold"_a, "disc_only"_a, "longest"_a.none())
        .def("score_texts", &score_texts, "gold"_a, "gold_is_discontinuous"_a, "pred"_a,
             "pred_is_discontinuous"_a,
             "The counts of two trees written as brackets; None if they must be read with more care.")
        .def("score_columns", &score_columns, "gold"_a, "pred"_a,
             "The counts of two trees: forms, tags, labels, parents and leaf parents of each.")
        .def(
            "tallies",
            [](const TreeScorer& self) {
                const Tallies& tallies = self.tallies();
                return nb::make_tuple(tallies.gold, tallies.pred, tallies.matched, tallies.confused,
                                      tallies.missing, tallies.extra);
            },
            "Brackets in gold, predicted and matched by label code, confused codes, and errors by kind.");
}

}  // namespace spindle
