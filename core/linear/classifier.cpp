#include "linear/classifier.hpp"

#include <algorithm>
#include <cmath>

#include "linear/learning_rate.hpp"
#include "support/random.hpp"

namespace spindle {

namespace {

constexpr float kMinGradient = 0.001f;  // smaller errors are not worth an update

template <class Weights>
void score(const Weights& weights, std::span<const FeatureHash> features, std::span<const Class> candidates,
           std::vector<float>& scores) {
    scores.assign(candidates.size(), 0.0f);
    for (const FeatureHash hash : features)
        for (std::size_t at = 0; at < candidates.size(); ++at)
            scores[at] += weights[adjacent_class(hash, candidates[at])];
}

}  // namespace

Class best_class(const QuantizedWeights& weights, std::span<const FeatureHash> features,
                 std::span<const Class> candidates) {
    thread_local std::vector<float> scores;
    score(weights, features, candidates, scores);
    return candidates[std::max_element(scores.begin(), scores.end()) - scores.begin()];
}

ClassifierTrainer::ClassifierTrainer(std::vector<Decisions> groups, TrainingSettings settings)
    : groups_(std::move(groups)), settings_(settings), weights_(settings.bits) {}

int ClassifierTrainer::run_epoch() {
    int wrong = 0;
    for (const std::uint32_t group : shuffled_epoch(groups_.size(), settings_.seed, done_++)) {
        const Decisions& decisions = groups_[group];
        const float rate = learning_rate(weights_, settings_, groups_.size());
        for (std::size_t at = 0; at < decisions.size(); ++at)
            wrong += !learn(decisions.of(at), decisions.candidates[at], decisions.gold[at], rate);
        weights_.next_step();
    }
    return wrong;
}

bool ClassifierTrainer::learn(std::span<const FeatureHash> features, std::span<const Class> candidates,
                              Class gold, float rate) {
    score(weights_, features, candidates, scores_);
    const auto best = std::max_element(scores_.begin(), scores_.end());
    const bool is_right = candidates[best - scores_.begin()] == gold;
    const float top = *best;
    float sum = 0;
    for (float& one : scores_) sum += one = std::exp(one - top);
    for (std::size_t at = 0; at < candidates.size(); ++at) {
        const float gradient = (candidates[at] == gold ? 1.0f : 0.0f) - scores_[at] / sum;
        if (std::abs(gradient) < kMinGradient) continue;
        for (const FeatureHash hash : features)
            weights_.add(adjacent_class(hash, candidates[at]), rate * gradient);
    }
    return is_right;
}

}  // namespace spindle
