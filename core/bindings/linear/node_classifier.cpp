#include "linear/node_classifier.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bindings/linear/hashed_tree.hpp"
#include "bindings/linear/model_arrays.hpp"
#include "bindings/module.hpp"
#include "bindings/support/columns.hpp"
#include "support/checks.hpp"
#include "support/parallel.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using PlacedTuples = std::vector<std::tuple<int, int, Class>>;  // word, event, class

std::vector<PlacedClass> to_placed(const PlacedTuples& tuples) {
    std::vector<PlacedClass> placed;
    for (const auto& [word, event, number] : tuples) placed.push_back({{word, event}, number});
    return placed;
}

PlacedTuples to_tuples(const std::vector<PlacedClass>& placed) {
    PlacedTuples tuples;
    for (const auto& [place, number] : placed) tuples.push_back({place.word, place.event, number});
    return tuples;
}

// Calls predict(sentence, tree) for all trees, without Python's lock.
template <class Tree, class Predict>
auto predict_all(const Sentences& sentences, const std::vector<Tree>& trees, int threads, Predict&& predict) {
    check_same_length(sentences.size(), "sentences", trees.size(), "trees");
    std::vector<decltype(predict(*sentences[0], hashed(trees[0])))> found(trees.size());
    nb::gil_scoped_release released;
    parallel_for(trees.size(), threads,
                 [&](std::size_t at) { found[at] = predict(*sentences[at], hashed(trees[at])); });
    return found;
}

NodeClassifierTrainer* trainer_of_trees(const Sentences& sentences, const std::vector<TreeTuple>& trees,
                                        std::vector<Column> gold, int class_count, int bits, int epochs,
                                        std::uint64_t seed, int threads) {
    check_same_length(sentences.size(), "sentences", trees.size(), "trees");
    check_same_length(sentences.size(), "sentences", gold.size(), "lists of gold classes");
    nb::gil_scoped_release released;
    std::vector<ClassifiedTree> examples;
    for (std::size_t at = 0; at < trees.size(); ++at)
        examples.push_back({sentences[at], hashed(trees[at]), std::move(gold[at])});
    return new NodeClassifierTrainer(examples, CandidateContext::kLabelAndParent, class_count,
                                     {bits, epochs, seed}, threads);
}

NodeClassifierTrainer* trainer_of_dtrees(const Sentences& sentences, const std::vector<DTreeTuple>& trees,
                                         const std::vector<PlacedTuples>& gold, int class_count, int bits,
                                         int epochs, std::uint64_t seed, int threads) {
    check_same_length(sentences.size(), "sentences", trees.size(), "trees");
    check_same_length(sentences.size(), "sentences", gold.size(), "lists of gold classes");
    nb::gil_scoped_release released;
    std::vector<ClassifiedTree> examples;
    for (std::size_t at = 0; at < trees.size(); ++at) {
        const HashedDTree dtree = hashed(trees[at]);
        HashedTree tree = with_labels(decode_unaryless(dtree), dtree);
        std::vector<Class> classes =
            classes_at_places(Constituents(*sentences[at], tree), to_placed(gold[at]));
        examples.push_back({sentences[at], std::move(tree), std::move(classes)});
    }
    return new NodeClassifierTrainer(examples, CandidateContext::kLabel, class_count, {bits, epochs, seed},
                                     threads);
}

nb::list decode_dtrees(const NodeClassifier& classifier, const Sentences& sentences,
                       const std::vector<DTreeTuple>& trees, const Column& chain_lengths, int threads) {
    const auto found =
        predict_all(sentences, trees, threads, [&](const Sentence& sentence, const HashedDTree& dtree) {
            return classifier.decode_dtree(sentence, dtree, chain_lengths);
        });
    nb::list decoded;
    for (const auto& [tree, chains] : found)
        decoded.append(nb::make_tuple(to_tuple(tree.parents), to_tuple(tree.leaf_parents),
                                      to_tuple(tree.heads), to_tuple(tree.sources), to_tuples(chains)));
    return decoded;
}

}  // namespace

void bind_node_classifier(nb::module_& module) {
    nb::class_<NodeClassifierTrainer>(module, "NodeClassifierTrainer", "Trains a classifier of nodes.")
        .def_static("of_trees", &trainer_of_trees, "sentences"_a, "trees"_a, "gold"_a, nb::kw_only(),
                    "class_count"_a, "bits"_a, "epochs"_a, "seed"_a, "threads"_a,
                    "Trees are (labels, parents, leaf parents, heads), gold a class for every word and node.")
        .def_static(
            "of_dtrees", &trainer_of_dtrees, "sentences"_a, "trees"_a, "gold"_a, nb::kw_only(),
            "class_count"_a, "bits"_a, "epochs"_a, "seed"_a, "threads"_a,
            "Trees are (heads, symbols, events), gold the (word, event, class) of every node that has "
            "a class other than 0.")
        .def("run_epoch", &NodeClassifierTrainer::run_epoch, nb::call_guard<nb::gil_scoped_release>(),
             "One pass; the number of wrong decisions.")
        .def(
            "arrays",
            [](const NodeClassifierTrainer& trainer) {
                return to_arrays(trainer.weights(), trainer.table());
            },
            "The arrays of the classifier.");

    nb::class_<NodeClassifier>(module, "NodeClassifier", "Predicts classes of nodes.")
        .def(
            "__init__",
            [](NodeClassifier* classifier, const nb::dict& arrays, int class_count, bool by_parent) {
                new (classifier)
                    NodeClassifier(to_weights(arrays), to_class_table(arrays, class_count),
                                   by_parent ? CandidateContext::kLabelAndParent : CandidateContext::kLabel);
            },
            "arrays"_a, "class_count"_a, "by_parent"_a, nb::keep_alive<1, 2>(),
            "The weights are used in place.")
        .def(
            "classify_trees",
            [](const NodeClassifier& classifier, const Sentences& sentences,
               const std::vector<TreeTuple>& trees, int threads) {
                return predict_all(sentences, trees, threads,
                                   [&](const Sentence& sentence, const HashedTree& tree) {
                                       return classifier.classify(Constituents(sentence, tree));
                                   });
            },
            "sentences"_a, "trees"_a, "threads"_a, "The class of every word and node.")
        .def(
            "classify_dtrees",
            [](const NodeClassifier& classifier, const Sentences& sentences,
               const std::vector<DTreeTuple>& trees, int threads) {
                return predict_all(sentences, trees, threads,
                                   [&](const Sentence& sentence, const HashedDTree& dtree) {
                                       return to_tuples(classifier.classify_dtree(sentence, dtree));
                                   });
            },
            "sentences"_a, "trees"_a, "threads"_a,
            "The (word, event, class) of every node that has a class other than 0.")
        .def(
            "decode_dtrees", &decode_dtrees, "sentences"_a, "trees"_a, "chain_lengths"_a, "threads"_a,
            "Predict unary chains and decode: (parents, leaf_parents, heads, sources, chains) of every tree. "
            "`chain_lengths` is the number of nodes of every class; `chains` are (word, event, class), and "
            "~source counts their nodes in this order, each chain from the top.");
}

}  // namespace spindle
