// A sequence model: a label for every word of a sentence, where a label is a tag, or morphology beneath a tag
// that is given. Linear, second order, decoded exactly over the candidates of each word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "linear/sentence.hpp"
#include "linear/weights.hpp"

namespace spindle {

using Label = std::uint16_t;
using Labels = std::vector<Label>;
using Sentences = std::vector<const Sentence*>;

// Which labels a word may get: a frequent word those that it was seen with, any other word the open ones.
// Where labels stand beneath tags, a word with a tag gets none but those beneath it.
class Lexicon {
  public:
    struct Columns {
        std::vector<Atom> words;            // the frequent ones, ascending
        std::vector<std::uint32_t> starts;  // where the labels of each begin, and where all end
        Labels labels;
        Labels open;
    };

    // `tags` holds the tag above each label, or nothing if the labels are tags themselves.
    Lexicon(Columns columns, int label_count, std::vector<Atom> tags);
    static Lexicon learn(const Sentences& sentences, const std::vector<Labels>& gold, int label_count,
                         std::vector<Atom> tags);

    const Columns& columns() const { return columns_; }
    int label_count() const { return label_count_; }
    bool has_tags() const { return !tags_.empty(); }

    bool is_frequent(Atom form) const { return !labels_of(form).empty(); }
    // What a word may get, as far as its form and its tag tell; never nothing.
    void find_candidates(Atom form, Atom tag, Labels& candidates) const;

  private:
    std::span<const Label> labels_of(Atom form) const;  // none for a word that is not frequent

    Columns columns_;
    int label_count_;
    std::vector<Atom> tags_;
    std::unordered_map<Atom, Labels> beneath_;
};

// The best labels of sentences, by weights that somebody else holds.
class SequenceModel {
  public:
    SequenceModel(Lexicon lexicon, Frozen weights);

    std::vector<Labels> decode(const Sentences& sentences, int threads) const;

    // What decoding maximises, and over what: so that it can be compared with trying everything.
    double score(const Sentence& sentence, const Labels& labels) const;
    std::vector<Labels> candidates(const Sentence& sentence) const;

  private:
    Lexicon lexicon_;
    Frozen weights_;
};

// Learns from sentences one after another, so that the outcome depends on nothing but their order.
class SequenceTrainer {
  public:
    SequenceTrainer(Lexicon lexicon, int bits);

    // Learns from every sentence once; tells how many labels were not yet the best by a margin.
    std::size_t learn(const Sentences& sentences, const std::vector<Labels>& gold);
    std::vector<std::int16_t> weights() const { return quantized(weights_.averaged()); }

  private:
    void update(const Sentence& sentence, const Labels& labels, const Labels& instead_of, float direction);

    Lexicon lexicon_;
    Adaptive weights_;
};

}  // namespace spindle
