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
#include "bindings/support/text.hpp"
#include "treebanks/brackets.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Strings = std::vector<std::string>;
using Column = std::vector<int>;
using Facts = std::tuple<int, bool, bool, bool, bool>;
using Outcome = std::optional<nb::tuple>;

Outcome outcome(const std::optional<SentenceCounts>& counts) {
    if (!counts) return std::nullopt;
    return nb::make_tuple(counts->length, counts->gold, counts->pred, counts->matched, counts->crossing,
                          counts->words, counts->tags, counts->disc_gold, counts->disc_pred,
                          counts->disc_matched, counts->distinct_gold, counts->distinct_pred);
}

TreeColumns columns(const ParsedBracket& tree) {
    return {tree.forms, tree.tags, tree.labels, tree.parents, tree.leaf_parents};
}

// The one tree of a text, or nothing where that needs a closer look.
std::optional<ParsedBracket> only_tree(std::string_view text, bool is_discontinuous) {
    std::vector<ParsedBracket> trees;
    if (is_discontinuous) {
        trees = parse_discbrackets(text);
    } else {
        ParsedBrackets parsed = parse_brackets(text, false);
        if (parsed.is_nested) return std::nullopt;
        trees = std::move(parsed.trees);
    }
    if (trees.size() != 1 || !trees[0].fault.empty()) return std::nullopt;
    return std::move(trees[0]);
}

}  // namespace

void bind_scoring(nb::module_& module) {
    nb::class_<TreeScorer>(module, "TreeScorer",
                           "Counts the brackets of pairs of trees, and tallies their errors.")
        .def(
            "__init__",
            [](TreeScorer* self, std::function<int(const std::string&)> label_code,
               std::function<Facts(const std::string&)> tag_facts,
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
        .def(
            "score_texts",
            [](TreeScorer& self, nb::str gold, bool gold_is_discontinuous, nb::str pred,
               bool pred_is_discontinuous) {
                const std::string_view gold_text = utf8(gold), pred_text = utf8(pred);
                std::optional<SentenceCounts> counts;
                {
                    // asking about a label that is new takes the lock back for a moment
                    nb::gil_scoped_release release;
                    const auto gold_tree = only_tree(gold_text, gold_is_discontinuous);
                    const auto pred_tree = only_tree(pred_text, pred_is_discontinuous);
                    if (gold_tree && pred_tree) counts = self.score(columns(*gold_tree), columns(*pred_tree));
                }
                return outcome(counts);
            },
            "gold"_a, "gold_is_discontinuous"_a, "pred"_a, "pred_is_discontinuous"_a,
            "The counts of two trees written as brackets; None if they need a closer look.")
        .def(
            "score_columns",
            [](TreeScorer& self, const Strings& gold_forms, const Strings& gold_tags,
               const Strings& gold_labels, const Column& gold_parents, const Column& gold_leaf_parents,
               const Strings& pred_forms, const Strings& pred_tags, const Strings& pred_labels,
               const Column& pred_parents, const Column& pred_leaf_parents) {
                std::optional<SentenceCounts> counts;
                {
                    nb::gil_scoped_release release;
                    counts =
                        self.score({gold_forms, gold_tags, gold_labels, gold_parents, gold_leaf_parents},
                                   {pred_forms, pred_tags, pred_labels, pred_parents, pred_leaf_parents});
                }
                return outcome(counts);
            },
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
