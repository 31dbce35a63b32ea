#include "linear/node_classifier.hpp"

#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "support/checks.hpp"
#include "support/parallel.hpp"

namespace spindle {

namespace {

constexpr Class kNone = 0;

FeatureHash label_key(const Constituents& tree, int vertex) {
    return feature(0, tree.is_word(vertex), tree.label(vertex));
}
FeatureHash parent_key(const Constituents& tree, int vertex) {
    return feature(1, tree.is_word(vertex), tree.label(vertex), tree.parent_label(vertex));
}

std::span<const Class> candidates(const ClassTable& table, CandidateContext context, const Constituents& tree,
                                  int vertex) {
    if (context == CandidateContext::kLabelAndParent) {
        const std::span<const Class> found = table.find(parent_key(tree, vertex));
        if (!found.empty()) return found;
    }
    return table.find(label_key(tree, vertex));
}

ClassTable seen_classes(const std::vector<ClassifiedTree>& trees, CandidateContext context, int class_count) {
    ClassTableBuilder seen;
    for (const ClassifiedTree& example : trees) {
        const Constituents tree(*example.sentence, example.tree);
        check_same_length(example.gold.size(), "gold classes", static_cast<std::size_t>(tree.size()),
                          "words and nodes");
        for (int vertex = 0; vertex < tree.size(); ++vertex) {
            seen.add(label_key(tree, vertex), example.gold[vertex]);
            if (context == CandidateContext::kLabelAndParent)
                seen.add(parent_key(tree, vertex), example.gold[vertex]);
        }
    }
    return seen.table(class_count);
}

// The decisions of a tree; vertices with one candidate need none.
Decisions decisions(const ClassTable& table, CandidateContext context, const ClassifiedTree& example) {
    const Constituents tree(*example.sentence, example.tree);
    Decisions decisions;
    for (int vertex = 0; vertex < tree.size(); ++vertex) {
        const std::span<const Class> found = candidates(table, context, tree, vertex);
        if (found.size() < 2) continue;
        decisions.candidates.push_back(found);
        decisions.gold.push_back(example.gold[vertex]);
        tree.add_features(vertex, decisions.features);
        decisions.starts.push_back(static_cast<std::uint32_t>(decisions.features.size()));
    }
    return decisions;
}

std::vector<Decisions> all_decisions(const ClassTable& table, CandidateContext context,
                                     const std::vector<ClassifiedTree>& trees, int threads) {
    std::vector<Decisions> groups(trees.size());
    parallel_for(trees.size(), threads,
                 [&](std::size_t at) { groups[at] = decisions(table, context, trees[at]); });
    return groups;
}

// The classes of all vertices that have one, by place.
std::vector<PlacedClass> at_places(const Constituents& tree, const std::vector<Class>& classes) {
    const std::vector<Place> places = tree.places();
    std::vector<PlacedClass> placed;
    for (int vertex = 0; vertex < tree.size(); ++vertex)
        if (classes[vertex] != kNone) placed.push_back({places[vertex], classes[vertex]});
    return placed;
}

}  // namespace

std::vector<Class> NodeClassifier::classify(const Constituents& tree) const {
    std::vector<Class> classes(tree.size(), kNone);
    std::vector<FeatureHash> features;
    for (int vertex = 0; vertex < tree.size(); ++vertex) {
        const std::span<const Class> found = candidates(table_, context_, tree, vertex);
        if (found.empty()) continue;
        classes[vertex] = found[0];
        if (found.size() == 1) continue;
        features.clear();
        tree.add_features(vertex, features);
        classes[vertex] = best_class(weights_, features, found);
    }
    return classes;
}

std::vector<PlacedClass> NodeClassifier::classify_dtree(const Sentence& sentence,
                                                        const HashedDTree& dtree) const {
    const HashedTree columns = with_labels(decode_unaryless(dtree), dtree);
    const Constituents tree(sentence, columns);
    return at_places(tree, classify(tree));
}

UnaryDecoding NodeClassifier::decode_dtree(const Sentence& sentence, const HashedDTree& dtree,
                                           std::span<const int> chain_lengths) const {
    DecodedTree decoded = decode_unaryless(dtree);
    const HashedTree columns = with_labels(decoded, dtree);
    const Constituents tree(sentence, columns);
    const std::vector<Class> classes = classify(tree);
    std::vector<int> lengths(classes.size(), 0);
    for (std::size_t vertex = 0; vertex < classes.size(); ++vertex) {
        if (classes[vertex] == kNone) continue;
        if (classes[vertex] >= static_cast<Class>(chain_lengths.size()))
            throw std::invalid_argument("chain " + std::to_string(classes[vertex]) + " has no length");
        lengths[vertex] = chain_lengths[classes[vertex]];
    }
    return {insert_chains(std::move(decoded), lengths), at_places(tree, classes)};
}

std::vector<Class> classes_at_places(const Constituents& tree, const std::vector<PlacedClass>& placed) {
    std::map<std::pair<int, int>, int> vertices;
    const std::vector<Place> places = tree.places();
    for (int vertex = 0; vertex < tree.size(); ++vertex)
        vertices[{places[vertex].word, places[vertex].event}] = vertex;
    std::vector<Class> classes(tree.size(), kNone);
    for (const auto& [place, number] : placed) {
        const auto found = vertices.find({place.word, place.event});
        if (found == vertices.end())
            throw std::invalid_argument("a unary chain stands above a node that does not exist: event " +
                                        std::to_string(place.event) + " of word " +
                                        std::to_string(place.word));
        classes[found->second] = number;
    }
    return classes;
}

NodeClassifierTrainer::NodeClassifierTrainer(const std::vector<ClassifiedTree>& trees,
                                             CandidateContext context, int class_count,
                                             TrainingSettings settings, int threads)
    : table_(seen_classes(trees, context, class_count)),
      trainer_(all_decisions(table_, context, trees, threads), settings) {}

}  // namespace spindle
