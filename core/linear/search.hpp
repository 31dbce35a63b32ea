// The search for the best tree of the orders above basic, over the candidate heads of every word.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "linear/arc_options.hpp"
#include "linear/candidate_arcs.hpp"
#include "linear/grand_sibling_decoder.hpp"
#include "linear/hill_climbing.hpp"
#include "support/random.hpp"

namespace spindle {

// Searches the best tree of one sentence.
template <class Parts, class Seen>
class TreeSearch {
  public:
    TreeSearch(const PaddedSentence& words, const Parts& parts, const ArcOptions& options,
               const CandidateArcs& candidates, Seen& seen)
        : words_(words),
          options_(options),
          candidates_(candidates),
          seen_(seen),
          climber_(words, parts, options, candidates, cache()) {
        if (words.size() <= GrandSiblingDecoder<Parts>::kLongest)
            decoder_.emplace(words, parts, options.order, candidates);
    }

    std::vector<int> best_tree() {
        std::vector<int> exact = decoder_ ? decoder_->decode() : std::vector<int>();
        if (exact.empty()) decoder_.reset();
        if (decoder_ && options_.projective && options_.order == Order::kStandard) {
            seen_(exact);
            return exact;
        }
        if (decoder_) consider(std::move(exact));
        if (!decoder_ || !options_.projective) consider(candidates_.start);
        improve();
        start_from_noise();
        return best_;
    }

  private:
    static constexpr int kRounds = 8;
    static constexpr float kEnough = 1e-3f;

    static PartCache& cache() {
        thread_local PartCache cache;
        return cache;
    }

    // Climbs from a tree; returns whether the result is better than all trees before.
    bool consider(std::vector<int> heads) {
        const double score = climber_.climb(heads);
        seen_(heads);
        if (!best_.empty() && score <= best_score_ + kEnough) return false;
        best_score_ = score;
        best_ = std::move(heads);
        return true;
    }

    // Looks for better trees that differ from the best one in several heads.
    void improve() {
        bool changed = true;
        for (int round = 0; changed && round < kRounds; ++round) {
            std::vector<int> heads = best_;
            changed = climber_.take_detours(heads) && consider(std::move(heads));
            if (!options_.projective)
                changed |= consider(spindle::decode(climber_.scores_around(best_), false));
        }
    }

    // Starts from trees that are best if the scores of arcs have noise.
    void start_from_noise() {
        const int size = words_.size();
        const std::uint64_t seed = options_.seed ^ (static_cast<std::uint64_t>(size) << 32) ^ words_.word(0) ^
                                   words_.word(size - 1) * 31ull;
        SplitMix64 random = seeded_generator(seed);
        // the noise is as large as the differences between heads
        const float noise = size > 0 ? static_cast<float>(0.5 * candidates_.spread / size) : 0.0f;
        for (int again = 1; again < options_.starts && size > 2; ++again) {
            ArcScores noisy = options_.projective ? candidates_.scores : climber_.scores_around(best_);
            for (int word = 0; word < size; ++word)
                for (const int head : candidates_.heads[word])
                    noisy(head, word) = bounded_score(noisy(head, word) + noise * random.gumbel());
            std::vector<int> heads = decoder_ && options_.projective
                                         ? decoder_->decode(noisy)
                                         : spindle::decode(noisy, options_.projective);
            if (!heads.empty() && consider(std::move(heads))) improve();
        }
    }

    const PaddedSentence& words_;
    const ArcOptions& options_;
    const CandidateArcs& candidates_;
    Seen& seen_;
    HillClimber<Parts> climber_;
    std::optional<GrandSiblingDecoder<Parts>> decoder_;  // none where the sentence is too long
    std::vector<int> best_;
    double best_score_ = 0;
};

// The best tree that is found; `seen` is called with every tree that was reached. For projective trees of
// order standard the search is exact. All others are found by hill climbing: from a good projective tree, and
// from trees that are best with noise; for non-projective ones also from the best tree of the first table.
template <class Parts, class Seen>
std::vector<int> find_best_tree(const PaddedSentence& words, const Parts& parts, const ArcOptions& options,
                                const CandidateArcs& candidates, Seen&& seen) {
    return TreeSearch(words, parts, options, candidates, seen).best_tree();
}

template <class Parts>
std::vector<int> find_best_tree(const PaddedSentence& words, const Parts& parts, const ArcOptions& options,
                                const CandidateArcs& candidates) {
    return find_best_tree(words, parts, options, candidates, [](const std::vector<int>&) {});
}

}  // namespace spindle
