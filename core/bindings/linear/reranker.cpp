#include "linear/reranker.hpp"

#include <nanobind/stl/vector.h>

#include "bindings/linear/hashed_tree.hpp"
#include "bindings/linear/model_arrays.hpp"
#include "bindings/module.hpp"
#include "bindings/support/arrays.hpp"
#include "support/checks.hpp"
#include "support/parallel.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Floats = std::vector<float>;

std::vector<Floats> score_all(const Reranker& reranker, const Sentences& sentences,
                              const std::vector<std::vector<TreeTuple>>& lists,
                              const std::vector<Floats>& parser_scores, int threads) {
    check_same_length(sentences.size(), "sentences", lists.size(), "lists of trees");
    check_same_length(sentences.size(), "sentences", parser_scores.size(), "lists of scores");
    std::vector<Floats> scores(sentences.size());
    nb::gil_scoped_release released;
    parallel_for(sentences.size(), threads, [&](std::size_t at) {
        scores[at] = reranker.scores(*sentences[at], hashed(lists[at]), parser_scores[at]);
    });
    return scores;
}

}  // namespace

void bind_reranker(nb::module_& module) {
    nb::class_<RerankerTrainer>(module, "RerankerTrainer", "Trains a model that scores whole trees.")
        .def(
            "__init__",
            [](RerankerTrainer* self, int bits, int epochs, std::uint64_t seed) {
                new (self) RerankerTrainer({bits, epochs, seed});
            },
            nb::kw_only(), "bits"_a, "epochs"_a, "seed"_a)
        .def(
            "add",
            [](RerankerTrainer& trainer, const Sentence& sentence, const std::vector<TreeTuple>& trees,
               const Floats& parser_scores, const Floats& qualities) {
                nb::gil_scoped_release released;
                trainer.add(sentence, hashed(trees), parser_scores, qualities);
            },
            "sentence"_a, "trees"_a, "parser_scores"_a, "qualities"_a,
            "Trees are (labels, parents, leaf parents, heads); those with the highest quality are the best.")
        .def("run_epoch", &RerankerTrainer::run_epoch, nb::call_guard<nb::gil_scoped_release>(),
             "One pass; the mean quality of the chosen trees.")
        .def(
            "arrays",
            [](const RerankerTrainer& trainer) {
                const std::vector<float> weights = trainer.weights();
                nb::dict arrays;
                arrays["weights"] = to_array(quantized(weights));
                arrays["scale"] = to_array(std::vector<float>{quantization_scale(weights)});
                arrays["parser_weight"] = to_array(std::vector<float>{trainer.parser_weight()});
                return arrays;
            },
            "The arrays of the reranker.");

    nb::class_<Reranker>(module, "Reranker", "Scores whole trees.")
        .def(
            "__init__",
            [](Reranker* reranker, const nb::dict& arrays) {
                const Numbers<float> weight = array_named<float>(arrays, "parser_weight");
                if (weight.size() != 1)
                    throw std::invalid_argument("the model has no usable array \"parser_weight\"");
                new (reranker) Reranker(to_weights(arrays), weight.data()[0]);
            },
            "arrays"_a, nb::keep_alive<1, 2>(), "The weights are used in place.")
        .def("scores", &score_all, "sentences"_a, "trees"_a, "parser_scores"_a, "threads"_a,
             "The score of every tree of every sentence.");
}

}  // namespace spindle
