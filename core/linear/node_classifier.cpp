#include "linear/node_classifier.hpp"

#include <stdexcept>

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

std::span<const Class> candidates(const ClassTable& table, Circumstance circumstance,
                                  const Constituents& tree, int vertex) {
    if (circumstance == Circumstance::kLabelAndParent) {
        const std::span<const Class> found = table.find(parent_key(tree, vertex));
        if (!found.empty()) return found;
    }
    return table.find(label_key(tree, vertex));
}

ClassTable seen_classes(const std::vector<ClassifiedTree>& trees, Circumstance circumstance, int count) {
    Sightings seen;
    for (const ClassifiedTree& example : trees) {
        const Constituents tree(*example.sentence, example.columns);
        if (static_cast<int>(example.gold.size()) != tree.size())
            throw std::invalid_argument("a tree needs a gold class for every word and node");
        for (int vertex = 0; vertex < tree.size(); ++vertex) {
            seen.add(label_key(tree, vertex), example.gold[vertex]);
            if (circumstance == Circumstance::kLabelAndParent)
                seen.add(parent_key(tree, vertex), example.gold[vertex]);
        }
    }
    return seen.table(count);
}

// What there is to decide about a tree; vertices with one candidate are left out.
Decisions decisions(const ClassTable& table, Circumstance circumstance, const ClassifiedTree& example) {
    const Constituents tree(*example.sentence, example.columns);
    Decisions decisions;
    for (int vertex = 0; vertex < tree.size(); ++vertex) {
        const std::span<const Class> found = candidates(table, circumstance, tree, vertex);
        if (found.size() < 2) continue;
        decisions.candidates.push_back(found);
        decisions.gold.push_back(example.gold[vertex]);
        tree.add_features(vertex, decisions.features);
        decisions.starts.push_back(static_cast<std::uint32_t>(decisions.features.size()));
    }
    return decisions;
}

std::vector<Decisions> all_decisions(const ClassTable& table, Circumstance circumstance,
                                     const std::vector<ClassifiedTree>& trees, int threads) {
    std::vector<Decisions> groups(trees.size());
    parallel_for(trees.size(), threads,
                 [&](std::size_t at) { groups[at] = decisions(table, circumstance, trees[at]); });
    return groups;
}

}  // namespace

std::vector<Class> NodeClassifier::classify(const Constituents& tree) const {
    std::vector<Class> classes(tree.size(), kNone);
    std::vector<FeatureHash> features;
    for (int vertex = 0; vertex < tree.size(); ++vertex) {
        const std::span<const Class> found = candidates(table_, circumstance_, tree, vertex);
        if (found.empty()) continue;
        classes[vertex] = found[0];
        if (found.size() == 1) continue;
        features.clear();
        tree.add_features(vertex, features);
        classes[vertex] = best_class(weights_, features, found);
    }
    return classes;
}

NodeTraining::NodeTraining(const std::vector<ClassifiedTree>& trees, Circumstance circumstance, int count,
                           int bits, int epochs, std::uint64_t seed, int threads)
    : table_(seen_classes(trees, circumstance, count)),
      training_(all_decisions(table_, circumstance, trees, threads), bits, epochs, seed) {}

}  // namespace spindle
