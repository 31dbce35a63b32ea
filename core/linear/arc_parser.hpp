// The linear dependency parser: finds the heads of words.
//
// Two tables of weights. The first scores single arcs; it parses alone (order basic), and for the higher
// orders it proposes a few candidate heads for every word and the tree from which hill climbing starts. The
// second scores larger parts, and single arcs again; its scores are added to those of the first.
#pragma once

#include <optional>
#include <vector>

#include "decoding/k_best.hpp"
#include "decoding/marginals.hpp"
#include "linear/arc_dictionary.hpp"
#include "linear/arc_labels.hpp"
#include "linear/arc_options.hpp"
#include "linear/sentence.hpp"
#include "linear/weights.hpp"

namespace spindle {

// A trained parser; the caller owns the memory of the weights.
struct ArcModel {
    ArcDictionary dictionary;
    QuantizedWeights arcs, parts;
    std::optional<LabelTable> labels;  // if labels were trained together with the arcs
};

class ArcParser {
  public:
    ArcParser(ArcOptions options, ArcModel model) : options_(options), model_(std::move(model)) {}

    // The heads of every word of every sentence.
    std::vector<std::vector<int>> parse(const Sentences& sentences, int threads) const;

    // Up to k different trees, the best first. For order basic these are the k best trees; for the others the
    // best of a list: trees that the search reached, and the best trees of the first table. The first tree is
    // the result of `parse`, unless the search missed a tree of that list.
    std::vector<std::vector<ScoredTree>> parse_k_best(const Sentences& sentences, int k, int threads) const;

    // Marginal probabilities of all arcs under the scores of the first table, divided by the temperature.
    // (What the second table says of other heads in the best tree tells right arcs from wrong ones less
    // well.)
    std::vector<ArcMarginals> head_probabilities(const Sentences& sentences, float temperature,
                                                 int threads) const;

    // The labels of arcs, if they were trained together with the arcs.
    std::vector<std::vector<Class>> label(const Sentences& sentences,
                                          const std::vector<std::vector<int>>& heads, int threads) const;

    // The score of a tree, which the parser maximises.
    double score(const Sentence& sentence, const std::vector<int>& heads) const;

  private:
    double score(const PaddedSentence& words, const std::vector<int>& heads) const;
    std::vector<ScoredTree> k_best_of_list(const PaddedSentence& words, int k) const;
    ArcWeights<QuantizedWeights> arcs() const {
        return {model_.arcs, model_.labels ? &*model_.labels : nullptr};
    }

    ArcOptions options_;
    ArcModel model_;
};

}  // namespace spindle
