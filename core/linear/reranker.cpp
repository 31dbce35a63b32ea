#include "linear/reranker.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "linear/tree_features.hpp"
#include "support/checks.hpp"
#include "support/interrupt.hpp"
#include "support/random.hpp"

namespace spindle {

namespace {

constexpr float kRate = 0.05f, kParserRate = 0.02f;
constexpr float kMinGradient = 0.001f;  // smaller errors are not worth an update

std::vector<FeatureHash> features_of(const Sentence& sentence, const HashedTree& tree) {
    std::vector<FeatureHash> features;
    add_tree_features(Constituents(sentence, tree), features);
    return features;
}

}  // namespace

Reranker::Reranker(QuantizedWeights weights, float parser_weight)
    : weights_(weights), parser_weight_(parser_weight) {
    if (!std::isfinite(parser_weight))
        throw std::invalid_argument("the weight of the parser's scores must be a finite number");
}

std::vector<float> Reranker::scores(const Sentence& sentence, const std::vector<HashedTree>& trees,
                                    std::span<const float> parser_scores) const {
    check_same_length(trees.size(), "trees", parser_scores.size(), "scores");
    std::vector<float> scores;
    for (std::size_t at = 0; at < trees.size(); ++at) {
        poll_interrupt(static_cast<std::size_t>(sentence.size()) * 100);
        float total = 0;
        for (const FeatureHash hash : features_of(sentence, trees[at])) total += weights_[hash];
        scores.push_back(total * weights_.scale() + parser_weight_ * parser_scores[at]);
    }
    return scores;
}

RerankerTrainer::RerankerTrainer(TrainingSettings settings) : settings_(settings), weights_(settings.bits) {}

void RerankerTrainer::add(const Sentence& sentence, const std::vector<HashedTree>& trees,
                          std::span<const float> parser_scores, std::span<const float> qualities) {
    check_same_length(trees.size(), "trees", parser_scores.size(), "scores");
    check_same_length(trees.size(), "trees", qualities.size(), "qualities");
    if (trees.empty()) return;
    const auto [worst, best] = std::minmax_element(qualities.begin(), qualities.end());
    if (*worst == *best) return;
    List list{{},
              std::vector<float>(parser_scores.begin(), parser_scores.end()),
              std::vector<float>(qualities.begin(), qualities.end())};
    for (const HashedTree& tree : trees) list.counts.push_back(counts_of(sentence, tree));
    std::vector<Count> shared = list.counts[0];
    for (const std::vector<Count>& of_tree : list.counts) {
        std::vector<Count> both;
        std::set_intersection(shared.begin(), shared.end(), of_tree.begin(), of_tree.end(),
                              std::back_inserter(both));
        shared = std::move(both);
    }
    for (std::vector<Count>& of_tree : list.counts) {
        std::vector<Count> own;
        std::set_difference(of_tree.begin(), of_tree.end(), shared.begin(), shared.end(),
                            std::back_inserter(own));
        of_tree = std::move(own);
    }
    lists_.push_back(std::move(list));
}

std::vector<RerankerTrainer::Count> RerankerTrainer::counts_of(const Sentence& sentence,
                                                               const HashedTree& tree) const {
    std::vector<std::uint32_t> places;
    for (const FeatureHash hash : features_of(sentence, tree))
        places.push_back(static_cast<std::uint32_t>((hash >> kIndexShift) & (weights_.size() - 1)));
    std::sort(places.begin(), places.end());
    std::vector<Count> counts;
    for (const std::uint32_t place : places) {
        if (counts.empty() || counts.back().place != place) counts.push_back({place, 0});
        ++counts.back().times;
    }
    return counts;
}

double RerankerTrainer::run_epoch() {
    double total = 0;
    const float done = static_cast<float>(done_) / static_cast<float>(std::max(settings_.epochs, 1));
    for (const std::uint32_t number : shuffled_epoch(lists_.size(), settings_.seed, done_++)) {
        total += learn(lists_[number], 1.0f - 0.9f * done);
        weights_.next_step();
    }
    return lists_.empty() ? 0 : total / static_cast<double>(lists_.size());
}

double RerankerTrainer::learn(const List& list, float rate) {
    const std::size_t count = list.counts.size();
    std::vector<float> scores(count);
    for (std::size_t at = 0; at < count; ++at) {
        scores[at] = parser_weight_ * list.parser_scores[at];
        for (const auto& [place, times] : list.counts[at])
            scores[at] += weights_[FeatureHash{place} << kIndexShift] * times;
    }
    const std::size_t chosen = std::max_element(scores.begin(), scores.end()) - scores.begin();
    const float best = *std::max_element(list.qualities.begin(), list.qualities.end()), top = scores[chosen];
    float sum = 0, sum_of_best = 0;
    for (std::size_t at = 0; at < count; ++at) {
        sum += scores[at] = std::exp(scores[at] - top);
        if (list.qualities[at] == best) sum_of_best += scores[at];
    }
    float parser_gradient = 0;
    for (std::size_t at = 0; at < count; ++at) {
        const float target = list.qualities[at] == best && sum_of_best > 0 ? scores[at] / sum_of_best : 0.0f;
        const float gradient = target - scores[at] / sum;
        if (std::abs(gradient) < kMinGradient) continue;
        parser_gradient += gradient * list.parser_scores[at];
        for (const auto& [place, times] : list.counts[at])
            weights_.step_along(FeatureHash{place} << kIndexShift, gradient * times, kRate * rate);
    }
    parser_squares_ += parser_gradient * parser_gradient;
    parser_weight_ += kParserRate * rate * parser_gradient / std::sqrt(1.0f + parser_squares_);
    return list.qualities[chosen];
}

}  // namespace spindle
