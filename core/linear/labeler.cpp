#include "linear/labeler.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "decoding/sequence.hpp"
#include "linear/learning_rate.hpp"
#include "support/interrupt.hpp"
#include "support/parallel.hpp"
#include "support/random.hpp"

namespace spindle {

namespace {

constexpr std::size_t kBatch = 8;
constexpr std::size_t kStepsOfPair = 50;  // what the score of two labels costs
constexpr float kMinGradient = 0.01f;     // smaller errors are not worth an update
constexpr float kMostErrors = 400;        // see `damping`

// The candidate labels of every modifier of a head.
using Options = std::vector<std::span<const Class>>;

// Returns whether any modifier of the head has several candidates. Every modifier has at least one.
bool find_options(const LabelTable& table, const UnlabeledTree& tree, int head, Options& options) {
    static constexpr Class kUnseen[] = {kNoLabel};
    options.clear();
    bool is_choice = false;
    for (const int modifier : tree.modifiers(head)) {
        const std::span<const Class> found = table.find(tree, modifier);
        options.push_back(found.empty() ? std::span<const Class>(kUnseen) : found);
        is_choice |= options.back().size() > 1;
    }
    return is_choice;
}

template <class Weights>
void score_labels(const Weights& weights, const LabelFeatures& features, std::span<const Class> labels,
                  float* scores) {
    for (const FeatureHash hash : features)
        for (std::size_t option = 0; option < labels.size(); ++option)
            scores[option] += weights[adjacent_class(hash, labels[option])];
}

template <class Weights>
void score_pairs(const Weights& weights, const LabelFeatures& features, std::span<const Class> before,
                 std::span<const Class> labels, float* scores) {
    for (const FeatureHash hash : features) {
        float* row = scores;
        for (const Class label : before) {
            const FeatureHash after = scattered_class(hash, label);
            for (std::size_t option = 0; option < labels.size(); ++option)
                row[option] += weights[adjacent_class(after, labels[option])];
            row += labels.size();
        }
    }
}

// Scores the labels of all modifiers of a head. What has no alternative scores 0.
template <class Weights>
void score(const Weights& weights, const UnlabeledTree& tree, int head, const Options& options,
           ScoredSequence& scores) {
    scores.clear();
    LabelFeatures features;
    for (std::size_t rank = 0; rank < options.size(); ++rank) {
        const std::span<const Class> here = options[rank];
        const std::size_t start = scores.single.size();
        scores.single.resize(start + here.size(), 0.0f);
        scores.starts.push_back(static_cast<int>(scores.single.size()));
        if (here.size() > 1) {
            tree.arc_features(head, static_cast<int>(rank), features);
            score_labels(weights, features, here, scores.single.data() + start);
        }
        if (rank == 0) continue;
        const std::span<const Class> before = options[rank - 1];
        poll_interrupt(before.size() * here.size() * kStepsOfPair);
        const std::size_t table = scores.pairs.size();
        scores.pairs.resize(table + before.size() * here.size(), 0.0f);
        if (before.size() * here.size() == 1) continue;
        tree.pair_features(head, static_cast<int>(rank), features);
        score_pairs(weights, features, before, here, scores.pairs.data() + table);
    }
}

// The derivative of the log-likelihood with respect to the score of one label, alone or after another one.
struct Derivative {
    int head, rank;
    Class before, label;  // before: kAlone, or the label of the modifier before
    float amount;
};
constexpr Class kAlone = -2;

struct Gradient {
    std::vector<Derivative> derivatives;
    int wrong = 0;  // labels that are not the most probable ones

    // The arcs of a sentence share features, so the errors of thousands of arcs, added up, would go far
    // beyond the point where they are right, and undo what other sentences teach. Returns what to multiply a
    // step with: the farther a sentence is beyond the limit, the less it counts as a whole.
    float damping() const {
        float errors = 0;
        for (const Derivative& one : derivatives) errors += std::abs(one.amount);
        const float share = std::min(1.0f, kMostErrors / std::max(errors, 1.0f));
        return share * share;
    }
};

Gradient compute_gradient(const UnlabeledTree& tree, const std::vector<Class>& gold,
                          const AveragedWeights& weights, const LabelTable& table) {
    Gradient gradient;
    ScoredSequence scores;
    Options options;
    const auto add = [&](int head, int rank, Class before, Class label, float amount) {
        if (std::abs(amount) >= kMinGradient)
            gradient.derivatives.push_back({head, rank, before, label, amount});
    };
    for (int head = kRoot; head < tree.size(); ++head) {
        if (!find_options(table, tree, head, options)) continue;
        score(weights, tree, head, options, scores);
        const SequenceMarginals found = marginals(scores);
        const std::span<const int> modifiers = tree.modifiers(head);
        const float* pairs = found.pairs.data();
        for (int rank = 0; rank < scores.places(); ++rank) {
            const std::span<const Class> here = options[rank];
            const Class right = gold[modifiers[rank]];
            const float* single = found.single.data() + scores.starts[rank];
            for (std::size_t at = 0; at < here.size(); ++at)
                add(head, rank, kAlone, here[at], (here[at] == right ? 1.0f : 0.0f) - single[at]);
            gradient.wrong += here[std::max_element(single, single + here.size()) - single] != right;
            if (rank == 0) continue;
            const Class right_before = gold[modifiers[rank - 1]];
            for (const Class before : options[rank - 1])
                for (const Class label : here)
                    add(head, rank, before, label,
                        (before == right_before && label == right ? 1.0f : 0.0f) - *pairs++);
        }
    }
    return gradient;
}

void apply_gradient(const UnlabeledTree& tree, const Gradient& gradient, float rate,
                    AveragedWeights& weights) {
    LabelFeatures features;
    rate *= gradient.damping();
    const Derivative* last = nullptr;
    for (const Derivative& one : gradient.derivatives) {
        const bool is_alone = one.before == kAlone;
        // derivatives with the same features follow each other
        if (!last || last->head != one.head || last->rank != one.rank ||
            (last->before == kAlone) != is_alone) {
            if (is_alone)
                tree.arc_features(one.head, one.rank, features);
            else
                tree.pair_features(one.head, one.rank, features);
        }
        last = &one;
        for (const FeatureHash hash : features)
            weights.add(adjacent_class(is_alone ? hash : scattered_class(hash, one.before), one.label),
                        rate * one.amount);
    }
}

}  // namespace

Labeling Labeler::label(const Sentence& sentence, const std::vector<int>& heads,
                        bool with_confidences) const {
    check_head_count(sentence, heads);
    const UnlabeledTree tree(sentence, heads, templates_);
    Labeling labeling{std::vector<Class>(heads.size()),
                      std::vector<float>(with_confidences ? heads.size() : 0, 1.0f)};
    ScoredSequence scores;
    Options options;
    for (int head = kRoot; head < tree.size(); ++head) {
        const std::span<const int> modifiers = tree.modifiers(head);
        if (!find_options(table_, tree, head, options)) {
            for (std::size_t rank = 0; rank < modifiers.size(); ++rank)
                labeling.labels[modifiers[rank]] = options[rank][0];
            continue;
        }
        score(weights_, tree, head, options, scores);
        const std::vector<int> chosen = best_sequence(scores);
        for (std::size_t rank = 0; rank < modifiers.size(); ++rank)
            labeling.labels[modifiers[rank]] = options[rank][chosen[rank]];
        if (!with_confidences) continue;
        for (float& one : scores.single) one *= weights_.scale();
        for (float& one : scores.pairs) one *= weights_.scale();
        const SequenceMarginals found = marginals(scores);
        for (std::size_t rank = 0; rank < modifiers.size(); ++rank)
            labeling.confidences[modifiers[rank]] = found.single[scores.starts[rank] + chosen[rank]];
    }
    return labeling;
}

LabelerTrainer::LabelerTrainer(TrainingTrees trees, TrainingSettings settings, LabelTemplates templates)
    : trees_(std::move(trees)),
      settings_(settings),
      table_(trees_),
      templates_(templates),
      weights_(settings.bits) {}

int LabelerTrainer::run_epoch(int threads) {
    const std::vector<std::uint32_t> order = shuffled_epoch(trees_.sentences.size(), settings_.seed, done_++);
    int wrong = 0;
    std::vector<Gradient> gradients(kBatch);
    for (std::size_t start = 0; start < order.size(); start += kBatch) {
        const std::size_t count = std::min(kBatch, order.size() - start);
        const float rate = learning_rate(weights_, settings_, order.size());
        parallel_for(count, threads, [&](std::size_t at) {
            const std::uint32_t example = order[start + at];
            gradients[at] = compute_gradient(tree(example), trees_.labels[example], weights_, table_);
        });
        for (std::size_t at = 0; at < count; ++at) {
            wrong += gradients[at].wrong;
            if (!gradients[at].derivatives.empty())
                apply_gradient(tree(order[start + at]), gradients[at], rate, weights_);
            weights_.next_step();
        }
    }
    return wrong;
}

}  // namespace spindle
