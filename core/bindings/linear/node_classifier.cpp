#include "linear/node_classifier.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <map>

#include "bindings/linear/model_arrays.hpp"
#include "bindings/module.hpp"
#include "support/parallel.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Column = std::vector<int>;
using Sentences = std::vector<const Sentence*>;
using PlacedClasses = std::vector<std::tuple<int, int, Class>>;  // word, event, class

std::vector<Atom> to_atoms(const std::vector<std::string>& strings) {
    std::vector<Atom> atoms;
    atoms.reserve(strings.size());
    for (const std::string& text : strings) atoms.push_back(atom(text));
    return atoms;
}

// labels, parents, leaf parents, heads
using TreeTuple = std::tuple<std::vector<std::string>, Column, Column, Column>;
// heads, symbols, events
using DTreeTuple = std::tuple<Column, std::vector<std::string>, Column>;

TreeColumns to_columns(const TreeTuple& tree) {
    const auto& [labels, parents, leaf_parents, heads] = tree;
    return {to_atoms(labels), parents, leaf_parents, heads};
}

TreeColumns to_columns(const DTreeTuple& tree) {
    const auto& [heads, symbols, events] = tree;
    return unaryless_tree(heads, to_atoms(symbols), events);
}

template <class Trees>
void check(const Sentences& sentences, const Trees& trees) {
    if (sentences.size() != trees.size())
        throw std::invalid_argument("sentences and trees are not equally many");
}

std::vector<Class> gold_classes(const Constituents& tree, const PlacedClasses& chains) {
    std::map<std::pair<int, int>, int> vertices;
    const std::vector<Place> places = tree.places();
    for (int vertex = 0; vertex < tree.size(); ++vertex)
        vertices[{places[vertex].word, places[vertex].event}] = vertex;
    std::vector<Class> gold(tree.size(), 0);
    for (const auto& [word, event, chain] : chains) {
        const auto found = vertices.find({word, event});
        if (found == vertices.end())
            throw std::invalid_argument("a unary chain stands above a node that does not exist");
        gold[found->second] = chain;
    }
    return gold;
}

}  // namespace

void bind_node_classifier(nb::module_& module) {
    nb::class_<NodeTraining>(module, "NodeTraining", "Learns classes of nodes.")
        .def_static(
            "of_trees",
            [](const Sentences& sentences, const std::vector<TreeTuple>& trees, std::vector<Column> gold,
               int count, int bits, int epochs, std::uint64_t seed, int threads) {
                check(sentences, trees);
                check(sentences, gold);
                std::vector<ClassifiedTree> examples;
                for (std::size_t at = 0; at < trees.size(); ++at)
                    examples.push_back({sentences[at], to_columns(trees[at]), std::move(gold[at])});
                nb::gil_scoped_release released;
                return new NodeTraining(examples, Circumstance::kLabelAndParent, count, bits, epochs, seed,
                                        threads);
            },
            "sentences"_a, "trees"_a, "gold"_a, "count"_a, "bits"_a, "epochs"_a, "seed"_a, "threads"_a,
            "Trees are (labels, parents, leaf parents, heads), gold a class for every word and node.")
        .def_static(
            "of_dtrees",
            [](const Sentences& sentences, const std::vector<DTreeTuple>& trees,
               const std::vector<PlacedClasses>& gold, int count, int bits, int epochs, std::uint64_t seed,
               int threads) {
                check(sentences, trees);
                check(sentences, gold);
                std::vector<ClassifiedTree> examples;
                for (std::size_t at = 0; at < trees.size(); ++at) {
                    TreeColumns columns = to_columns(trees[at]);
                    std::vector<Class> classes =
                        gold_classes(Constituents(*sentences[at], columns), gold[at]);
                    examples.push_back({sentences[at], std::move(columns), std::move(classes)});
                }
                nb::gil_scoped_release released;
                return new NodeTraining(examples, Circumstance::kLabel, count, bits, epochs, seed, threads);
            },
            "sentences"_a, "trees"_a, "gold"_a, "count"_a, "bits"_a, "epochs"_a, "seed"_a, "threads"_a,
            "Trees are (heads, symbols, events), gold the (word, event, class) of every node that has a "
            "class.")
        .def("run_epoch", &NodeTraining::run_epoch, nb::call_guard<nb::gil_scoped_release>(),
             "One pass; the number of wrong decisions.")
        .def("arrays",
             [](const NodeTraining& training) { return to_arrays(training.weights(), training.table()); });

    nb::class_<NodeClassifier>(module, "NodeClassifier", "Finds classes of nodes.")
        .def(
            "__init__",
            [](NodeClassifier* classifier, const nb::dict& arrays, int count, bool by_parent) {
                new (classifier)
                    NodeClassifier(to_weights(arrays), to_table(arrays, count),
                                   by_parent ? Circumstance::kLabelAndParent : Circumstance::kLabel);
            },
            "arrays"_a, "count"_a, "by_parent"_a, nb::keep_alive<1, 2>())
        .def(
            "classify_trees",
            [](const NodeClassifier& classifier, const Sentences& sentences,
               const std::vector<TreeTuple>& trees, int threads) {
                check(sentences, trees);
                nb::gil_scoped_release released;
                std::vector<Column> classes(trees.size());
                parallel_for(trees.size(), threads, [&](std::size_t at) {
                    classes[at] = classifier.classify(Constituents(*sentences[at], to_columns(trees[at])));
                });
                return classes;
            },
            "sentences"_a, "trees"_a, "threads"_a, "The class of every word and node.")
        .def(
            "classify_dtrees",
            [](const NodeClassifier& classifier, const Sentences& sentences,
               const std::vector<DTreeTuple>& trees, int threads) {
                check(sentences, trees);
                nb::gil_scoped_release released;
                std::vector<PlacedClasses> chains(trees.size());
                parallel_for(trees.size(), threads, [&](std::size_t at) {
                    const Constituents tree(*sentences[at], to_columns(trees[at]));
                    const std::vector<Class> classes = classifier.classify(tree);
                    const std::vector<Place> places = tree.places();
                    for (int vertex = 0; vertex < tree.size(); ++vertex)
                        if (classes[vertex] != 0)
                            chains[at].push_back(
                                {places[vertex].word, places[vertex].event, classes[vertex]});
                });
                return chains;
            },
            "sentences"_a, "trees"_a, "threads"_a,
            "The (word, event, class) of every node that has a class.");
}

}  // namespace spindle
