#include "linear/labeler.hpp"

#include <nanobind/stl/vector.h>

#include "bindings/linear/model_arrays.hpp"
#include "bindings/module.hpp"
#include "decoding/sequence.hpp"
#include "support/parallel.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Columns = std::vector<std::vector<int>>;
using Sentences = std::vector<const Sentence*>;

// Of every sentence the labels, and their confidences if asked for.
nb::tuple label_all(const Labeler& labeler, const Sentences& sentences, const Columns& heads,
                    bool with_confidences, int threads) {
    if (heads.size() != sentences.size())
        throw std::invalid_argument("sentences and heads are not equally many");
    Columns labels(sentences.size());
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

ScoredSequence to_scores(const std::vector<std::vector<float>>& single,
                         const std::vector<std::vector<float>>& pairs) {
    ScoredSequence scores;
    for (const std::vector<float>& place : single) {
        if (place.empty()) throw std::invalid_argument("every place needs an option");
        scores.single.insert(scores.single.end(), place.begin(), place.end());
        scores.starts.push_back(static_cast<int>(scores.single.size()));
    }
    std::size_t place = 0;
    for (const std::vector<float>& table : pairs) {
        if (++place >= single.size() || table.size() != single[place - 1].size() * single[place].size())
            throw std::invalid_argument("there must be a table of pairs between every two places");
        scores.pairs.insert(scores.pairs.end(), table.begin(), table.end());
    }
    if (pairs.size() + 1 != std::max<std::size_t>(single.size(), 1))
        throw std::invalid_argument("there must be a table of pairs between every two places");
    return scores;
}

}  // namespace

void bind_labeler(nb::module_& module) {
    module.def(
        "best_sequence",
        [](const std::vector<std::vector<float>>& single, const std::vector<std::vector<float>>& pairs) {
            return best_sequence(to_scores(single, pairs));
        },
        "single"_a, "pairs"_a,
        "The best option of every place, from scores of options and of neighbouring ones.");
    module.def(
        "sequence_marginals",
        [](const std::vector<std::vector<float>>& single, const std::vector<std::vector<float>>& pairs) {
            const Marginals found = marginals(to_scores(single, pairs));
            return nb::make_tuple(found.single, found.pairs);
        },
        "single"_a, "pairs"_a, "The probabilities of all options and of all neighbouring ones.");

    nb::class_<LabelerTraining>(module, "LabelerTraining", "Learns to label arcs.")
        .def(nb::init<Sentences, Columns, Columns, int, int, int, std::uint64_t>(), "sentences"_a, "heads"_a,
             "labels"_a, "count"_a, "bits"_a, "epochs"_a, "seed"_a, nb::keep_alive<1, 2>())
        .def("run_epoch", &LabelerTraining::run_epoch, "threads"_a, nb::call_guard<nb::gil_scoped_release>(),
             "One pass; the number of arcs that got a wrong label.")
        .def("arrays", [](const LabelerTraining& training) {
            return to_arrays(training.weights(), training.table().table());
        });

    nb::class_<Labeler>(module, "Labeler", "Labels arcs.")
        .def(
            "__init__",
            [](Labeler* labeler, const nb::dict& arrays, int count) {
                new (labeler) Labeler(to_weights(arrays), LabelTable(to_table(arrays, count)));
            },
            "arrays"_a, "count"_a, nb::keep_alive<1, 2>())
        .def("label", &label_all, "sentences"_a, "heads"_a, "with_confidences"_a, "threads"_a,
             "The labels of every sentence, and their confidences if asked for.");
}

}  // namespace spindle
