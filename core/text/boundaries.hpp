// Token and sentence boundaries in raw text: a logistic classifier of every place where one is possible.
//
// A piece is a stretch of text without blanks. Between two characters of a piece a token may end; at a blank
// a sentence may end, too. The sentence classifier sees the tokens that the token classifier has found.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "linear/hashing.hpp"
#include "linear/weights.hpp"
#include "text/characters.hpp"

namespace spindle {

// Words and names, as one bit for every hash of their plain characters; a few others are in it by chance.
class Vocabulary {
  public:
    Vocabulary() = default;
    // A table of 2^bits bits with these words and names; throws std::invalid_argument for other than 3 to 30
    // bits.
    Vocabulary(std::span<const std::uint64_t> words, std::span<const std::uint64_t> names, int bits);
    // The set with this table; throws std::invalid_argument unless its size is a power of two.
    explicit Vocabulary(std::span<const std::uint8_t> table);

    bool has_word(std::uint64_t key) const { return has(key); }
    bool has_name(std::uint64_t key) const { return has(as_name(key)); }
    const std::vector<std::uint8_t>& table() const { return table_; }

  private:
    static std::uint64_t as_name(std::uint64_t key) { return mix(key, 1); }
    bool has(std::uint64_t key) const {
        const std::size_t place = place_of(key);
        return !table_.empty() && (table_[place >> 3] >> (place & 7) & 1) != 0;
    }
    void add(std::uint64_t key);
    std::size_t place_of(std::uint64_t key) const { return key >> kIndexShift & (8 * table_.size() - 1); }

    std::vector<std::uint8_t> table_;
};

// What is known about words: bits by the hash of their plain characters, and the words that are frequent.
class WordKinds {
  public:
    WordKinds() = default;
    // Throws std::invalid_argument if the columns differ in length.
    WordKinds(std::span<const std::uint64_t> keys, std::span<const std::uint32_t> kinds,
              Vocabulary vocabulary);

    // Bits: 1 for a frequent word, 2 for a frequent name.
    std::uint64_t frequent(std::uint64_t key) const {
        return (vocabulary_.has_word(key) ? 1 : 0) | (vocabulary_.has_name(key) ? 2 : 0);
    }

    std::uint32_t of(std::uint64_t key) const {
        const auto found = kinds_.find(key);
        return found == kinds_.end() ? 0 : found->second;
    }
    static std::uint64_t key(std::span<const std::uint32_t> plain);

    // A word without marks that is nevertheless split, after this many characters: `can|not`.
    static constexpr std::uint32_t kSplitMask = 0xF;
    static constexpr int kSplitBits = 4;

  private:
    std::unordered_map<std::uint64_t, std::uint32_t> kinds_;
    Vocabulary vocabulary_;
};

// Columns: token i has the characters begins[i] to ends[i] - 1; sentence_starts are numbers of tokens.
struct Boundaries {
    std::vector<std::uint32_t> begins, ends, sentence_starts;
};

// The two decisions: where tokens end, and where sentences end. Each has weights of its own.
enum class Decision : std::uint8_t { kToken, kSentence };

Boundaries find_boundaries(const Characters& text, const WordKinds& kinds,
                           const QuantizedWeights& token_weights, const QuantizedWeights& sentence_weights);

class BoundaryTrainer {
  public:
    BoundaryTrainer(WordKinds kinds, int bits, std::uint64_t seed);

    // Adds a document and its boundaries.
    void add(const Characters& text, const Boundaries& gold);

    // One pass over all decisions, in one thread; returns the number of wrong ones.
    int run_epoch(float rate);

    std::size_t decisions() const { return gold_.size(); }
    std::vector<float> weights(Decision decision) const { return weights_of(decision).averaged(); }

  private:
    const AdaGradWeights& weights_of(Decision decision) const {
        return decision == Decision::kToken ? token_weights_ : sentence_weights_;
    }

    WordKinds kinds_;
    AdaGradWeights token_weights_, sentence_weights_;
    std::uint64_t seed_;
    int done_ = 0;
    std::vector<FeatureHash> features_;
    std::vector<std::size_t> starts_{0};
    std::vector<std::uint8_t> gold_;
    std::vector<Decision> kinds_of_decisions_;
};

}  // namespace spindle
