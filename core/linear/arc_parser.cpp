#include "linear/arc_parser.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>

#include "support/parallel.hpp"

namespace spindle {

namespace {

// How far a weight moves at first: in a table of arcs; in one of larger parts, for projective trees and
// others. MIRA instead of such steps is 0.4 F1 worse on english-gum with order basic. Larger parts,
// english-gum with order standard: 0.01 80.14, 0.015 79.89; dutch-alpino with order full: 0.01 71.25,
// 0.02 71.39 (discontinuous constituents 39.3 and 41.1).
constexpr float kArcRate = 0.03f, kProjectiveRate = 0.01f, kAnyRate = 0.02f;

// One pass of random numbers that is the same on every machine.
class Chance {
  public:
    explicit Chance(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull + 0xD1B54A32D192ED03ull) {}
    std::uint64_t next() {
        std::uint64_t value = (state_ += 0x9E3779B97F4A7C15ull);
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
        return value ^ (value >> 31);
    }
    // between 0 and 1, neither included
    double fraction() { return (static_cast<double>(next() >> 11) + 0.5) / 9007199254740992.0; }
    // as the largest of many equal chances is distributed: scores with such noise sample trees
    float gumbel() { return static_cast<float>(-std::log(-std::log(fraction()))); }

  private:
    std::uint64_t state_;
};

template <class Table>
float arc_score(const PartWords& words, const Table& table, int head, int modifier) {
    // Hashes first, weights then: the look-ups miss the cache and should wait together.
    FeatureHash hashes[128];
    int count = 0;
    arc_features(words, head, modifier, [&](FeatureHash hash) { hashes[count++] = hash; });
    float total = 0;
    for (int at = 0; at < count; ++at) total += table[hashes[at]];
    return total * table.scale();
}

template <class Table>
float arc_score(const PartWords& words, const ArcWeights<Table>& table, int head, int modifier) {
    const float alone = arc_score(words, table.weights, head, modifier);
    return table.labels ? alone + table.label(words, head, modifier).score : alone;
}

template <class Table>
std::vector<Class> label_arcs(const PartWords& words, const ArcWeights<Table>& table,
                              const std::vector<int>& heads) {
    std::vector<Class> labels(heads.size());
    for (int word = 0; word < words.size(); ++word)
        labels[word] = table.label(words, heads[word], word).label;
    return labels;
}

// Scores of all arcs that the dictionary allows; a word that is allowed no head is allowed them all.
template <class Table>
ArcScores all_arcs(const PartWords& words, const Table& table, const ArcDictionary& dictionary,
                   const std::vector<int>* gold) {
    ArcScores scores(words.size());
    for (int word = 0; word < words.size(); ++word) {
        bool any = false;
        for (int pass = 0; pass < 2 && !any; ++pass)
            for (int head = -1; head < words.size(); ++head) {
                if (head == word) continue;
                if (pass == 1 || dictionary.allows(words, head, word) || (gold && (*gold)[word] == head)) {
                    scores(head, word) = arc_score(words, table, head, word);
                    any = true;
                }
            }
    }
    return scores;
}

std::vector<int> decode(const ArcScores& scores, bool projective) {
    return projective ? best_projective_tree(scores) : best_tree(scores);
}

void add_costs(ArcScores& scores, const std::vector<int>& gold) {
    for (int word = 0; word < scores.size(); ++word)
        for (int head = -1; head < scores.size(); ++head)
            if (head != word && head != gold[word] && scores(head, word) > kForbidden)
                scores(head, word) += 1.0f;
}

// What climbing starts from: the first table's scores and best tree, the candidates, and their arcs' scores.
struct Foothold {
    ArcScores first;
    std::vector<int> start;
    Candidates candidates;
    ArcScores scores;
    double spread;  // by how much a word's best head is better than the next, for all words together
};

// `gold`, if given, is among the candidates, and other heads score a point more.
template <class Arcs, class Parts>
Foothold find_foothold(const PartWords& words, const Arcs& arcs, const Parts& parts,
                       const ArcDictionary& dictionary, const ArcOptions& options,
                       const std::vector<int>* gold) {
    const int size = words.size();
    const ArcScores first = all_arcs(words, arcs, dictionary, gold);
    std::vector<int> start = decode(first, options.projective);

    Candidates candidates(size);
    ArcScores scores(size);
    double spread = 0;
    for (int word = 0; word < size; ++word) {
        std::vector<int>& heads = candidates[word];
        for (int head = -1; head < size; ++head)
            if (head != word && first(head, word) > kForbidden) heads.push_back(head);
        const auto better = [&](int one, int other) { return first(one, word) > first(other, word); };
        const std::size_t count = std::min<std::size_t>(options.candidates, heads.size());
        std::partial_sort(heads.begin(), heads.begin() + static_cast<std::ptrdiff_t>(count), heads.end(),
                          better);
        heads.resize(count);
        if (count > 1) spread += first(heads[0], word) - first(heads[1], word);
        const auto include = [&](int head) {
            if (std::find(heads.begin(), heads.end(), head) == heads.end()) heads.push_back(head);
        };
        include(start[word]);
        if (gold) include((*gold)[word]);
        for (const int head : heads)
            scores(head, word) = first(head, word) + arc_score(words, parts, head, word) +
                                 (gold && head != (*gold)[word] ? 1.0f : 0.0f);
    }
    return {first, std::move(start), std::move(candidates), std::move(scores), spread};
}

// The tree of higher order; `seen` is called with every tree that was climbed to.
template <class Parts, class Seen>
std::vector<int> climb(const PartWords& words, const ArcOptions& options, const Foothold& foothold,
                       Climber<Parts>& climber, Seen&& seen) {
    const int size = words.size();
    const auto& [first, start, candidates, scores, spread] = foothold;
    std::vector<int> best = start;
    double best_score = climber.climb(best);
    seen(best);
    // Further starts: the best trees under the first table's scores with noise of their own size.
    Chance chance(options.seed ^ (static_cast<std::uint64_t>(size) << 32) ^ words.word(0) ^
                  words.word(size - 1) * 31ull);
    const float noise = size > 0 ? static_cast<float>(0.5 * spread / size) : 0.0f;
    for (int again = 1; again < options.starts && size > 2; ++again) {
        ArcScores noisy(size);
        for (int word = 0; word < size; ++word)
            for (const int head : candidates[word])
                noisy(head, word) = first(head, word) + noise * chance.gumbel();
        std::vector<int> heads = decode(noisy, options.projective);
        const double score = climber.climb(heads);
        seen(heads);
        if (score > best_score + 1e-3) best_score = score, best = std::move(heads);
    }
    return best;
}

template <class Arcs, class Parts>
std::vector<int> parse_higher(const PartWords& words, const Arcs& arcs, const Parts& parts,
                              const ArcDictionary& dictionary, const ArcOptions& options,
                              const std::vector<int>* gold, PartCache& cache) {
    const Foothold foothold = find_foothold(words, arcs, parts, dictionary, options, gold);
    Climber<Parts> climber(words, parts, options.order, foothold.scores, foothold.candidates,
                           options.projective, cache);
    return climb(words, options, foothold, climber, [](const std::vector<int>&) {});
}

}  // namespace

// ── the dictionary ──

std::uint64_t ArcDictionary::key(const PartWords& words, int head, int modifier) {
    return feature(1000, words.tag_of(head), words.tag(modifier), direction(head, modifier));
}

void ArcDictionary::see(const PartWords& words, const std::vector<int>& heads) {
    for (int word = 0; word < words.size(); ++word) {
        std::int32_t& farthest = farthest_[key(words, heads[word], word)];
        farthest = std::max(farthest, heads[word] == kAboveRoot ? 1 : std::abs(heads[word] - word));
    }
}

bool ArcDictionary::allows(const PartWords& words, int head, int modifier) const {
    const auto found = farthest_.find(key(words, head, modifier));
    return found != farthest_.end() && (head == kAboveRoot || std::abs(head - modifier) <= found->second);
}

std::vector<std::uint64_t> ArcDictionary::keys() const {
    std::vector<std::uint64_t> keys;
    for (const auto& [key, distance] : farthest_) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    return keys;
}

std::vector<std::int32_t> ArcDictionary::distances(const std::vector<std::uint64_t>& keys) const {
    std::vector<std::int32_t> distances;
    for (const std::uint64_t key : keys) distances.push_back(farthest_.at(key));
    return distances;
}

void ArcDictionary::restore(const std::vector<std::uint64_t>& keys,
                            const std::vector<std::int32_t>& distances) {
    if (keys.size() != distances.size())
        throw std::invalid_argument("an arc dictionary's columns are not equally long");
    farthest_.clear();
    for (std::size_t at = 0; at < keys.size(); ++at) farthest_[keys[at]] = distances[at];
}

// ── parsing ──

std::vector<std::vector<int>> ArcParser::parse(const std::vector<const Sentence*>& sentences,
                                               int threads) const {
    std::vector<std::vector<int>> found(sentences.size());
    parallel_for(sentences.size(), threads, [&](std::size_t at) {
        if (sentences[at]->size() == 0) return;
        const PartWords words(*sentences[at]);
        if (options_.order == Order::kBasic || words.size() > kLongest) {
            found[at] = decode(all_arcs(words, arcs(), dictionary_, nullptr), options_.projective);
        } else {
            thread_local PartCache cache;
            found[at] = parse_higher(words, arcs(), parts_, dictionary_, options_, nullptr, cache);
        }
    });
    return found;
}

std::vector<std::vector<ScoredTree>> ArcParser::parse_k_best(const std::vector<const Sentence*>& sentences,
                                                             int k, int threads) const {
    std::vector<std::vector<ScoredTree>> found(sentences.size());
    const auto best = [&](const ArcScores& scores, int count) {
        return options_.projective ? best_projective_trees(scores, count) : best_trees(scores, count);
    };
    parallel_for(sentences.size(), threads, [&](std::size_t at) {
        if (sentences[at]->size() == 0) return found[at].push_back({{}, 0});
        const PartWords words(*sentences[at]);
        if (options_.order == Order::kBasic || words.size() > kLongest) {
            found[at] = best(all_arcs(words, arcs(), dictionary_, nullptr), k);
            return;
        }
        thread_local PartCache cache;
        const Foothold foothold = find_foothold(words, arcs(), parts_, dictionary_, options_, nullptr);
        Climber<Frozen> climber(words, parts_, options_.order, foothold.scores, foothold.candidates,
                                options_.projective, cache);
        std::set<std::vector<int>> others;
        const auto keep = [&](const std::vector<int>& heads) { others.insert(heads); };
        const std::vector<int> first = climb(words, options_, foothold, climber, keep);
        for (ScoredTree& tree : best(foothold.first, 2 * k)) others.insert(std::move(tree.heads));
        others.erase(first);
        found[at].push_back({first, score(words, first)});
        // Should one of them score more than the tree that was climbed to, it comes second all the same.
        for (const std::vector<int>& heads : others)
            found[at].push_back({heads, std::min(score(words, heads), found[at][0].score)});
        std::stable_sort(found[at].begin() + 1, found[at].end(),
                         [](const auto& one, const auto& other) { return one.score > other.score; });
        if (static_cast<int>(found[at].size()) > k) found[at].resize(k);
    });
    return found;
}

std::vector<ArcMarginals> ArcParser::head_probabilities(const std::vector<const Sentence*>& sentences,
                                                        float temperature, int threads) const {
    std::vector<ArcMarginals> found(sentences.size(), ArcMarginals(0));
    parallel_for(sentences.size(), threads, [&](std::size_t at) {
        ArcScores scores = all_arcs(PartWords(*sentences[at]), arcs(), dictionary_, nullptr);
        for (int word = 0; word < scores.size(); ++word)
            for (int head = -1; head < scores.size(); ++head)
                if (scores(head, word) > kForbidden) scores(head, word) /= temperature;
        found[at] = options_.projective ? projective_marginals(scores) : marginals(scores);
    });
    return found;
}

std::vector<std::vector<Class>> ArcParser::label(const std::vector<const Sentence*>& sentences,
                                                 const std::vector<std::vector<int>>& heads,
                                                 int threads) const {
    if (!labels_) throw std::invalid_argument("the parser has not learnt any labels");
    if (heads.size() != sentences.size())
        throw std::invalid_argument("sentences and heads are not equally many");
    std::vector<std::vector<Class>> found(sentences.size());
    parallel_for(sentences.size(), threads, [&](std::size_t at) {
        check_heads(*sentences[at], heads[at]);
        found[at] = label_arcs(PartWords(*sentences[at]), arcs(), heads[at]);
    });
    return found;
}

double ArcParser::score(const Sentence& sentence, const std::vector<int>& heads) const {
    return score(PartWords(sentence), heads);
}

double ArcParser::score(const PartWords& words, const std::vector<int>& heads) const {
    double total = 0;
    for (int word = 0; word < words.size(); ++word) total += arc_score(words, arcs(), heads[word], word);
    if (options_.order == Order::kBasic) return total;
    for (int word = 0; word < words.size(); ++word) total += arc_score(words, parts_, heads[word], word);
    double larger = 0;
    larger_part_features(words, heads, options_.order, [&](FeatureHash hash) { larger += parts_[hash]; });
    return total + larger * parts_.scale();
}

// ── training ──

ArcTrainer::ArcTrainer(ArcOptions options, int bits, std::vector<const Sentence*> sentences,
                       std::vector<std::vector<int>> heads, std::vector<std::vector<std::int16_t>> arcs,
                       std::vector<float> scales, std::vector<int> folds,
                       std::vector<std::vector<Class>> labels, int label_count)
    : options_(options),
      sentences_(std::move(sentences)),
      heads_(std::move(heads)),
      arcs_(std::move(arcs)),
      scales_(std::move(scales)),
      folds_(std::move(folds)),
      labels_(std::move(labels)),
      weights_(bits) {
    if (sentences_.size() != heads_.size())
        throw std::invalid_argument("as many lists of heads as sentences are needed");
    if (arcs_.empty() != (options_.order == Order::kBasic))
        throw std::invalid_argument("the higher orders need finished tables of arcs, order basic makes them");
    if (!arcs_.empty() && folds_.size() != sentences_.size())
        throw std::invalid_argument("every sentence needs a fold");
    for (const int fold : folds_)
        if (fold < 0 || fold >= static_cast<int>(arcs_.size()))
            throw std::invalid_argument("there is no such fold");
    for (std::size_t at = 0; at < sentences_.size(); ++at) {
        if (static_cast<int>(heads_[at].size()) != sentences_[at]->size())
            throw std::invalid_argument("as many heads as words are needed");
        if (sentences_[at]->size() > 0) dictionary_.see(PartWords(*sentences_[at]), heads_[at]);
    }
    if (!labels_.empty()) label_table_.emplace(sentences_, heads_, labels_, label_count);
}

EpochReport ArcTrainer::train_epoch(int epoch, int threads) {
    std::vector<std::size_t> order(sentences_.size());
    std::iota(order.begin(), order.end(), 0);
    Chance chance(options_.seed * 1000003u + static_cast<std::uint64_t>(epoch));
    for (std::size_t left = order.size(); left > 1; --left)
        std::swap(order[left - 1], order[chance.next() % left]);

    EpochReport report;
    std::vector<std::vector<int>> found(kBatch);
    std::vector<std::vector<Class>> found_labels(kBatch);
    for (std::size_t start = 0; start < order.size(); start += kBatch) {
        const std::size_t count = std::min(kBatch, order.size() - start);
        parallel_for(count, threads, [&](std::size_t at) {
            const std::size_t example = order[start + at];
            const std::vector<int>& gold = heads_[example];
            if (gold.empty()) return;
            const PartWords words(*sentences_[example]);
            if (options_.order == Order::kBasic || words.size() > kLongest) {
                const ArcWeights<Adaptive> arcs{weights_, labels(), &gold,
                                                label_table_ ? &labels_[example] : nullptr};
                ArcScores scores = all_arcs(words, arcs, dictionary_, &gold);
                add_costs(scores, gold);
                found[at] = decode(scores, options_.projective);
                if (label_table_) found_labels[at] = label_arcs(words, arcs, found[at]);
            } else {
                thread_local PartCache cache;
                const Frozen arcs = arcs_of(example);
                found[at] = parse_higher(words, ArcWeights<Frozen>{arcs, labels()}, weights_, dictionary_,
                                         options_, &gold, cache);
            }
        });
        for (std::size_t at = 0; at < count; ++at)
            update(order[start + at], found[at], found_labels[at], report);
    }
    return report;
}

void ArcTrainer::update(std::size_t example, const std::vector<int>& found,
                        const std::vector<Class>& found_labels, EpochReport& report) {
    const std::vector<int>& gold = heads_[example];
    weights_.next_step();
    // the labels of a table of parts are those of the finished table of arcs
    const bool has_labels = label_table_ && arcs_.empty();
    const auto is_mislabelled = [&](std::size_t word) {
        return has_labels && found_labels[word] != labels_[example][word];
    };
    int cost = 0;
    for (std::size_t word = 0; word < gold.size(); ++word) {
        report.correct += gold[word] == found[word];
        cost += gold[word] != found[word] || is_mislabelled(word);
    }
    report.words += gold.size();
    if (cost == 0) return;

    // The features that the gold tree has more often than the one found, and the other way round.
    const PartWords words(*sentences_[example]);
    std::vector<std::pair<FeatureHash, int>> changes;
    for (int word = 0; word < words.size(); ++word) {
        if (has_labels && (gold[word] != found[word] || is_mislabelled(word))) {
            label_features(words, gold[word], word, [&](FeatureHash hash) {
                changes.emplace_back(beside(hash, labels_[example][word]), 1);
            });
            if (found_labels[word] != kNoLabel)
                label_features(words, found[word], word, [&](FeatureHash hash) {
                    changes.emplace_back(beside(hash, found_labels[word]), -1);
                });
        }
        if (gold[word] == found[word]) continue;
        arc_features(words, gold[word], word, [&](FeatureHash hash) { changes.emplace_back(hash, 1); });
        arc_features(words, found[word], word, [&](FeatureHash hash) { changes.emplace_back(hash, -1); });
    }
    larger_part_features(words, gold, options_.order,
                         [&](FeatureHash hash) { changes.emplace_back(hash, 1); });
    larger_part_features(words, found, options_.order,
                         [&](FeatureHash hash) { changes.emplace_back(hash, -1); });
    std::sort(changes.begin(), changes.end());
    std::size_t kept = 0;
    for (std::size_t at = 0; at < changes.size();) {
        int total = 0;
        const FeatureHash hash = changes[at].first;
        for (; at < changes.size() && changes[at].first == hash; ++at) total += changes[at].second;
        if (total != 0) changes[kept++] = {hash, total};
    }
    changes.resize(kept);

    double margin = 0;
    if (!arcs_.empty()) {
        const Frozen weights = arcs_of(example);
        const ArcWeights<Frozen> arcs{weights, labels()};
        for (int word = 0; word < words.size(); ++word)
            if (gold[word] != found[word])
                margin +=
                    arc_score(words, arcs, gold[word], word) - arc_score(words, arcs, found[word], word);
    }
    for (const auto& [hash, count] : changes) margin += static_cast<double>(weights_[hash]) * count;
    const double loss = cost - margin;
    if (loss <= 0) return;
    report.loss += loss;
    const float rate = arcs_.empty() ? kArcRate : options_.projective ? kProjectiveRate : kAnyRate;
    for (const auto& [hash, count] : changes) weights_.step_along(hash, static_cast<float>(count), rate);
}

}  // namespace spindle
