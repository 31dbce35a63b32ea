// Better trees under scores of larger parts (siblings, grandparents, ...), by hill climbing: gives one word
// after the other its best head until none changes (Zhang et al. 2014, "Greed is good if randomized"), and
// changes several words at once. For every order, projective or not. The search is over a few candidate heads
// for each word.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "linear/arc_features.hpp"
#include "linear/candidate_arcs.hpp"
#include "linear/part_cache.hpp"
#include "support/interrupt.hpp"
#include "support/random.hpp"

namespace spindle {

// The modifiers of every word on either side, the nearest first.
class SideModifiers {
  public:
    explicit SideModifiers(const std::vector<int>& heads)
        : left_(heads.size() + 1), right_(heads.size() + 1) {
        const int size = static_cast<int>(heads.size());
        for (int word = 0; word < size; ++word)
            if (heads[word] < word) right_[heads[word] + 1].push_back(word);
        for (int word = size - 1; word >= 0; --word)
            if (heads[word] > word) left_[heads[word] + 1].push_back(word);
    }
    std::vector<int>& of(int head, bool is_right) { return (is_right ? right_ : left_)[head + 1]; }
    const std::vector<int>& of(int head, bool is_right) const {
        return (is_right ? right_ : left_)[head + 1];
    }

  private:
    std::vector<std::vector<int>> left_, right_;  // row head + 1; the first is that of kRoot
};

// Whether a sentence is parsed with single arcs only: the cache of parts has no room for longer ones.
inline bool has_arcs_only(const PaddedSentence& words, Order order) {
    return order == Order::kBasic || words.size() > PartCache::kLongest;
}

// The features of all parts of a tree except single arcs.
template <class Sink>
void higher_order_features(const PaddedSentence& words, const std::vector<int>& heads, Order order,
                           Sink&& sink) {
    if (has_arcs_only(words, order)) return;
    const SideModifiers sides(heads);
    for (int head = 0; head < words.size(); ++head) {
        for (const bool right : {false, true}) {
            const std::vector<int>& side = sides.of(head, right);
            int before = kSideStart, before_that = kSideStart;
            for (std::size_t place = 0; place <= side.size(); ++place) {
                const int modifier = place < side.size() ? side[place] : kSideEnd;
                sibling_features(words, head, before, modifier, right, sink);
                if (order == Order::kFull) {
                    grand_sibling_features(words, heads[head], head, before, modifier, right, sink);
                    if (before_that >= 0 && modifier >= 0)
                        triple_features(words, head, before_that, before, modifier, right, sink);
                }
                if (modifier >= 0) {
                    grandparent_features(words, heads[head], head, modifier, sink);
                    if (order == Order::kFull)
                        for (std::size_t inner = 0; inner < place; ++inner)
                            pair_features(words, head, side[inner], modifier, sink);
                }
                before_that = before;
                before = modifier;
            }
        }
    }
    if (order == Order::kFull)
        for (int word = 1; word < words.size(); ++word)
            bigram_features(words, word, heads[word - 1], heads[word], sink);
}

template <class Table>
class HillClimber {
  public:
    // `table` has the weights of parts. The cache is emptied: it may be reused from sentence to sentence, to
    // spare allocations.
    HillClimber(const PaddedSentence& words, const Table& table, const ArcOptions& options,
                const CandidateArcs& candidates, PartCache& cache)
        : words_(words),
          table_(table),
          order_(options.order),
          projective_(options.projective),
          arcs_(candidates.scores),
          candidates_(candidates.heads),
          cache_(cache) {
        cache_.clear();
    }

    // Changes a tree until no single change makes it better; returns its score.
    double climb(std::vector<int>& heads) {
        heads_ = heads;
        sides_.emplace(heads_);
        bool changed = true;
        for (int sweep = 0; changed && sweep < kSweeps; ++sweep) {
            changed = false;
            for (int word = 0; word < words_.size(); ++word) {
                poll_interrupt(kStepsOfImprove);
                if (heads_[word] != kRoot) changed |= improve(word) > 0;
            }
            changed |= move_root();
        }
        heads = heads_;
        return score();
    }

    double score() const {
        double total = 0;
        for (int word = 0; word < words_.size(); ++word) total += arcs_(heads_[word], word);
        double parts = 0;
        higher_order_features(words_, heads_, order_, [&](FeatureHash hash) { parts += table_[hash]; });
        return total + parts * table_.scale();
    }

    // Changes a tree in several words at once, as long as that makes it better; returns whether it did.
    bool take_detours(std::vector<int>& heads) {
        heads_ = heads;
        sides_.emplace(heads_);
        bool changed = false;
        for (int word = 0; word < words_.size(); ++word)
            for (const int head : candidates_[word]) {
                poll_interrupt(kStepsOfImprove);
                if (head != kRoot && head != heads_[word]) changed |= take_detour(word, head);
            }
        heads = heads_;
        return changed;
    }

    // The scores of all candidate arcs in the surroundings of a tree: what each arc would add if all other
    // words kept their heads. A decoder of single arcs can then change many heads at once.
    ArcScores scores_around(const std::vector<int>& heads) {
        heads_ = heads;
        sides_.emplace(heads_);
        ArcScores scores(words_.size());
        for (int word = 0; word < words_.size(); ++word) {
            poll_interrupt(kStepsOfImprove);
            const int old = heads_[word];
            detach(word);
            for (const int head : candidates_[word])
                scores(head, word) = bounded_score(
                    head != kRoot && is_below(head, word) ? arcs_(head, word) : attaching(head, word));
            attach(word, old);
        }
        return scores;
    }

  private:
    // A detour may make the tree worse by this much before the words around follow.
    static constexpr float kDetour = 2.5f;
    static constexpr std::size_t kStepsOfImprove = 10000;
    static constexpr int kSweeps = 20;
    static constexpr int kRoots = 3;  // other words that are tried as the root in a sweep

    template <class Features>
    float cached(int kind, int a, int b, int c, int d, Features&& features) {
        return cache_.get(kind, a, b, c, d, [&] {
            float total = 0;
            features([&](FeatureHash hash) { total += table_[hash]; });
            return total * table_.scale();
        });
    }
    float sibling(int head, int inner, int outer, bool right) {
        return cached(1 + right, head, inner, outer, 0,
                      [&](auto&& sink) { sibling_features(words_, head, inner, outer, right, sink); });
    }
    float grandparent(int grand, int head, int modifier) {
        return cached(3, grand, head, modifier, 0,
                      [&](auto&& sink) { grandparent_features(words_, grand, head, modifier, sink); });
    }
    float pair(int head, int inner, int outer) {
        return cached(4, head, inner, outer, 0,
                      [&](auto&& sink) { pair_features(words_, head, inner, outer, sink); });
    }
    float bigram(int modifier, int head_before, int head) {
        return cached(5, modifier, head_before, head, 0,
                      [&](auto&& sink) { bigram_features(words_, modifier, head_before, head, sink); });
    }
    float grand_sibling(int grand, int head, int inner, int outer, bool right) {
        return cached(6 + right, grand, head, inner, outer, [&](auto&& sink) {
            grand_sibling_features(words_, grand, head, inner, outer, right, sink);
        });
    }
    float triple(int head, int inner, int middle, int outer, bool right) {
        return cached(8 + right, head, inner, middle, outer,
                      [&](auto&& sink) { triple_features(words_, head, inner, middle, outer, right, sink); });
    }

    // How much the score of sibling parts changes when `word` is inserted among the modifiers of `head`.
    float joining(int head, int word) {
        const bool right = head < word;
        const std::vector<int>& side = sides_->of(head, right);
        std::size_t place = 0;
        while (place < side.size() && (right ? side[place] < word : side[place] > word)) ++place;
        const int count = static_cast<int>(side.size()), here = static_cast<int>(place);
        const auto member = [&](int at) { return at < 0 ? kSideStart : at >= count ? kSideEnd : side[at]; };
        const int before = member(here - 1), after = member(here);
        float gain = sibling(head, before, word, right) + sibling(head, word, after, right) -
                     sibling(head, before, after, right);
        if (order_ == Order::kFull) {
            const int grand = heads_[head];
            gain += grand_sibling(grand, head, before, word, right) +
                    grand_sibling(grand, head, word, after, right) -
                    grand_sibling(grand, head, before, after, right);
        }
        return gain;
    }

    // The same of triples and pairs of siblings.
    float joining_farther(int head, int word) {
        const bool right = head < word;
        const std::vector<int>& side = sides_->of(head, right);
        const int count = static_cast<int>(side.size());
        int here = 0;
        while (here < count && (right ? side[here] < word : side[here] > word)) ++here;
        float gain = 0;
        if (here >= 2) {
            gain += triple(head, side[here - 2], side[here - 1], word, right);
            if (here < count) gain -= triple(head, side[here - 2], side[here - 1], side[here], right);
        }
        if (here >= 1 && here < count) gain += triple(head, side[here - 1], word, side[here], right);
        if (here + 1 < count) {
            gain += triple(head, word, side[here], side[here + 1], right);
            if (here >= 1) gain -= triple(head, side[here - 1], side[here], side[here + 1], right);
        }
        for (int at = 0; at < count; ++at)
            gain += at < here ? pair(head, side[at], word) : pair(head, word, side[at]);
        return gain;
    }

    // The score of all parts that depend on `word` having this head. The word must be detached.
    float attaching(int head, int word) {
        float total = arcs_(head, word);
        if (order_ == Order::kBasic) return total;
        if (head != kRoot) total += joining(head, word) + grandparent(heads_[head], head, word);
        for (const bool right : {false, true}) {
            const std::vector<int>& side = sides_->of(word, right);
            for (const int modifier : side) total += grandparent(head, word, modifier);
            if (order_ == Order::kFull) {
                int before = kSideStart;
                for (const int modifier : side) {
                    total += grand_sibling(head, word, before, modifier, right);
                    before = modifier;
                }
                total += grand_sibling(head, word, before, kSideEnd, right);
            }
        }
        if (order_ == Order::kFull) {
            if (head != kRoot) total += joining_farther(head, word);
            if (word > 0) total += bigram(word, heads_[word - 1], head);
            if (word + 1 < words_.size()) total += bigram(word + 1, head, heads_[word + 1]);
        }
        return total;
    }

    void detach(int word) {
        std::vector<int>& side = sides_->of(heads_[word], heads_[word] < word);
        side.erase(std::find(side.begin(), side.end(), word));
    }
    void attach(int word, int head) {
        heads_[word] = head;
        const bool right = head < word;
        std::vector<int>& side = sides_->of(head, right);
        const auto place = std::find_if(side.begin(), side.end(),
                                        [&](int other) { return right ? other > word : other < word; });
        side.insert(place, word);
    }

    bool is_below(int word, int top) const {
        while (word != kRoot && word != top) word = heads_[word];
        return word == top;
    }

    // Whether the arc crosses no other arc, apart from the word's old one.
    bool fits(int head, int word) const {
        if (!projective_) return true;
        const int left = std::min(head, word), right = std::max(head, word);
        for (int other = 0; other < words_.size(); ++other) {
            if (other == word) continue;
            const int above = heads_[other];
            const bool inside = other > left && other < right;
            const bool head_inside = above > left && above < right;
            const bool head_outside = above < left || above > right;
            if (inside && head_outside) return false;
            if (!inside && other != left && other != right && head_inside) return false;
        }
        return true;
    }

    // Gives a word its best head. Returns by how much the score rises: 0 if the word keeps its head.
    float improve(int word) {
        const int old = heads_[word];
        if (candidates_[word].size() < 2) return 0;
        detach(word);
        int best = old;
        const float before = attaching(old, word);
        float best_score = before;
        for (const int head : candidates_[word]) {
            if (head == old || head == kRoot || is_below(head, word) || !fits(head, word)) continue;
            const float score = attaching(head, word);
            if (score > best_score + kEnough) best_score = score, best = head;
        }
        attach(word, best);
        return best_score - before;
    }

    // Gives a word another head; returns by how much the score rises.
    float change(int word, int head) {
        const int old = heads_[word];
        detach(word);
        const float gain = attaching(head, word) - attaching(old, word);
        attach(word, head);
        return gain;
    }

    // Gives a word another head, and then the words around it the heads that are best now. Keeps the changes
    // if they make the tree better. A head that is below the word takes the word's place.
    bool take_detour(int word, int head) {
        const std::vector<int> kept = heads_;
        const int old = heads_[word];
        float gain = 0;
        if (is_below(head, word)) {
            const std::vector<int>& heads = candidates_[head];
            if (std::find(heads.begin(), heads.end(), old) == heads.end()) return false;
            gain += change(head, old);
        } else if (old == kRoot) {
            return false;
        }
        gain += change(word, head);
        if (gain > -kDetour) {
            std::vector<int> around;
            for (const int near : {word - 1, word + 1})
                if (near >= 0 && near < words_.size()) around.push_back(near);
            for (const int from : {old, head})
                for (const bool right : {false, true}) {
                    const std::vector<int>& side = sides_->of(from, right);
                    around.insert(around.end(), side.begin(), side.end());
                }
            for (const int near : around)
                if (near != word && near != head && heads_[near] != kRoot) gain += improve(near);
            if (gain > kEnough && changes_fit(kept)) return true;
        }
        for (int other = 0; other < words_.size(); ++other)
            if (heads_[other] != kept[other]) {
                detach(other);
                attach(other, kept[other]);
            }
        return false;
    }

    // Whether the arcs that another tree lacks cross no arc.
    bool changes_fit(const std::vector<int>& other) const {
        for (int word = 0; word < words_.size(); ++word)
            if (heads_[word] != other[word] && !fits(heads_[word], word)) return false;
        return true;
    }

    // Tries other words as the root, with the old root below them. Returns whether the tree changed.
    bool move_root() {
        const int root = static_cast<int>(std::find(heads_.begin(), heads_.end(), kRoot) - heads_.begin());
        std::vector<int> others;
        for (int word = 0; word < words_.size(); ++word)
            if (word != root && std::find(candidates_[word].begin(), candidates_[word].end(), kRoot) !=
                                    candidates_[word].end())
                others.push_back(word);
        std::sort(others.begin(), others.end(),
                  [&](int one, int other) { return arcs_(kRoot, one) > arcs_(kRoot, other); });
        if (others.size() > kRoots) others.resize(kRoots);
        const double before = others.empty() ? 0 : score();
        for (const int word : others) {
            const std::vector<int> kept = heads_;
            detach(word);
            attach(word, kRoot);
            int best = kRoot;
            float best_score = 0;
            detach(root);
            for (const int head : candidates_[root]) {
                if (head == kRoot || !is_below(head, word) || is_below(head, root) || !fits(head, root))
                    continue;
                const float score = attaching(head, root);
                if (best == kRoot || score > best_score) best_score = score, best = head;
            }
            if (best != kRoot) {
                attach(root, best);
                if (is_allowed_kind() && score() > before + kEnough) return true;
            }
            heads_ = kept;
            sides_.emplace(heads_);
        }
        return false;
    }

    // Whether the tree is projective if it must be.
    bool is_allowed_kind() const {
        if (!projective_) return true;
        for (int word = 0; word < words_.size(); ++word)
            if (heads_[word] != kRoot ? !fits(heads_[word], word) : !covers_all(word)) return false;
        return true;
    }
    // Whether no arc spans the root.
    bool covers_all(int root) const {
        for (int word = 0; word < words_.size(); ++word)
            if (heads_[word] != kRoot && std::min(word, heads_[word]) < root &&
                std::max(word, heads_[word]) > root)
                return false;
        return true;
    }

    // A change must gain more than rounding errors, or two equal trees could alternate for ever.
    static constexpr float kEnough = 1e-4f;

    const PaddedSentence& words_;
    const Table& table_;
    Order order_;
    bool projective_;
    const ArcScores& arcs_;
    const std::vector<std::vector<int>>& candidates_;
    PartCache& cache_;
    std::vector<int> heads_;
    std::optional<SideModifiers> sides_;
};

}  // namespace spindle
