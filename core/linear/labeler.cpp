#include "linear/labeler.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "decoding/sequence.hpp"
#include "support/parallel.hpp"
#include "support/random.hpp"

namespace spindle {

namespace {

constexpr int kTop = Backbone::kTop;
constexpr std::size_t kFallback = 32;  // labels to try where nothing like the arc was seen
constexpr std::size_t kBatch = 8;
constexpr float kRate = 0.1f;    // of learning; it falls to a tenth of that
constexpr float kSmall = 0.01f;  // what is less wrong than this is not worth an update

using Options = std::vector<std::span<const Class>>;

FeatureHash pair_key(Atom head, Atom modifier, bool right) { return feature(0, head, modifier, right); }
FeatureHash head_key(Atom head, bool right) { return feature(1, head, right); }
FeatureHash any_key(bool is_root) { return feature(2, is_root); }

ClassTable seen_labels(const std::vector<const Sentence*>& sentences,
                       const std::vector<std::vector<int>>& heads,
                       const std::vector<std::vector<Class>>& labels, int count) {
    if (heads.size() != sentences.size() || labels.size() != sentences.size())
        throw std::invalid_argument("sentences, heads and labels are not equally many");
    Sightings seen;
    for (std::size_t at = 0; at < sentences.size(); ++at) {
        check_heads(*sentences[at], heads[at]);
        if (labels[at].size() != heads[at].size())
            throw std::invalid_argument("heads and labels are not equally many");
        const Backbone tree(*sentences[at], heads[at]);
        for (int modifier = 0; modifier < tree.size(); ++modifier) {
            const int head = tree.head(modifier);
            const Class label = labels[at][modifier];
            seen.add(pair_key(tree.tag(head), tree.tag(modifier), modifier > head), label);
            seen.add(head_key(tree.tag(head), modifier > head), label);
            seen.add(any_key(head == kTop), label);
        }
    }
    return seen.table(count);
}

// Whether there is anything to choose among the labels of a head's modifiers.
bool find_options(const LabelTable& table, const Backbone& tree, int head, Options& options) {
    options.clear();
    bool is_choice = false;
    for (const int modifier : tree.modifiers(head)) {
        options.push_back(table.find(tree, modifier));
        is_choice |= options.back().size() > 1;
    }
    return is_choice;
}

template <class Weights>
void score(const Weights& weights, const Backbone& tree, int head, const Options& options,
           ScoredSequence& scores) {
    scores.clear();
    FeatureList features;
    for (std::size_t rank = 0; rank < options.size(); ++rank) {
        const std::span<const Class> here = options[rank];
        const std::size_t start = scores.single.size();
        scores.single.resize(start + here.size(), 0.0f);
        scores.starts.push_back(static_cast<int>(scores.single.size()));
        if (here.size() > 1) {
            tree.arc_features(head, static_cast<int>(rank), features);
            float* single = scores.single.data() + start;
            for (const FeatureHash hash : features)
                for (std::size_t option = 0; option < here.size(); ++option)
                    single[option] += weights[beside(hash, here[option])];
        }
        if (rank == 0) continue;
        const std::span<const Class> before = options[rank - 1];
        const std::size_t table = scores.pairs.size();
        scores.pairs.resize(table + before.size() * here.size(), 0.0f);
        if (before.size() * here.size() == 1) continue;
        tree.pair_features(head, static_cast<int>(rank), features);
        for (const FeatureHash hash : features) {
            float* row = scores.pairs.data() + table;
            for (const Class label : before) {
                const FeatureHash after = for_class(hash, label);
                for (std::size_t option = 0; option < here.size(); ++option)
                    row[option] += weights[beside(after, here[option])];
                row += here.size();
            }
        }
    }
}

// One step of the gradient: how much more (or less) a label should score, alone or after another one.
struct Change {
    int head, rank;
    Class before, label;  // before: kAlone, or the label of the modifier before
    float amount;
};
constexpr Class kAlone = -1;

struct Lesson {
    std::vector<Change> changes;
    int wrong = 0;
};

Lesson study(const Backbone& tree, const std::vector<Class>& gold, const Learning& weights,
             const LabelTable& table) {
    Lesson lesson;
    ScoredSequence scores;
    Options options;
    const auto change = [&](int head, int rank, Class before, Class label, float amount) {
        if (std::abs(amount) >= kSmall) lesson.changes.push_back({head, rank, before, label, amount});
    };
    for (int head = kTop; head < tree.size(); ++head) {
        if (!find_options(table, tree, head, options)) continue;
        score(weights, tree, head, options, scores);
        const Marginals found = marginals(scores);
        const std::span<const int> modifiers = tree.modifiers(head);
        const float* pairs = found.pairs.data();
        for (int rank = 0; rank < scores.places(); ++rank) {
            const std::span<const Class> here = options[rank];
            const Class right = gold[modifiers[rank]];
            const float* single = found.single.data() + scores.starts[rank];
            for (std::size_t at = 0; at < here.size(); ++at)
                change(head, rank, kAlone, here[at], (here[at] == right ? 1.0f : 0.0f) - single[at]);
            lesson.wrong += here[std::max_element(single, single + here.size()) - single] != right;
            if (rank == 0) continue;
            const Class right_before = gold[modifiers[rank - 1]];
            for (const Class before : options[rank - 1])
                for (const Class label : here)
                    change(head, rank, before, label,
                           (before == right_before && label == right ? 1.0f : 0.0f) - *pairs++);
        }
    }
    return lesson;
}

void learn(const Backbone& tree, const std::vector<Change>& changes, float rate, Learning& weights) {
    FeatureList features;
    const Change* last = nullptr;
    for (const Change& change : changes) {
        const bool is_alone = change.before == kAlone;
        // changes of the same kind and place follow each other
        if (!last || last->head != change.head || last->rank != change.rank ||
            (last->before == kAlone) != is_alone) {
            if (is_alone)
                tree.arc_features(change.head, change.rank, features);
            else
                tree.pair_features(change.head, change.rank, features);
        }
        last = &change;
        for (const FeatureHash hash : features)
            weights.add(beside(is_alone ? hash : for_class(hash, change.before), change.label),
                        rate * change.amount);
    }
}

}  // namespace

void check_heads(const Sentence& sentence, const std::vector<int>& heads) {
    if (static_cast<int>(heads.size()) != sentence.size())
        throw std::invalid_argument(std::to_string(heads.size()) + " heads for " +
                                    std::to_string(sentence.size()) + " words");
}

LabelTable::LabelTable(const std::vector<const Sentence*>& sentences,
                       const std::vector<std::vector<int>>& heads,
                       const std::vector<std::vector<Class>>& labels, int count)
    : table_(seen_labels(sentences, heads, labels, count)) {}

std::span<const Class> LabelTable::find(const Backbone& tree, int modifier) const {
    const int head = tree.head(modifier);
    return find(tree.tag(head), tree.tag(modifier), modifier > head, head == kTop);
}

std::span<const Class> LabelTable::find(Atom head, Atom modifier, bool is_right, bool is_root) const {
    std::span<const Class> found = table_.find(pair_key(head, modifier, is_right));
    if (!found.empty()) return found;
    found = table_.find(head_key(head, is_right));
    if (found.empty()) found = table_.find(any_key(is_root));
    return found.first(std::min(found.size(), kFallback));
}

Labeling Labeler::label(const Sentence& sentence, const std::vector<int>& heads,
                        bool with_confidences) const {
    check_heads(sentence, heads);
    const Backbone tree(sentence, heads);
    Labeling labeling{std::vector<Class>(heads.size()),
                      std::vector<float>(with_confidences ? heads.size() : 0, 1.0f)};
    ScoredSequence scores;
    Options options;
    for (int head = kTop; head < tree.size(); ++head) {
        const std::span<const int> modifiers = tree.modifiers(head);
        if (!find_options(table_, tree, head, options)) {
            for (std::size_t rank = 0; rank < modifiers.size(); ++rank)
                labeling.labels[modifiers[rank]] = options[rank].empty() ? kNoLabel : options[rank][0];
            continue;
        }
        score(weights_, tree, head, options, scores);
        const std::vector<int> chosen = best_sequence(scores);
        for (std::size_t rank = 0; rank < modifiers.size(); ++rank)
            labeling.labels[modifiers[rank]] = options[rank][chosen[rank]];
        if (!with_confidences) continue;
        for (float& one : scores.single) one *= weights_.scale();
        for (float& one : scores.pairs) one *= weights_.scale();
        const Marginals found = marginals(scores);
        for (std::size_t rank = 0; rank < modifiers.size(); ++rank)
            labeling.confidences[modifiers[rank]] = found.single[scores.starts[rank] + chosen[rank]];
    }
    return labeling;
}

LabelerTraining::LabelerTraining(std::vector<const Sentence*> sentences, std::vector<std::vector<int>> heads,
                                 std::vector<std::vector<Class>> labels, int count, int bits, int epochs,
                                 std::uint64_t seed)
    : sentences_(std::move(sentences)),
      heads_(std::move(heads)),
      labels_(std::move(labels)),
      table_(sentences_, heads_, labels_, count),
      weights_(bits),
      seed_(seed),
      epochs_(epochs) {}

int LabelerTraining::run_epoch(int threads) {
    const std::vector<std::uint32_t> order = shuffled(sentences_.size(), seed_, done_++);
    int wrong = 0;
    std::vector<Lesson> lessons(kBatch);
    for (std::size_t start = 0; start < order.size(); start += kBatch) {
        const std::size_t count = std::min(kBatch, order.size() - start);
        const float seen = static_cast<float>(weights_.step()) / static_cast<float>(epochs_ * order.size());
        const float rate = kRate * (1.0f - 0.9f * std::min(seen, 1.0f));
        parallel_for(count, threads, [&](std::size_t at) {
            const std::uint32_t example = order[start + at];
            lessons[at] = study({*sentences_[example], heads_[example]}, labels_[example], weights_, table_);
        });
        for (std::size_t at = 0; at < count; ++at) {
            const std::uint32_t example = order[start + at];
            wrong += lessons[at].wrong;
            if (!lessons[at].changes.empty())
                learn({*sentences_[example], heads_[example]}, lessons[at].changes, rate, weights_);
            weights_.next_step();
        }
    }
    return wrong;
}

}  // namespace spindle
