#include "linear/arc_parser.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>

#include "bindings/decoding/arc_tables.hpp"
#include "bindings/linear/model_arrays.hpp"
#include "bindings/module.hpp"
#include "bindings/support/arrays.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Heads = std::vector<std::vector<int>>;

void make_options(ArcOptions* self, int order, bool projective, int candidates, int starts,
                  std::uint64_t seed) {
    if (order < static_cast<int>(Order::kBasic) || order > static_cast<int>(Order::kFull))
        throw std::invalid_argument("order must be 0, 1 or 2, not " + std::to_string(order));
    if (candidates < 0 || candidates > kMostCandidateHeads || starts < 0 || starts > kMostStarts)
        throw std::invalid_argument(
            "candidates and starts must be from 0 to 10,000 and from 0 to 1,000, not " +
            std::to_string(candidates) + " and " + std::to_string(starts));
    new (self) ArcOptions{static_cast<Order>(order), projective, candidates, starts, seed};
}

nb::list parse_k_best(const ArcParser& parser, const Sentences& sentences, int k, int threads) {
    std::vector<std::vector<ScoredTree>> lists;
    {
        nb::gil_scoped_release released;
        lists = parser.parse_k_best(sentences, k, threads);
    }
    nb::list found;
    for (const std::vector<ScoredTree>& trees : lists) {
        nb::list pairs;
        for (const ScoredTree& tree : trees) pairs.append(nb::make_tuple(tree.heads, tree.score));
        found.append(pairs);
    }
    return found;
}

nb::list head_probabilities(const ArcParser& parser, const Sentences& sentences, float temperature,
                            int threads) {
    std::vector<ArcMarginals> found;
    {
        nb::gil_scoped_release released;
        found = parser.head_probabilities(sentences, temperature, threads);
    }
    nb::list tables;
    for (const ArcMarginals& marginals : found) tables.append(to_table(marginals));
    return tables;
}

}  // namespace

void bind_arc_parser(nb::module_& module) {
    nb::class_<ArcOptions>(module, "ArcOptions", "How the arc parser searches for the best tree.")
        .def("__init__", &make_options, nb::kw_only(), "order"_a, "projective"_a, "candidates"_a, "starts"_a,
             "seed"_a);

    nb::class_<ArcParser>(module, "ArcParser", "Finds the heads of words.")
        .def(
            "__init__",
            [](ArcParser* parser, const ArcOptions& options, const Numbers<std::uint64_t>& keys,
               const Numbers<std::int32_t>& distances, const Numbers<std::int16_t>& arcs, float arcs_scale,
               const Numbers<std::int16_t>& parts, float parts_scale, const nb::dict& labels,
               int label_count) {
                ArcModel model{ArcDictionary(to_vector(keys), to_vector(distances)),
                               QuantizedWeights(arcs.data(), arcs.size(), arcs_scale),
                               QuantizedWeights(parts.data(), parts.size(), parts_scale),
                               {}};
                if (label_count > 0) model.labels.emplace(to_class_table(labels, label_count));
                new (parser) ArcParser(options, std::move(model));
            },
            "options"_a, nb::kw_only(), "keys"_a, "distances"_a, "arcs"_a.noconvert(), "arcs_scale"_a,
            "parts"_a.noconvert(), "parts_scale"_a, "labels"_a = nb::dict(), "label_count"_a = 0,
            nb::keep_alive<1, 5>(), nb::keep_alive<1, 7>(),
            "`keys` and `distances` are the arc dictionary. The tables `arcs` and `parts` are used in place.")
        .def(
            "parse",
            [](const ArcParser& parser, const Sentences& sentences, int threads) {
                nb::gil_scoped_release released;
                return parser.parse(sentences, threads);
            },
            "sentences"_a, "threads"_a, "The heads of every word, -1 for the root.")
        .def(
            "label",
            [](const ArcParser& parser, const Sentences& sentences, const Heads& heads, int threads) {
                nb::gil_scoped_release released;
                return parser.label(sentences, heads, threads);
            },
            "sentences"_a, "heads"_a, "threads"_a,
            "The labels of arcs, if they were trained together with the arcs.")
        .def("parse_k_best", &parse_k_best, "sentences"_a, "k"_a, "threads"_a,
             "The heads and scores of up to k trees of every sentence, the best first.")
        .def("head_probabilities", &head_probabilities, "sentences"_a, "temperature"_a, "threads"_a,
             "Marginal probabilities of all arcs of every sentence, [head + 1, modifier].")
        .def("score",
             nb::overload_cast<const Sentence&, const std::vector<int>&>(&ArcParser::score, nb::const_),
             "sentence"_a, "heads"_a, "The score of a tree, which the parser maximises.");
}

}  // namespace spindle
