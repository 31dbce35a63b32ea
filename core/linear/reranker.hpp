// Chooses among the k best trees of a sentence with a log-linear model of whole trees (Collins 2000; Charniak
// and Johnson 2005). Trees may be discontinuous.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "linear/constituents.hpp"
#include "linear/training_settings.hpp"
#include "linear/weights.hpp"

namespace spindle {

class Reranker {
  public:
    // The score of the parser is multiplied with `parser_weight`.
    Reranker(QuantizedWeights weights, float parser_weight);

    // The scores of the candidates of one sentence; `parser_scores` has one for each tree.
    std::vector<float> scores(const Sentence& sentence, const std::vector<HashedTree>& trees,
                              std::span<const float> parser_scores) const;

  private:
    QuantizedWeights weights_;
    float parser_weight_;
};

// Maximises the probability of the best candidates of every sentence, by stochastic gradient descent
// (AdaGrad) with averaged weights.
class RerankerTrainer {
  public:
    explicit RerankerTrainer(TrainingSettings settings);

    // Adds a sentence with its candidates; the best ones have the highest `quality`. Lists whose candidates
    // are all equally good teach nothing and are left out.
    void add(const Sentence& sentence, const std::vector<HashedTree>& trees,
             std::span<const float> parser_scores, std::span<const float> qualities);

    // One pass. Returns the mean quality of the chosen candidates.
    double run_epoch();

    std::vector<float> weights() const { return weights_.averaged(); }
    float parser_weight() const { return parser_weight_; }

  private:
    // How often a tree has the features with one place in the table.
    struct Count {
        std::uint32_t place;
        float times;
        auto operator<=>(const Count&) const = default;
    };
    // The features that not all candidates of a sentence have equally often.
    struct List {
        std::vector<std::vector<Count>> counts;
        std::vector<float> parser_scores, qualities;
    };
    std::vector<Count> counts_of(const Sentence& sentence, const HashedTree& tree) const;
    double learn(const List& list, float rate);

    TrainingSettings settings_;
    AdaGradWeights weights_;
    float parser_weight_ = 1, parser_squares_ = 0;
    std::vector<List> lists_;
    int done_ = 0;
};

}  // namespace spindle
