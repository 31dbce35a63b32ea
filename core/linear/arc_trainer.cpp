#include "linear/arc_trainer.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "linear/arc_scoring.hpp"
#include "linear/search.hpp"
#include "support/checks.hpp"
#include "support/parallel.hpp"
#include "support/random.hpp"
#include "trees/dtree.hpp"

namespace spindle {

namespace {

// The first step of a weight (AdaGrad, which is more accurate here than MIRA): in a table of arcs; in a table
// of parts, for projective trees and for others.
constexpr float kArcRate = 0.03f, kProjectiveRate = 0.01f, kNonProjectiveRate = 0.02f;

// A wrong head costs a point.
void add_costs(ArcScores& scores, const std::vector<int>& gold) {
    for (int word = 0; word < scores.size(); ++word)
        for (int head = kRoot; head < scores.size(); ++head)
            if (head != word && head != gold[word] && scores(head, word) > kForbidden)
                scores(head, word) += 1.0f;
}

// Sums up the counts of equal features, and leaves out those whose sum is 0.
void merge(std::vector<std::pair<FeatureHash, int>>& counts) {
    std::sort(counts.begin(), counts.end());
    std::size_t kept = 0;
    for (std::size_t at = 0; at < counts.size();) {
        int total = 0;
        const FeatureHash hash = counts[at].first;
        for (; at < counts.size() && counts[at].first == hash; ++at) total += counts[at].second;
        if (total != 0) counts[kept++] = {hash, total};
    }
    counts.resize(kept);
}

}  // namespace

ArcTrainer::ArcTrainer(ArcOptions options, int bits, TrainingTrees trees, ArcFolds folds)
    : options_(options), trees_(std::move(trees)), folds_(std::move(folds)), weights_(bits) {
    check();
    for (std::size_t at = 0; at < trees_.sentences.size(); ++at)
        if (trees_.sentences[at]->size() > 0)
            dictionary_.see(PaddedSentence(*trees_.sentences[at]), trees_.heads[at]);
    if (!trees_.labels.empty()) label_table_.emplace(trees_);
}

void ArcTrainer::check() const {
    trees_.check();
    for (const std::vector<int>& heads : trees_.heads) check_heads_exist(heads);
    if (trains_arcs() != (options_.order == Order::kBasic))
        throw std::invalid_argument(
            "the higher orders need finished tables of arcs, order basic trains them");
    check_same_length(folds_.tables.size(), "tables", folds_.scales.size(), "scales");
    if (!trains_arcs()) check_same_length(trees_.sentences.size(), "sentences", folds_.folds.size(), "folds");
    for (const int fold : folds_.folds)
        if (fold < 0 || fold >= static_cast<int>(folds_.tables.size()))
            throw std::invalid_argument("there is no fold " + std::to_string(fold));
}

EpochReport ArcTrainer::train_epoch(int epoch, int threads) {
    const std::vector<std::uint32_t> order =
        shuffled(trees_.sentences.size(),
                 seeded_generator(options_.seed * 1000003u + static_cast<std::uint64_t>(epoch)));
    EpochReport report;
    std::vector<Prediction> found(kBatch);
    for (std::size_t start = 0; start < order.size(); start += kBatch) {
        const std::size_t count = std::min(kBatch, order.size() - start);
        parallel_for(count, threads, [&](std::size_t at) { found[at] = predict(order[start + at]); });
        for (std::size_t at = 0; at < count; ++at) update(order[start + at], found[at], report);
    }
    return report;
}

// The best tree where a wrong head, or a wrong label of a right head, scores a point more.
ArcTrainer::Prediction ArcTrainer::predict(std::size_t example) const {
    const std::vector<int>& gold = trees_.heads[example];
    Prediction found;
    if (gold.empty()) return found;
    const PaddedSentence words(*trees_.sentences[example]);
    if (has_arcs_only(words, options_.order)) {
        std::optional<GoldLabels> gold_labels;
        if (label_table_) gold_labels.emplace(GoldLabels{gold, trees_.labels[example]});
        const ArcWeights<AdaGradWeights> arcs{weights_, labels(), gold_labels ? &*gold_labels : nullptr};
        ArcScores scores = score_arcs(words, arcs, dictionary_, &gold);
        add_costs(scores, gold);
        found.heads = decode(scores, options_.projective);
        if (label_table_) found.labels = label_arcs(words, arcs, found.heads);
    } else {
        const QuantizedWeights weights = folds_.of(example);
        const ArcWeights<QuantizedWeights> arcs{weights, labels()};
        found.heads =
            find_best_tree(words, weights_, options_,
                           find_candidate_arcs(words, arcs, weights_, dictionary_, options_, &gold));
    }
    return found;
}

bool ArcTrainer::has_wrong_label(std::size_t example, const Prediction& found, int word) const {
    return trains_labels() && found.labels[word] != trees_.labels[example][word];
}

// The features of the gold tree minus those of the tree that was found.
ArcTrainer::FeatureCounts ArcTrainer::difference(std::size_t example, const Prediction& found) const {
    const PaddedSentence words(*trees_.sentences[example]);
    const std::vector<int>& gold = trees_.heads[example];
    FeatureCounts changes;
    const auto gain = [&](FeatureHash hash) { changes.emplace_back(hash, 1); };
    const auto lose = [&](FeatureHash hash) { changes.emplace_back(hash, -1); };
    for (int word = 0; word < words.size(); ++word) {
        const bool is_wrong = gold[word] != found.heads[word];
        if (trains_labels() && (is_wrong || has_wrong_label(example, found, word))) {
            const Class right = trees_.labels[example][word], other = found.labels[word];
            label_features(words, gold[word], word,
                           [&](FeatureHash hash) { gain(adjacent_class(hash, right)); });
            if (other != kNoLabel)
                label_features(words, found.heads[word], word,
                               [&](FeatureHash hash) { lose(adjacent_class(hash, other)); });
        }
        if (!is_wrong) continue;
        arc_features(words, gold[word], word, gain);
        arc_features(words, found.heads[word], word, lose);
    }
    higher_order_features(words, gold, options_.order, gain);
    higher_order_features(words, found.heads, options_.order, lose);
    merge(changes);
    return changes;
}

// By how much the gold tree scores more than the tree that was found.
double ArcTrainer::margin(std::size_t example, const Prediction& found, const FeatureCounts& changes) const {
    double margin = 0;
    if (!trains_arcs()) {
        const PaddedSentence words(*trees_.sentences[example]);
        const std::vector<int>& gold = trees_.heads[example];
        const QuantizedWeights weights = folds_.of(example);
        const ArcWeights<QuantizedWeights> arcs{weights, labels()};
        for (int word = 0; word < words.size(); ++word)
            if (gold[word] != found.heads[word])
                margin += arc_score(words, arcs, gold[word], word) -
                          arc_score(words, arcs, found.heads[word], word);
    }
    for (const auto& [hash, count] : changes) margin += static_cast<double>(weights_[hash]) * count;
    return margin;
}

void ArcTrainer::update(std::size_t example, const Prediction& found, EpochReport& report) {
    const std::vector<int>& gold = trees_.heads[example];
    weights_.next_step();
    int cost = 0;
    for (int word = 0; word < static_cast<int>(gold.size()); ++word) {
        report.correct += gold[word] == found.heads[word];
        cost += gold[word] != found.heads[word] || has_wrong_label(example, found, word);
    }
    report.words += gold.size();
    if (cost == 0) return;
    const FeatureCounts changes = difference(example, found);
    const double loss = cost - margin(example, found, changes);
    if (loss <= 0) return;
    report.loss += loss;
    const float rate = trains_arcs() ? kArcRate : options_.projective ? kProjectiveRate : kNonProjectiveRate;
    for (const auto& [hash, count] : changes) weights_.step_along(hash, static_cast<float>(count), rate);
}

}  // namespace spindle
