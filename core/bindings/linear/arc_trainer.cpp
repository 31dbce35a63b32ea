#include "linear/arc_trainer.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include "bindings/linear/model_arrays.hpp"
#include "bindings/module.hpp"
#include "bindings/support/arrays.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Rows = std::vector<std::vector<int>>;
using Tables = std::vector<Numbers<std::int16_t>>;

void make_trainer(ArcTrainer* self, const ArcOptions& options, int bits, Sentences sentences, Rows heads,
                  Rows labels, int label_count, const Tables& tables, std::vector<float> scales,
                  std::vector<int> folds) {
    ArcFolds arc_folds{{}, std::move(scales), std::move(folds)};
    for (const Numbers<std::int16_t>& table : tables) arc_folds.tables.push_back(to_vector(table));
    new (self)
        ArcTrainer(options, bits, {std::move(sentences), std::move(heads), std::move(labels), label_count},
                   std::move(arc_folds));
}

}  // namespace

void bind_arc_trainer(nb::module_& module) {
    nb::class_<ArcTrainer>(module, "ArcTrainer", "Trains one table of weights of the arc parser.")
        .def(
            "__init__", &make_trainer, "options"_a, nb::kw_only(), "bits"_a, "sentences"_a, "heads"_a,
            "labels"_a = Rows(), "label_count"_a = 0, "tables"_a = Tables(),
            "scales"_a = std::vector<float>(), "folds"_a = std::vector<int>(), nb::keep_alive<1, 4>(),
            "`tables` are finished tables of arcs, `scales` their scales, and `folds` say which of them each "
            "sentence is parsed with; order basic has none.")
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
            "epoch"_a, "threads"_a, "One pass over the sentences: (words, correct heads, loss).")
        .def(
            "quantized",
            [](ArcTrainer& trainer) {
                const std::vector<float> averaged = trainer.weights().averaged();
                return nb::make_tuple(to_array(quantized(averaged)), quantization_scale(averaged));
            },
            "The averaged weights as 16-bit integers, and their scale.")
        .def(
            "state",
            [](ArcTrainer& trainer) {
                return nb::make_tuple(to_array(std::vector<float>(trainer.weights().weights())),
                                      to_array(std::vector<float>(trainer.weights().sums())),
                                      to_array(std::vector<float>(trainer.weights().squares())),
                                      trainer.weights().step());
            },
            "The state of training after an epoch: (weights, sums, squares, step).")
        .def(
            "restore",
            [](ArcTrainer& trainer, const Numbers<float>& weights, const Numbers<float>& sums,
               const Numbers<float>& squares, std::uint32_t step) {
                trainer.weights().restore(to_vector(weights), to_vector(sums), to_vector(squares), step);
            },
            "weights"_a, "sums"_a, "squares"_a, "step"_a, "Continue from a state.")
        .def(
            "labels",
            [](ArcTrainer& trainer) {
                const auto& labels = trainer.label_table();
                return labels ? to_arrays(labels->table()) : nb::dict();
            },
            "The arrays of the label table; empty if no labels are trained.")
        .def(
            "dictionary",
            [](ArcTrainer& trainer) {
                const std::vector<std::uint64_t> keys = trainer.dictionary().keys();
                return nb::make_tuple(to_array(keys), to_array(trainer.dictionary().distances(keys)));
            },
            "The arc dictionary: (keys, distances).");
}

}  // namespace spindle
