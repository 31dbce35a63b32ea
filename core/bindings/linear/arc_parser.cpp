#include "linear/arc_parser.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include "bindings/decoding/arc_tables.hpp"
#include "bindings/linear/model_arrays.hpp"
#include "bindings/module.hpp"
#include "bindings/support/arrays.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Heads = std::vector<std::vector<int>>;

ArcOptions options(int order, bool projective, int candidates, int starts, std::uint64_t seed) {
    return {static_cast<Order>(order), projective, candidates, starts, seed};
}

}  // namespace

void bind_arc_parser(nb::module_& module) {
    nb::class_<ArcTrainer>(module, "ArcTrainer")
        .def(
            "__init__",
            [](ArcTrainer* trainer, int order, bool projective, int candidates, int starts,
               std::uint64_t seed, int bits, std::vector<const Sentence*> sentences, Heads heads,
               const std::vector<Numbers<std::int16_t>>& arcs, std::vector<float> scales,
               std::vector<int> folds, Heads labels, int label_count) {
                std::vector<std::vector<std::int16_t>> tables;
                for (const Numbers<std::int16_t>& table : arcs) tables.push_back(to_vector(table));
                new (trainer) ArcTrainer(options(order, projective, candidates, starts, seed), bits,
                                         std::move(sentences), std::move(heads), std::move(tables),
                                         std::move(scales), std::move(folds), std::move(labels), label_count);
            },
            "order"_a, "projective"_a, "candidates"_a, "starts"_a, "seed"_a, "bits"_a, "sentences"_a,
            "heads"_a, "arcs"_a, "scales"_a, "folds"_a, "labels"_a, "label_count"_a, nb::keep_alive<1, 8>())
        .def(
            "train_epoch",
            [](ArcTrainer& trainer, int epoch, int threads) {
                EpochReport report;
                {
                    nb::gil_scoped_release released;
                    report = trainer.train_epoch(epoch, threads);
                }
                return nb::make_tuple(report.words, report.correct, report.loss);
            },
            "epoch"_a, "threads"_a, "One pass: (words, correct heads, loss).")
        .def("frozen",
             [](ArcTrainer& trainer) {
                 const std::vector<float> averaged = trainer.weights().averaged();
                 return nb::make_tuple(to_array(quantized(averaged)), quantum(averaged));
             })
        .def("state",
             [](ArcTrainer& trainer) {
                 return nb::make_tuple(to_array(std::vector<float>(trainer.weights().weights())),
                                       to_array(std::vector<float>(trainer.weights().sums())),
                                       to_array(std::vector<float>(trainer.weights().squares())),
                                       trainer.weights().step());
             })
        .def("restore",
             [](ArcTrainer& trainer, const Numbers<float>& weights, const Numbers<float>& sums,
                const Numbers<float>& squares, std::uint32_t step) {
                 trainer.weights().restore(to_vector(weights), to_vector(sums), to_vector(squares), step);
             })
        .def("labels",
             [](ArcTrainer& trainer) {
                 const auto& labels = trainer.label_table();
                 return labels ? to_arrays(labels->table()) : nb::dict();
             })
        .def("dictionary", [](ArcTrainer& trainer) {
            const std::vector<std::uint64_t> keys = trainer.dictionary().keys();
            return nb::make_tuple(to_array(keys), to_array(trainer.dictionary().distances(keys)));
        });

    nb::class_<ArcParser>(module, "ArcParser")
        .def(
            "__init__",
            [](ArcParser* parser, int order, bool projective, int candidates, int starts, std::uint64_t seed,
               const Numbers<std::uint64_t>& keys, const Numbers<std::int32_t>& distances,
               const Numbers<std::int16_t>& arcs, const Numbers<std::int16_t>& parts, float arcs_scale,
               float parts_scale, const nb::dict& labels, int label_count) {
                ArcDictionary dictionary;
                dictionary.restore(to_vector(keys), to_vector(distances));
                std::optional<LabelTable> table;
                if (label_count > 0) table.emplace(to_table(labels, label_count));
                new (parser) ArcParser(options(order, projective, candidates, starts, seed),
                                       std::move(dictionary), Frozen(arcs.data(), arcs.size(), arcs_scale),
                                       Frozen(parts.data(), parts.size(), parts_scale), std::move(table));
            },
            "order"_a, "projective"_a, "candidates"_a, "starts"_a, "seed"_a, "keys"_a, "distances"_a,
            "arcs"_a.noconvert(), "parts"_a.noconvert(), "arcs_scale"_a, "parts_scale"_a, "labels"_a,
            "label_count"_a, nb::keep_alive<1, 9>(), nb::keep_alive<1, 10>())
        .def(
            "parse",
            [](const ArcParser& parser, const std::vector<const Sentence*>& sentences, int threads) {
                nb::gil_scoped_release released;
                return parser.parse(sentences, threads);
            },
            "sentences"_a, "threads"_a, "The heads of every word, -1 for the root.")
        .def(
            "label",
            [](const ArcParser& parser, const std::vector<const Sentence*>& sentences, const Heads& heads,
               int threads) {
                nb::gil_scoped_release released;
                return parser.label(sentences, heads, threads);
            },
            "sentences"_a, "heads"_a, "threads"_a, "The labels of arcs, learnt together with them.")
        .def(
            "parse_k_best",
            [](const ArcParser& parser, const std::vector<const Sentence*>& sentences, int k, int threads) {
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
            },
            "sentences"_a, "k"_a, "threads"_a,
            "The heads and scores of up to k trees of every sentence, the best first.")
        .def(
            "head_probabilities",
            [](const ArcParser& parser, const std::vector<const Sentence*>& sentences, float temperature,
               int threads) {
                std::vector<ArcMarginals> found;
                {
                    nb::gil_scoped_release released;
                    found = parser.head_probabilities(sentences, temperature, threads);
                }
                nb::list tables;
                for (const ArcMarginals& marginals : found) tables.append(to_table(marginals));
                return tables;
            },
            "sentences"_a, "temperature"_a, "threads"_a,
            "How probable every head of every word is; row 0 of a table is above the root.")
        .def("score",
             nb::overload_cast<const Sentence&, const std::vector<int>&>(&ArcParser::score, nb::const_),
             "sentence"_a, "heads"_a, "What the parser thinks of a tree.");
}

}  // namespace spindle
