// The best tree under scores of larger parts (siblings, grandparents, ...), by climbing: from a good tree,
// give one word after the other its best head until none changes, from several starts (Zhang et al. 2014,
// "Greed is good if randomized"). One decoder for every order, projective or not.
//
// The search is over candidate heads only, a few for each word.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "decoding/decoders.hpp"
#include "linear/arc_features.hpp"

namespace spindle {

enum class Order { kBasic = 0, kStandard = 1, kFull = 2 };

// Remembers the score of every part that has been looked at.
class PartCache {
  public:
    PartCache() : keys_(1 << 12, 0), values_(1 << 12) {}

    void clear() {
        for (const std::size_t place : used_) keys_[place] = 0;
        used_.clear();
    }

    template <class Compute>
    float get(int kind, int a, int b, int c, int d, Compute&& compute) {
        // positions are shifted so that the negative ones fit; 13 bits hold sentences of 8,000 words
        const std::uint64_t key =
            (((((static_cast<std::uint64_t>(kind) << 13 | static_cast<unsigned>(a + 4)) << 13) |
               static_cast<unsigned>(b + 4))
                  << 13 |
              static_cast<unsigned>(c + 4))
             << 13) |
            static_cast<unsigned>(d + 4);
        std::size_t place = (key * 0x9E3779B97F4A7C15ull) >> 20 & (keys_.size() - 1);
        while (keys_[place] != 0) {
            if (keys_[place] == key) return values_[place];
            place = (place + 1) & (keys_.size() - 1);
        }
        const float value = compute();
        if (used_.size() * 2 > keys_.size()) {
            grow();
            place = (key * 0x9E3779B97F4A7C15ull) >> 20 & (keys_.size() - 1);
            while (keys_[place] != 0) place = (place + 1) & (keys_.size() - 1);
        }
        keys_[place] = key;
        values_[place] = value;
        used_.push_back(place);
        return value;
    }

  private:
    void grow() {
        std::vector<std::uint64_t> keys(keys_.size() * 4, 0);
        std::vector<float> values(keys.size());
        for (std::size_t& place : used_) {
            std::size_t goal = (keys_[place] * 0x9E3779B97F4A7C15ull) >> 20 & (keys.size() - 1);
            while (keys[goal] != 0) goal = (goal + 1) & (keys.size() - 1);
            keys[goal] = keys_[place];
            values[goal] = values_[place];
            place = goal;
        }
        keys_.swap(keys);
        values_.swap(values);
    }

    std::vector<std::uint64_t> keys_;
    std::vector<float> values_;
    std::vector<std::size_t> used_;
};

// Longer sentences get arcs only: keys of the cache have room for so many words.
inline constexpr int kLongest = 8000;

// The candidate heads of every word.
using Candidates = std::vector<std::vector<int>>;

// Calls part(kind, a, b, c, d) for every part of a tree beyond its arcs: what training compares. `sides` are
// the modifiers of every word on either side, nearest first.
struct Sides {
    std::vector<std::vector<int>> left, right;
    explicit Sides(const std::vector<int>& heads) : left(heads.size() + 1), right(heads.size() + 1) {
        const int size = static_cast<int>(heads.size());
        for (int word = 0; word < size; ++word)
            if (heads[word] < word) right[heads[word] + 1].push_back(word);
        for (int word = size - 1; word >= 0; --word)
            if (heads[word] > word) left[heads[word] + 1].push_back(word);
    }
    std::vector<int>& side(int head, bool is_right) { return (is_right ? right : left)[head + 1]; }
    const std::vector<int>& side(int head, bool is_right) const {
        return (is_right ? right : left)[head + 1];
    }
};

template <class Sink>
void larger_part_features(const PartWords& words, const std::vector<int>& heads, Order order, Sink&& sink) {
    if (order == Order::kBasic || words.size() > kLongest) return;
    const Sides sides(heads);
    for (int head = 0; head < words.size(); ++head) {
        for (const bool right : {false, true}) {
            const std::vector<int>& side = sides.side(head, right);
            int before = kFirst, before_that = kFirst;
            for (std::size_t place = 0; place <= side.size(); ++place) {
                const int modifier = place < side.size() ? side[place] : kLast;
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
class Climber {
  public:
    Climber(const PartWords& words, const Table& table, Order order, const ArcScores& arcs,
            const Candidates& candidates, bool projective, PartCache& cache)
        : words_(words),
          table_(table),
          order_(order),
          arcs_(arcs),
          candidates_(candidates),
          projective_(projective),
          cache_(cache) {
        cache_.clear();
    }

    // Climbs from a tree to one that no single change makes better; returns its score.
    double climb(std::vector<int>& heads) {
        heads_ = heads;
        sides_.emplace(heads_);
        bool changed = true;
        for (int sweep = 0; changed && sweep < kSweeps; ++sweep) {
            changed = false;
            for (int word = 0; word < words_.size(); ++word)
                if (heads_[word] != kAboveRoot) changed |= improve(word);
            changed |= move_root();
        }
        heads = heads_;
        return score();
    }

    double score() const {
        double total = 0;
        for (int word = 0; word < words_.size(); ++word) total += arcs_(heads_[word], word);
        double parts = 0;
        larger_part_features(words_, heads_, order_, [&](FeatureHash hash) { parts += table_[hash]; });
        return total + parts * table_.scale();
    }

  private:
    static constexpr int kSweeps = 20;
    static constexpr int kRoots = 3;  // how many other words may try to be the root in a sweep

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

    // What the siblings' parts gain when `word` joins the side of `head` it belongs to.
    float joining(int head, int word) {
        const bool right = head < word;
        const std::vector<int>& side = sides_->side(head, right);
        std::size_t place = 0;
        while (place < side.size() && (right ? side[place] < word : side[place] > word)) ++place;
        const int count = static_cast<int>(side.size()), here = static_cast<int>(place);
        const auto member = [&](int at) { return at < 0 ? kFirst : at >= count ? kLast : side[at]; };
        const int before = member(here - 1), after = member(here);
        float gain = sibling(head, before, word, right) + sibling(head, word, after, right) -
                     sibling(head, before, after, right);
        if (order_ == Order::kFull) {
            const int grand = heads_[head];
            gain += grand_sibling(grand, head, before, word, right) +
                    grand_sibling(grand, head, word, after, right) -
                    grand_sibling(grand, head, before, after, right);
            const int earlier = member(here - 2), later = member(here + 1);
            if (earlier >= 0 && before >= 0) {
                gain += triple(head, earlier, before, word, right);
                if (after >= 0) gain -= triple(head, earlier, before, after, right);
            }
            if (before >= 0 && after >= 0) gain += triple(head, before, word, after, right);
            if (after >= 0 && later >= 0) {
                gain += triple(head, word, after, later, right);
                if (before >= 0) gain -= triple(head, before, after, later, right);
            }
            for (int at = 0; at < count; ++at)
                gain += at < here ? pair(head, side[at], word) : pair(head, word, side[at]);
        }
        return gain;
    }

    // The score of everything that depends on `word` having this head, the word itself being detached.
    float attaching(int head, int word) {
        float total = arcs_(head, word);
        if (order_ == Order::kBasic) return total;
        if (head != kAboveRoot) total += joining(head, word) + grandparent(heads_[head], head, word);
        for (const bool right : {false, true}) {
            const std::vector<int>& side = sides_->side(word, right);
            for (const int modifier : side) total += grandparent(head, word, modifier);
            if (order_ == Order::kFull) {
                int before = kFirst;
                for (const int modifier : side) {
                    total += grand_sibling(head, word, before, modifier, right);
                    before = modifier;
                }
                total += grand_sibling(head, word, before, kLast, right);
            }
        }
        if (order_ == Order::kFull) {
            if (word > 0) total += bigram(word, heads_[word - 1], head);
            if (word + 1 < words_.size()) total += bigram(word + 1, head, heads_[word + 1]);
        }
        return total;
    }

    void detach(int word) {
        std::vector<int>& side = sides_->side(heads_[word], heads_[word] < word);
        side.erase(std::find(side.begin(), side.end(), word));
    }
    void attach(int word, int head) {
        heads_[word] = head;
        const bool right = head < word;
        std::vector<int>& side = sides_->side(head, right);
        const auto place = std::find_if(side.begin(), side.end(),
                                        [&](int other) { return right ? other > word : other < word; });
        side.insert(place, word);
    }

    bool is_below(int word, int top) const {
        while (word != kAboveRoot && word != top) word = heads_[word];
        return word == top;
    }

    // Whether the arc would cross no other, the word's old arc left aside.
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

    bool improve(int word) {
        const int old = heads_[word];
        if (candidates_[word].size() < 2) return false;
        detach(word);
        int best = old;
        float best_score = attaching(old, word);
        for (const int head : candidates_[word]) {
            if (head == old || head == kAboveRoot || is_below(head, word) || !fits(head, word)) continue;
            const float score = attaching(head, word);
            if (score > best_score + kEnough) best_score = score, best = head;
        }
        attach(word, best);
        return best != old;
    }

    // Another word as the root, and the old root below it.
    bool move_root() {
        const int root =
            static_cast<int>(std::find(heads_.begin(), heads_.end(), kAboveRoot) - heads_.begin());
        std::vector<int> others;
        for (int word = 0; word < words_.size(); ++word)
            if (word != root && std::find(candidates_[word].begin(), candidates_[word].end(), kAboveRoot) !=
                                    candidates_[word].end())
                others.push_back(word);
        std::sort(others.begin(), others.end(),
                  [&](int one, int other) { return arcs_(kAboveRoot, one) > arcs_(kAboveRoot, other); });
        if (others.size() > kRoots) others.resize(kRoots);
        const double before = others.empty() ? 0 : score();
        for (const int word : others) {
            const std::vector<int> kept = heads_;
            detach(word);
            attach(word, kAboveRoot);
            int best = kAboveRoot;
            float best_score = 0;
            detach(root);
            for (const int head : candidates_[root]) {
                if (head == kAboveRoot || !is_below(head, word) || is_below(head, root) || !fits(head, root))
                    continue;
                const float score = attaching(head, root);
                if (best == kAboveRoot || score > best_score) best_score = score, best = head;
            }
            if (best != kAboveRoot) {
                attach(root, best);
                if (is_a_tree_of_this_kind() && score() > before + kEnough) return true;
            }
            heads_ = kept;
            sides_.emplace(heads_);
        }
        return false;
    }

    bool is_a_tree_of_this_kind() const {
        if (!projective_) return true;
        for (int word = 0; word < words_.size(); ++word)
            if (heads_[word] != kAboveRoot ? !fits(heads_[word], word) : !covers_all(word)) return false;
        return true;
    }
    // no arc runs over the root
    bool covers_all(int root) const {
        for (int word = 0; word < words_.size(); ++word)
            if (heads_[word] != kAboveRoot && std::min(word, heads_[word]) < root &&
                std::max(word, heads_[word]) > root)
                return false;
        return true;
    }

    // A change must be worth more than rounding errors, or two equal trees could alternate for ever.
    static constexpr float kEnough = 1e-4f;

    const PartWords& words_;
    const Table& table_;
    Order order_;
    const ArcScores& arcs_;
    const Candidates& candidates_;
    bool projective_;
    PartCache& cache_;
    std::vector<int> heads_;
    std::optional<Sides> sides_;
};

}  // namespace spindle
