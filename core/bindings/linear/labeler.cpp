#include "linear/labeler.hpp"

#include <nanobind/stl/vector.h>

#include "bindings/linear/model_arrays.hpp"
#include "bindings/module.hpp"
#include "support/checks.hpp"
#include "support/parallel.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Rows = std::vector<std::vector<int>>;

nb::tuple label_all(const Labeler& labeler, const Sentences& sentences, const Rows& heads,
                    bool with_confidences, int threads) {
    check_same_length(sentences.size(), "sentences", heads.size(), "lists of heads");
    Rows labels(sentences.size());
    std::vector<std::vector<float>> confidences(with_confidences ? sentences.size() : 0);
    {
        nb::gil_scoped_release released;
        parallel_for(sentences.size(), threads, [&](std::size_t at) {
            Labeling found = labeler.label(*sentences[at], heads[at], with_confidences);
            labels[at] = std::move(found.labels);
            if (with_confidences) confidences[at] = std::move(found.confidences);
        });
    }
    return nb::make_tuple(std::move(labels), std::move(confidences));
}

}  // namespace

void bind_labeler(nb::module_& module) {
    nb::class_<LabelerTrainer>(module, "LabelerTrainer", "Trains a labeler of arcs.")
        .def(
            "__init__",
            [](LabelerTrainer* self, Sentences sentences, Rows heads, Rows labels, int label_count, int bits,
               int epochs, std::uint64_t seed, int templates) {
                new (self)
                    LabelerTrainer({std::move(sentences), std::move(heads), std::move(labels), label_count},
                                   {bits, epochs, seed}, static_cast<LabelTemplates>(templates));
            },
            "sentences"_a, "heads"_a, "labels"_a, nb::kw_only(), "label_count"_a, "bits"_a, "epochs"_a,
            "seed"_a, "templates"_a = 0, nb::keep_alive<1, 2>(),
            "Templates: 0 our own, 1 those of the paper.")
        .def("run_epoch", &LabelerTrainer::run_epoch, "threads"_a, nb::call_guard<nb::gil_scoped_release>(),
             "One pass; the number of arcs that got a wrong label.")
        .def(
            "arrays",
            [](const LabelerTrainer& trainer) {
                return to_arrays(trainer.weights(), trainer.table().table());
            },
            "The arrays of the labeler.");

    nb::class_<Labeler>(module, "Labeler", "Labels arcs.")
        .def(
            "__init__",
            [](Labeler* labeler, const nb::dict& arrays, int label_count, int templates) {
                new (labeler) Labeler(to_weights(arrays), LabelTable(to_class_table(arrays, label_count)),
                                      static_cast<LabelTemplates>(templates));
            },
            "arrays"_a, "label_count"_a, "templates"_a = 0, nb::keep_alive<1, 2>(),
            "The weights are used in place.")
        .def("label", &label_all, "sentences"_a, "heads"_a, "with_confidences"_a, "threads"_a,
             "The labels of every sentence, and their marginal probabilities if asked for.");
}

}  // namespace spindle
