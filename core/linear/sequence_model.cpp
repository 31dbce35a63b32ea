#include "linear/sequence_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "support/parallel.hpp"

namespace spindle {

namespace {

// Figures are accuracies on the development parts of english-gum / dutch-alpino / german-pcc, the mean of two
// seeds. All that is here together gets 96.54 / 97.35 / 94.42; differences below 0.05 / 0.1 / 0.2 are chance.

// From how many occurrences on a word is frequent. 5: 96.34 / 97.10 / 93.94; 12: 96.48 / 97.36 / 94.16.
constexpr int kFrequent = 30;
// Of more candidates the best are kept, judged without transitions. 4: 96.46 / 97.34 / 94.35; 16: no better,
// and twice as slow.
constexpr std::size_t kMostCandidates = 8;
// A gold label must win by 1, and every weight has a step of its own, smaller from change to change
// (AdaGrad). With the first set of templates: averaged perceptron 0.27 / 0.22 / 0.48 worse, MIRA 0.08 / 0.19
// / 0.37 worse, a conditional random field no better in twice the time.
constexpr float kStepSize = 0.06f;

enum Template : std::uint64_t {
    kForm,
    kLower,
    kPrevious,
    kNext,
    kSecondPrevious,
    kSecondNext,
    kPrefix,                // and four more
    kSuffix = kPrefix + 5,  // and five more
    kFlags = kSuffix + 6,
    kCapitalEnding,
    kPreviousEnding,
    kNextEnding,
    kPreviousShape,
    kNextShape,
    kBothEnds,
    kShapedEnding,
    kTagBefore,
    kTagAfter,
    kTagsAround,
    kTagsBefore,
    kTagsAfter,
    kWordBeforeTag,
    kWordAfterTag,
    kPair,
    kPairAndShape,
    kSkip,
    kTriple,
    kTemplates,
};

class Features {
  public:
    // The features of one word, to be conjoined with its label.
    //
    // Without words ±1 96.33 / 97.21 / 94.39, words ±2 96.33 / 97.34 / 94.29, endings and shapes of the
    // neighbours 96.47 / 97.25 / 94.02, prefixes 96.47 / 97.37 / 94.07, suffixes 96.14 / 97.28 / 93.48, flags
    // and capital endings 96.38 / 97.32 / 93.97; with prefixes of at most 3 and suffixes of at most 4 letters
    // 96.42 / 97.14 / 93.73. Frequent words need no such: with them 96.43 / 97.36 / 94.24. What did not pay:
    // pairs of words (96.55 / 97.40 / 94.21), classes of words with the same candidates (96.49 / 97.39 /
    // 94.10), affixes conjoined with neighbouring words, hiding the forms of rare words at random.
    void read(const Lexicon& lexicon, const Sentence& sentence, int at) {
        size_ = 0;
        const WordAtoms& word = sentence[at];
        add(kForm, word.form);
        add(kLower, word.lower);
        add(kPrevious, sentence.lower(at - 1));
        add(kNext, sentence.lower(at + 1));
        add(kSecondPrevious, sentence.lower(at - 2));
        add(kSecondNext, sentence.lower(at + 2));
        const bool is_first = at == 0, is_last = at + 1 == sentence.size();
        add(kPreviousEnding, is_first ? static_cast<Atom>(kStart) : sentence[at - 1].suffix[2]);
        add(kNextEnding, is_last ? static_cast<Atom>(kEnd) : sentence[at + 1].suffix[2]);
        add(kPreviousShape, is_first ? static_cast<Atom>(kStart) : sentence[at - 1].shape);
        add(kNextShape, is_last ? static_cast<Atom>(kEnd) : sentence[at + 1].shape);
        if (!lexicon.is_frequent(word.form)) {
            for (std::size_t length = 0; length < std::size(word.prefix) && word.prefix[length]; ++length)
                add(kPrefix + length, word.prefix[length]);
            for (std::size_t length = 0; length < std::size(word.suffix) && word.suffix[length]; ++length)
                add(kSuffix + length, word.suffix[length]);
            add(kFlags, word.has_digit, word.has_upper, word.has_hyphen, is_first);
            add(kCapitalEnding, word.suffix[2], word.has_upper, is_first);
            add(kBothEnds, word.prefix[2], word.suffix[2]);
            add(kShapedEnding, word.shape, word.suffix[3]);
        }
        if (lexicon.has_tags()) {
            const Atom before = sentence.tag(at - 1), tag = sentence.tag(at), after = sentence.tag(at + 1);
            add(kTagBefore, before);
            add(kTagAfter, after);
            add(kTagsAround, before, tag, after);
            add(kTagsBefore, sentence.tag(at - 2), before);
            add(kTagsAfter, after, sentence.tag(at + 2));
            add(kWordBeforeTag, sentence.lower(at - 1), tag);
            add(kWordAfterTag, tag, sentence.lower(at + 1));
        }
    }

    const FeatureHash* begin() const { return hashes_.data(); }
    const FeatureHash* end() const { return hashes_.data() + size_; }

  private:
    template <class... Values>
    void add(std::uint64_t kind, Values... values) {
        hashes_[size_++] = feature(kind, values...);
    }

    std::array<FeatureHash, kTemplates> hashes_;
    std::size_t size_ = 0;
};

// The features of a label and the one or two before it. Pairs alone 96.27 / 97.18 / 94.13, with triples 96.46
// / 97.22 / 94.21, with skips too 96.52 / 97.26 / 94.13. Pairs or triples conjoined with words do not pay.
FeatureHash pair(Label before) { return feature(kPair, before); }
FeatureHash pair_and_shape(Label before, Atom shape) { return feature(kPairAndShape, before, shape); }
FeatureHash skip(Label second_before) { return feature(kSkip, second_before); }
FeatureHash triple(Label second_before, Label before) { return feature(kTriple, second_before, before); }

// Calls visit(hash) for the features of `labels` that those of `instead_of` lack.
template <class Visit>
void visit_features(const Lexicon& lexicon, const Sentence& sentence, const Labels& labels,
                    const Labels& instead_of, Visit&& visit) {
    const auto outside = static_cast<Label>(lexicon.label_count());
    const auto label_at = [&](const Labels& column, int at) { return at < 0 ? outside : column[at]; };
    Features features;
    for (int at = 0; at < sentence.size(); ++at) {
        const Label label = labels[at];
        const Label before = label_at(labels, at - 1), second_before = label_at(labels, at - 2);
        const bool differs = label != instead_of[at];
        const bool differs_before = before != label_at(instead_of, at - 1);
        const bool differs_second_before = second_before != label_at(instead_of, at - 2);
        if (differs) {
            features.read(lexicon, sentence, at);
            for (const FeatureHash hash : features) visit(beside(hash, label));
        }
        if (differs || differs_before) {
            visit(beside(pair(before), label));
            visit(beside(pair_and_shape(before, sentence[at].shape), label));
        }
        if (differs || differs_second_before) visit(beside(skip(second_before), label));
        if (differs || differs_before || differs_second_before)
            visit(beside(triple(second_before, before), label));
    }
}

// The candidates of the words of a sentence and how well each fits its word; kept from sentence to sentence
// to spare allocations.
class Lattice {
  public:
    // With gold labels they are among the candidates, and all others get a bonus that they must be beaten by.
    template <class Weights>
    void read(const Lexicon& lexicon, const Weights& weights, const Sentence& sentence, const Labels* gold) {
        starts_.assign(1, 0);
        labels_.clear();
        scores_.clear();
        for (int at = 0; at < sentence.size(); ++at) {
            lexicon.find_candidates(sentence[at].form, sentence.tag(at), candidates_);
            candidate_scores_.assign(candidates_.size(), 0.0f);
            if (candidates_.size() > 1) {  // else there is nothing to choose, which goes for most words
                features_.read(lexicon, sentence, at);
                for (const FeatureHash hash : features_)
                    for (std::size_t number = 0; number < candidates_.size(); ++number)
                        candidate_scores_[number] += weights[beside(hash, candidates_[number])];
                if (gold)
                    for (std::size_t number = 0; number < candidates_.size(); ++number)
                        if (candidates_[number] != (*gold)[at]) candidate_scores_[number] += 1.0f;
            }
            keep_best(gold ? &(*gold)[at] : nullptr);
            starts_.push_back(static_cast<int>(labels_.size()));
        }
    }

    std::span<const Label> labels(int at) const { return std::span(labels_).subspan(starts_[at], count(at)); }
    std::span<const float> scores(int at) const { return std::span(scores_).subspan(starts_[at], count(at)); }
    std::size_t count(int at) const { return starts_[at + 1] - starts_[at]; }

  private:
    void keep_best(const Label* gold) {
        ranking_.resize(candidates_.size());
        std::iota(ranking_.begin(), ranking_.end(), 0);
        if (ranking_.size() > kMostCandidates) {
            const auto end = ranking_.begin() + kMostCandidates;
            const auto is_better = [&](int one, int other) {
                const float difference = candidate_scores_[one] - candidate_scores_[other];
                return difference != 0 ? difference > 0 : one < other;
            };
            std::partial_sort(ranking_.begin(), end, ranking_.end(), is_better);
            const auto is_gold = [&](int number) { return gold && candidates_[number] == *gold; };
            if (const auto found = std::find_if(end, ranking_.end(), is_gold); found != ranking_.end())
                std::swap(*found, *(end - 1));
            ranking_.resize(kMostCandidates);
        }
        for (const int number : ranking_) {
            labels_.push_back(candidates_[number]);
            scores_.push_back(candidate_scores_[number]);
        }
    }

    std::vector<int> starts_, ranking_;
    Labels labels_, candidates_;
    std::vector<float> scores_, candidate_scores_;
    Features features_;
};

template <class Weights>
class Decoder {
  public:
    Decoder(const Lexicon& lexicon, const Weights& weights) : lexicon_(lexicon), weights_(weights) {}

    // The best labels by Viterbi's algorithm; a state is the labels of a word and of the one before it.
    Labels best(const Sentence& sentence, const Labels* gold = nullptr) {
        const int size = sentence.size();
        Labels labels(size);
        if (size == 0) return labels;
        lattice_.read(lexicon_, weights_, sentence, gold);
        origin_starts_.clear();
        origins_.clear();
        states_.assign(1, 0.0);
        for (int at = 0; at < size; ++at) advance(sentence, at);
        auto state =
            static_cast<std::size_t>(std::max_element(states_.begin(), states_.end()) - states_.begin());
        for (int at = size - 1; at >= 0; --at) {
            const std::size_t count = lattice_.count(at), before = state / count;
            labels[at] = lattice_.labels(at)[state % count];
            const std::size_t second_before = origins_[origin_starts_[at] + state];
            state = second_before * (at > 0 ? lattice_.count(at - 1) : 1) + before;
        }
        return labels;
    }

  private:
    std::span<const Label> labels_at(int at) const {
        return at < 0 ? std::span<const Label>(&outside_, 1) : lattice_.labels(at);
    }

    // From the states of the word before to those of this one.
    void advance(const Sentence& sentence, int at) {
        const auto labels = labels_at(at), befores = labels_at(at - 1), second_befores = labels_at(at - 2);
        const auto scores = lattice_.scores(at);
        const std::size_t count = labels.size();
        next_states_.assign(befores.size() * count, -std::numeric_limits<double>::infinity());
        origin_starts_.push_back(origins_.size());
        origins_.resize(origins_.size() + next_states_.size());
        std::uint8_t* const origins = origins_.data() + origin_starts_.back();
        skips_.resize(second_befores.size() * count);
        for (std::size_t second = 0; second < second_befores.size(); ++second)
            for (std::size_t number = 0; number < count; ++number)
                skips_[second * count + number] =
                    weights_[beside(skip(second_befores[second]), labels[number])];
        for (std::size_t first = 0; first < befores.size(); ++first) {
            double* const reached = next_states_.data() + first * count;
            for (std::size_t second = 0; second < second_befores.size(); ++second) {
                const double so_far = states_[second * befores.size() + first];
                const FeatureHash hash = triple(second_befores[second], befores[first]);
                for (std::size_t number = 0; number < count; ++number) {
                    const double score =
                        so_far + (weights_[beside(hash, labels[number])] + skips_[second * count + number]);
                    if (score > reached[number]) {
                        reached[number] = score;
                        origins[first * count + number] = static_cast<std::uint8_t>(second);
                    }
                }
            }
            const FeatureHash hash = pair(befores[first]);
            const FeatureHash shaped = pair_and_shape(befores[first], sentence[at].shape);
            for (std::size_t number = 0; number < count; ++number)
                reached[number] += scores[number] + weights_[beside(hash, labels[number])] +
                                   weights_[beside(shaped, labels[number])];
        }
        states_.swap(next_states_);
    }

    const Lexicon& lexicon_;
    const Weights& weights_;
    const Label outside_ = static_cast<Label>(lexicon_.label_count());
    Lattice lattice_;
    std::vector<double> states_, next_states_;
    std::vector<float> skips_;
    std::vector<std::uint8_t> origins_;  // the second label before, for every state of every word
    std::vector<std::size_t> origin_starts_;
};

void check_gold(const Sentences& sentences, const std::vector<Labels>& gold, int label_count) {
    if (gold.size() != sentences.size())
        throw std::invalid_argument("labels must be given for every sentence");
    for (std::size_t number = 0; number < gold.size(); ++number) {
        if (static_cast<int>(gold[number].size()) != sentences[number]->size())
            throw std::invalid_argument("labels must be as many as there are words");
        for (const Label label : gold[number])
            if (label >= label_count)
                throw std::invalid_argument("there is no label " + std::to_string(label));
    }
}

}  // namespace

Lexicon::Lexicon(Columns columns, int label_count, std::vector<Atom> tags)
    : columns_(std::move(columns)), label_count_(label_count), tags_(std::move(tags)) {
    const auto& [words, starts, labels, open] = columns_;
    const auto is_label = [&](Label label) { return label < label_count_; };
    // the last number stands for what is before a sentence
    if (label_count_ < 1 || label_count_ >= std::numeric_limits<Label>::max())
        throw std::invalid_argument("a lexicon has 1 to 65534 labels, not " + std::to_string(label_count_));
    if (!tags_.empty() && static_cast<int>(tags_.size()) != label_count_)
        throw std::invalid_argument("a lexicon has a tag above every label, or none");
    if (starts.size() != words.size() + 1 || starts.front() != 0 || starts.back() != labels.size() ||
        !std::is_sorted(starts.begin(), starts.end()) || !std::is_sorted(words.begin(), words.end()) ||
        !std::all_of(labels.begin(), labels.end(), is_label) ||
        !std::all_of(open.begin(), open.end(), is_label) || open.empty())
        throw std::invalid_argument("the columns of a lexicon do not belong together");
    for (std::size_t label = 0; label < tags_.size(); ++label)
        beneath_[tags_[label]].push_back(static_cast<Label>(label));
}

Lexicon Lexicon::learn(const Sentences& sentences, const std::vector<Labels>& gold, int label_count,
                       std::vector<Atom> tags) {
    check_gold(sentences, gold, label_count);
    std::vector<std::pair<Atom, Label>> seen;
    for (std::size_t number = 0; number < sentences.size(); ++number)
        for (int at = 0; at < sentences[number]->size(); ++at)
            seen.emplace_back((*sentences[number])[at].form, gold[number][at]);
    std::sort(seen.begin(), seen.end());

    Columns columns;
    columns.starts.push_back(0);
    std::vector<bool> is_open(label_count, false);
    for (auto word = seen.begin(); word != seen.end();) {
        const auto end =
            std::find_if(word, seen.end(), [&](const auto& other) { return other.first != word->first; });
        if (end - word >= kFrequent) {
            columns.words.push_back(word->first);
            for (auto entry = word; entry != end; ++entry)
                if (entry == word || entry->second != (entry - 1)->second)
                    columns.labels.push_back(entry->second);
            columns.starts.push_back(static_cast<std::uint32_t>(columns.labels.size()));
        } else {
            for (auto entry = word; entry != end; ++entry) is_open[entry->second] = true;
        }
        word = end;
    }
    // where every word is frequent, nothing is known of others
    const bool are_all_open = std::find(is_open.begin(), is_open.end(), true) == is_open.end();
    for (int label = 0; label < label_count; ++label)
        if (are_all_open || is_open[label]) columns.open.push_back(static_cast<Label>(label));
    return Lexicon(std::move(columns), label_count, std::move(tags));
}

std::span<const Label> Lexicon::labels_of(Atom form) const {
    const auto& [words, starts, labels, open] = columns_;
    const auto found = std::lower_bound(words.begin(), words.end(), form);
    if (found == words.end() || *found != form) return {};
    const auto word = static_cast<std::size_t>(found - words.begin());
    return std::span(labels).subspan(starts[word], starts[word + 1] - starts[word]);
}

void Lexicon::find_candidates(Atom form, Atom tag, Labels& candidates) const {
    candidates.clear();
    const std::span<const Label> known = labels_of(form);
    if (has_tags()) {
        for (const Label label : known)
            if (tags_[label] == tag) candidates.push_back(label);
        if (candidates.empty())
            if (const auto found = beneath_.find(tag); found != beneath_.end()) candidates = found->second;
    }
    // a tag that was never seen binds nothing
    if (candidates.empty()) candidates.assign(known.begin(), known.end());
    if (candidates.empty()) candidates = columns_.open;
}

SequenceModel::SequenceModel(Lexicon lexicon, Frozen weights)
    : lexicon_(std::move(lexicon)), weights_(weights) {}

std::vector<Labels> SequenceModel::decode(const Sentences& sentences, int threads) const {
    constexpr std::size_t kBatch = 64;
    std::vector<Labels> labels(sentences.size());
    parallel_for((sentences.size() + kBatch - 1) / kBatch, threads, [&](std::size_t batch) {
        Decoder decoder(lexicon_, weights_);
        const std::size_t end = std::min(sentences.size(), (batch + 1) * kBatch);
        for (std::size_t number = batch * kBatch; number < end; ++number)
            labels[number] = decoder.best(*sentences[number]);
    });
    return labels;
}

double SequenceModel::score(const Sentence& sentence, const Labels& labels) const {
    check_gold({&sentence}, {labels}, lexicon_.label_count());
    double total = 0;
    // instead of labels that there are not: every feature differs
    const Labels none(labels.size(), std::numeric_limits<Label>::max());
    visit_features(lexicon_, sentence, labels, none, [&](FeatureHash hash) { total += weights_[hash]; });
    return total;
}

std::vector<Labels> SequenceModel::candidates(const Sentence& sentence) const {
    Lattice lattice;
    lattice.read(lexicon_, weights_, sentence, nullptr);
    std::vector<Labels> candidates;
    for (int at = 0; at < sentence.size(); ++at)
        candidates.emplace_back(lattice.labels(at).begin(), lattice.labels(at).end());
    return candidates;
}

SequenceTrainer::SequenceTrainer(Lexicon lexicon, int bits) : lexicon_(std::move(lexicon)), weights_(bits) {}

std::size_t SequenceTrainer::learn(const Sentences& sentences, const std::vector<Labels>& gold) {
    check_gold(sentences, gold, lexicon_.label_count());
    std::size_t wrong = 0;
    Decoder decoder(lexicon_, weights_);
    for (std::size_t number = 0; number < sentences.size(); ++number) {
        const Sentence& sentence = *sentences[number];
        const Labels best = decoder.best(sentence, &gold[number]);
        if (best != gold[number]) {
            for (std::size_t at = 0; at < best.size(); ++at) wrong += best[at] != gold[number][at];
            update(sentence, gold[number], best, 1.0f);
            update(sentence, best, gold[number], -1.0f);
        }
        weights_.next_step();
    }
    return wrong;
}

void SequenceTrainer::update(const Sentence& sentence, const Labels& labels, const Labels& instead_of,
                             float direction) {
    visit_features(lexicon_, sentence, labels, instead_of,
                   [&](FeatureHash hash) { weights_.step_along(hash, direction, kStepSize); });
}

}  // namespace spindle
