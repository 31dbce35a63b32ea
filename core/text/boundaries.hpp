// Token and sentence boundaries in raw text: a logistic classifier of every place where one is possible.
//
// A piece is a stretch of text without blanks. Between two characters of a piece a token may end; at a blank
// a sentence may end, too. The sentence classifier sees the tokens that the token classifier has found.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "linear/weights.hpp"
#include "text/characters.hpp"

namespace spindle {

// What is known about words: bits by the hash of their plain characters.
class WordKinds {
  public:
    WordKinds() = default;
    // Throws std::invalid_argument if the columns differ in length.
    WordKinds(std::span<const std::uint64_t> keys, std::span<const std::uint32_t> kinds);

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
};

// Columns: token i has the characters begins[i] to ends[i] - 1; sentence_starts are numbers of tokens.
struct Boundaries {
    std::vector<std::uint32_t> begins, ends, sentence_starts;
};

Boundaries find_boundaries(const Characters& text, const WordKinds& kinds, const QuantizedWeights& weights);

class BoundaryTrainer {
  public:
    BoundaryTrainer(WordKinds kinds, int bits, std::uint64_t seed);

    // Adds a document and its boundaries.
    void add(const Characters& text, const Boundaries& gold);

    // One pass over all decisions, in one thread; returns the number of wrong ones.
    int run_epoch(float rate);

    std::size_t decisions() const { return gold_.size(); }
    std::vector<float> weights() const { return weights_.averaged(); }

  private:
    WordKinds kinds_;
    AdaGradWeights weights_;
    std::uint64_t seed_;
    int done_ = 0;
    std::vector<FeatureHash> features_;
    std::vector<std::size_t> starts_{0};
    std::vector<std::uint8_t> gold_;
};

}  // namespace spindle
