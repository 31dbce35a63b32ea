#include "linear/classifier.hpp"

#include <algorithm>
#include <cmath>

#include "support/random.hpp"

namespace spindle {

namespace {

constexpr float kRate = 0.1f;     // of learning; it falls to a tenth of that
constexpr float kSmall = 0.001f;  // what is less wrong than this is not worth an update

template <class Weights>
void score(const Weights& weights, std::span<const FeatureHash> features, std::span<const Class> candidates,
           std::vector<float>& scores) {
    scores.assign(candidates.size(), 0.0f);
    for (const FeatureHash hash : features)
        for (std::size_t at = 0; at < candidates.size(); ++at)
            scores[at] += weights[beside(hash, candidates[at])];
}

}  // namespace

Class best_class(const Frozen& weights, std::span<const FeatureHash> features,
                 std::span<const Class> candidates) {
    thread_local std::vector<float> scores;
    score(weights, features, candidates, scores);
    return candidates[std::max_element(scores.begin(), scores.end()) - scores.begin()];
}

ClassifierTraining::ClassifierTraining(std::vector<Decisions> groups, int bits, int epochs,
                                       std::uint64_t seed)
    : groups_(std::move(groups)), weights_(bits), seed_(seed), epochs_(epochs) {}

int ClassifierTraining::run_epoch() {
    int wrong = 0;
    for (const std::uint32_t group : shuffled(groups_.size(), seed_, done_++)) {
        const Decisions& decisions = groups_[group];
        const float seen = static_cast<float>(weights_.step()) / static_cast<float>(epochs_ * groups_.size());
        const float rate = kRate * (1.0f - 0.9f * std::min(seen, 1.0f));
        for (std::size_t at = 0; at < decisions.size(); ++at)
            wrong += !learn(decisions.of(at), decisions.candidates[at], decisions.gold[at], rate);
        weights_.next_step();
    }
    return wrong;
}

bool ClassifierTraining::learn(std::span<const FeatureHash> features, std::span<const Class> candidates,
                               Class gold, float rate) {
    score(weights_, features, candidates, scores_);
    const auto best = std::max_element(scores_.begin(), scores_.end());
    const bool is_right = candidates[best - scores_.begin()] == gold;
    const float top = *best;
    float sum = 0;
    for (float& one : scores_) sum += one = std::exp(one - top);
    for (std::size_t at = 0; at < candidates.size(); ++at) {
        const float gradient = (candidates[at] == gold ? 1.0f : 0.0f) - scores_[at] / sum;
        if (std::abs(gradient) < kSmall) continue;
        for (const FeatureHash hash : features) weights_.add(beside(hash, candidates[at]), rate * gradient);
    }
    return is_right;
}

}  // namespace spindle
