// A sequence model: a label for every word of a sentence, where a label is a tag, or morphology beneath a
// given tag. Linear, second order, decoded exactly over the candidates of each word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linear/lexicon.hpp"
#include "linear/sentence.hpp"
#include "linear/weights.hpp"

namespace spindle {

class SequenceModel {
  public:
    SequenceModel(Lexicon lexicon, QuantizedWeights weights);

    // The best labels of every sentence.
    std::vector<Labels> decode(const Sentences& sentences, int threads) const;

    // The score that decoding maximises, and the labels it chooses from: for tests against brute force.
    double score(const Sentence& sentence, const Labels& labels) const;
    std::vector<Labels> candidates(const Sentence& sentence) const;

  private:
    Lexicon lexicon_;
    QuantizedWeights weights_;
};

// Learns from sentences one after the other, so that the result depends only on their order.
class SequenceTrainer {
  public:
    SequenceTrainer(Lexicon lexicon, int bits);

    // One pass over the sentences. Returns the number of labels that were not the best by a margin.
    std::size_t learn(const Sentences& sentences, const std::vector<Labels>& gold);
    std::vector<std::int16_t> weights() const { return quantized(weights_.averaged()); }

  private:
    void update(const Sentence& sentence, const Labels& labels, const Labels& instead_of, float direction);

    Lexicon lexicon_;
    AdaGradWeights weights_;
};

}  // namespace spindle
