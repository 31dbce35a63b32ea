// The best projective tree under scores of arcs, adjacent siblings, grandparents and grand-siblings: an exact
// search over the candidate heads of every word, by model 1 of Koo and Collins (2010, "Efficient third-order
// dependency parsers"). Every span belongs to an arc, because the scores of a head's modifiers depend on its
// own head; with a few candidate heads per word there are few such spans.
//
// For order full, pairs and triples of siblings and the heads of adjacent words are scored, too, each in the
// best tree of the words of a span (Huang 2008, "Forest reranking", does the same with trees of
// constituents). The score of the result is right, but the search is no longer exact: a span keeps only its
// best tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "linear/arc_features.hpp"
#include "linear/candidate_arcs.hpp"
#include "linear/part_cache.hpp"

namespace spindle {

template <class Table>
class GrandSiblingDecoder {
  public:
    static constexpr int kLongest = 500;  // words; the memory grows with their square

    GrandSiblingDecoder(const PaddedSentence& words, const Table& table, Order order,
                        const CandidateArcs& candidates)
        : words_(words),
          table_(table),
          is_full_(order == Order::kFull),
          size_(words.size()),
          entering_(size_) {
        for (auto& side : leaving_) side.resize(size_);
        std::size_t bigrams = 0;
        for (int modifier = 0; modifier < size_; ++modifier)
            for (const int head : candidates.near[modifier]) {
                entering_[modifier].push_back(static_cast<int>(arcs_.size()));
                arcs_.push_back({head, modifier, candidates.scores(head, modifier)});
                bigram_start_.push_back(bigrams);
                if (is_full_ && modifier > 0) bigrams += entering_[modifier - 1].size();
            }
        bigrams_.assign(bigrams, kUnknown);
        for (int arc = 0; arc < static_cast<int>(arcs_.size()); ++arc)
            if (arcs_[arc].head != kRoot)
                leaving_[arcs_[arc].head < arcs_[arc].modifier][arcs_[arc].head].push_back(arc);
        for (auto& side : leaving_)
            for (std::vector<int>& arcs : side)
                std::sort(arcs.begin(), arcs.end(),
                          [&](int one, int other) { return distance(one) < distance(other); });
        allocate();
    }

    // The heads of the best tree that is found, with exactly one root; none if every tree has a forbidden
    // arc.
    std::vector<int> decode() { return decode(nullptr); }

    // The same with other scores of the arcs. The scores of larger parts are computed only once.
    std::vector<int> decode(const ArcScores& scores) { return decode(&scores); }

  private:
    std::vector<int> decode(const ArcScores* scores) {
        if (scores)
            for (Arc& arc : arcs_) arc.score = (*scores)(arc.head, arc.modifier);
        std::fill(complete_.begin(), complete_.end(), kForbidden);
        std::fill(last_.begin(), last_.end(), kNone);
        std::fill(partial_.begin(), partial_.end(), kForbidden);
        std::fill(inner_.begin(), inner_.end(), kNone);
        std::fill(gaps_.begin(), gaps_.end(), Gap{kForbidden, 0});
        for (int width = 0; width < size_; ++width)
            for (int head = 0; head < size_; ++head) {
                poll_interrupt(kStepsOfSpan);
                for (const bool right : {false, true})
                    if (width <= room(head, right)) fill(head, right, width);
            }
        int best = -1;
        float best_score = kForbidden;
        for (int arc = 0; arc < static_cast<int>(arcs_.size()); ++arc) {
            const auto [head, word, score] = arcs_[arc];
            if (head != kRoot) continue;
            const float total = score + complete(arc, false, word) + complete(arc, true, size_ - 1 - word);
            if (total > best_score) best_score = total, best = arc;
        }
        if (best < 0 || best_score <= kForbidden / 2) return {};
        std::vector<int> heads(size_, kRoot);
        const int root = arcs_[best].modifier;
        collect(best, false, root, heads);
        collect(best, true, size_ - 1 - root, heads);
        return heads;
    }

    static constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

    struct Arc {
        int head, modifier;
        float score;
    };
    // What is between two adjacent modifiers of a head: the spans of both meet somewhere.
    struct Gap {
        float score;
        std::int16_t inner_width;  // of the span of the inner modifier
    };

    // The scores of a modifier together with its head's own head: alone, as the first modifier on its side,
    // and as the last.
    struct GrandScores {
        float grandparent = kUnknown, first = kUnknown, last = kUnknown;
    };

    static constexpr std::size_t kStepsOfSpan = 1000;
    static constexpr std::int16_t kNone = -1;  // no inner sibling, or no modifier
    static constexpr std::size_t kMostPartFeatures = 64;

    int distance(int arc) const { return std::abs(arcs_[arc].head - arcs_[arc].modifier); }
    int room(int head, bool right) const { return right ? size_ - 1 - head : head; }

    void allocate() {
        std::size_t spans = 0, partial = 0, triples = 0;
        for (const bool right : {false, true}) {
            span_start_[right].resize(arcs_.size());
            partial_start_[right].resize(arcs_.size());
            grand_sibling_start_[right].resize(arcs_.size());
            for (std::size_t arc = 0; arc < arcs_.size(); ++arc) {
                const int word = arcs_[arc].modifier;
                span_start_[right][arc] = spans;
                partial_start_[right][arc] = partial;
                grand_sibling_start_[right][arc] = triples;
                const std::size_t count = leaving_[right][word].size();
                spans += static_cast<std::size_t>(room(word, right)) + 1;
                partial += count;
                if (is_full_) triples += count * count;
            }
        }
        complete_.resize(spans);
        last_.resize(spans);
        outermost_.resize(spans);
        partial_.resize(partial);
        inner_.resize(partial);
        grand_scores_.assign(partial, GrandScores());
        grand_siblings_.assign(triples, kUnknown);
        for (const bool right : {false, true}) {
            gap_start_[right].resize(size_);
            for (int head = 0; head < size_; ++head) {
                gap_start_[right][head] = gaps_.size();
                const std::size_t count = leaving_[right][head].size();
                gaps_.resize(gaps_.size() + count * count);
            }
            alone_[right].assign(size_, kUnknown);
            first_[right].resize(size_);
            for (int head = 0; head < size_; ++head)
                first_[right][head].assign(leaving_[right][head].size(), kUnknown);
        }
        siblings_.assign(gaps_.size(), kUnknown);
        if (is_full_) pairs_.assign(gaps_.size(), kUnknown);
    }

    // The best score of the words that an arc's modifier governs on one side, up to `width` words away.
    float& complete(int arc, bool right, int width) { return complete_[span_start_[right][arc] + width]; }
    // The same as far as the modifier of number `place`, whose own modifiers beyond it are not included.
    float& partial(int arc, bool right, std::size_t place) {
        return partial_[partial_start_[right][arc] + place];
    }
    std::size_t gap_place(int head, bool right, std::size_t inner, std::size_t outer) const {
        return gap_start_[right][head] + inner * leaving_[right][head].size() + outer;
    }
    Gap& gap(int head, bool right, std::size_t inner, std::size_t outer) {
        return gaps_[gap_place(head, right, inner, outer)];
    }

    template <class Compute>
    static float known(float& score, Compute&& compute) {
        if (std::isnan(score)) score = compute();
        return score;
    }

    template <class Features>
    float sum(Features&& features) const {
        // first all hashes, then all weights: the look-ups miss the cache, and their latencies overlap
        FeatureList<kMostPartFeatures> hashes;
        features([&](FeatureHash hash) { hashes.push(hash); });
        float total = 0;
        for (const FeatureHash hash : hashes) total += table_[hash];
        return total * table_.scale();
    }
    float sibling(float& score, int head, int inner, int outer, bool right) const {
        return known(score, [&] {
            return sum([&](auto&& sink) { sibling_features(words_, head, inner, outer, right, sink); });
        });
    }
    float grand_sibling(int grand, int head, int inner, int outer, bool right) const {
        if (!is_full_) return 0;
        return sum(
            [&](auto&& sink) { grand_sibling_features(words_, grand, head, inner, outer, right, sink); });
    }
    float grand_sibling(int arc, bool right, std::size_t inner, std::size_t outer) {
        if (!is_full_) return 0;
        const auto [grand, head, _] = arcs_[arc];
        const std::vector<int>& modifiers = leaving_[right][head];
        float& score = grand_siblings_[grand_sibling_start_[right][arc] + inner * modifiers.size() + outer];
        return known(score, [&] {
            return grand_sibling(grand, head, arcs_[modifiers[inner]].modifier,
                                 arcs_[modifiers[outer]].modifier, right);
        });
    }

    // The arc of the outermost word of a complete span, in the best tree of its words.
    int outermost(int arc, bool right, int width) const {
        return outermost_[span_start_[right][arc] + width];
    }

    // The score of the heads of two adjacent words; that of `near` is before the other if they are to the
    // right of the head in question.
    float bigram(int near, int far, bool right) {
        if (!is_full_) return 0;
        const int before = right ? near : far, arc = right ? far : near;
        const int word = arcs_[arc].modifier;
        const std::size_t number = static_cast<std::size_t>(before - entering_[word - 1].front());
        return known(bigrams_[bigram_start_[arc] + number], [&] {
            return sum([&](auto&& sink) {
                bigram_features(words_, word, arcs_[before].head, arcs_[arc].head, sink);
            });
        });
    }

    // The score of pairs and triples of siblings that a modifier adds to the best tree that ends in the
    // modifier `inner`.
    float farther(int arc, bool right, std::size_t inner, std::size_t outer) {
        if (!is_full_) return 0;
        const int head = arcs_[arc].modifier;
        const std::vector<int>& modifiers = leaving_[right][head];
        const auto word = [&](std::size_t place) { return arcs_[modifiers[place]].modifier; };
        const auto before = [&](std::size_t place) { return inner_[partial_start_[right][arc] + place]; };
        float total = 0;
        for (int place = static_cast<int>(inner); place != kNone; place = before(place))
            total += known(pairs_[gap_place(head, right, place, outer)], [&] {
                return sum([&](auto&& sink) { pair_features(words_, head, word(place), word(outer), sink); });
            });
        if (before(inner) != kNone)
            total += triples_.get(right, head, word(before(inner)), word(inner), word(outer), [&] {
                return sum([&](auto&& sink) {
                    triple_features(words_, head, word(before(inner)), word(inner), word(outer), right, sink);
                });
            });
        return total;
    }

    // Computes all spans of a head on one side that are this wide.
    void fill(int head, bool right, int width) {
        const std::vector<int>& modifiers = leaving_[right][head];
        if (width == 0) {
            const float alone = sibling(alone_[right][head], head, kSideStart, kSideEnd, right);
            for (const int arc : entering_[head]) outermost_[span_start_[right][arc]] = arc;
            for (const int arc : entering_[head])
                complete(arc, right, 0) =
                    alone + grand_sibling(arcs_[arc].head, head, kSideStart, kSideEnd, right);
            return;
        }
        std::size_t count = 0;  // modifiers that are not farther away
        while (count < modifiers.size() && distance(modifiers[count]) <= width) ++count;
        if (count == 0) return;
        if (distance(modifiers[count - 1]) == width) attach(head, right, count - 1);
        end_scores_.resize(count);
        for (std::size_t place = 0; place < count; ++place)
            end_scores_[place] = end_score(head, right, place);
        for (const int arc : entering_[head]) {
            if (is_inside(arcs_[arc].head, head, right, width)) continue;
            float best = kForbidden;
            std::int16_t best_place = kNone;
            for (std::size_t place = 0; place < count; ++place) {
                const int outer = modifiers[place];
                const float score = partial(arc, right, place) + end_scores_[place] +
                                    grand_scores_[partial_start_[right][arc] + place].last +
                                    complete(outer, right, width - distance(outer));
                if (score > best) best = score, best_place = static_cast<std::int16_t>(place);
            }
            complete(arc, right, width) = best;
            last_[span_start_[right][arc] + width] = best_place;
            if (best_place != kNone)
                outermost_[span_start_[right][arc] + width] =
                    outermost(modifiers[best_place], right, width - distance(modifiers[best_place]));
        }
    }

    // Whether the head's own head is among the words of a span, which no projective tree allows.
    static bool is_inside(int grand, int head, bool right, int width) {
        return grand != kRoot && (grand > head) == right && std::abs(grand - head) <= width;
    }

    // The sibling score of there being no modifier after this one; computed once.
    float end_score(int head, bool right, std::size_t place) {
        return sibling(siblings_[gap_place(head, right, place, place)], head,
                       arcs_[leaving_[right][head][place]].modifier, kSideEnd, right);
    }

    // Computes the partial spans that end in a modifier, for every head that its head may have.
    void attach(int head, bool right, std::size_t place) {
        const std::vector<int>& modifiers = leaving_[right][head];
        const int arc_of_modifier = modifiers[place];
        const int modifier = arcs_[arc_of_modifier].modifier, width = distance(arc_of_modifier);
        const float first = complete(arc_of_modifier, !right, width - 1) +
                            sibling(first_[right][head][place], head, kSideStart, modifier, right);
        inner_scores_.resize(place);
        for (std::size_t inner = 0; inner < place; ++inner) {
            const int arc_of_inner = modifiers[inner];
            const int between = width - distance(arc_of_inner) - 1;
            Gap& found = gap(head, right, inner, place);
            for (int left_over = 0; left_over <= between; ++left_over) {
                float score = complete(arc_of_inner, right, left_over) +
                              complete(arc_of_modifier, !right, between - left_over);
                if (score > kForbidden / 2)
                    score += bigram(outermost(arc_of_inner, right, left_over),
                                    outermost(arc_of_modifier, !right, between - left_over), right);
                if (score > found.score) found = {score, static_cast<std::int16_t>(left_over)};
            }
            inner_scores_[inner] =
                found.score <= kForbidden
                    ? kForbidden
                    : found.score + sibling(siblings_[gap_place(head, right, inner, place)], head,
                                            arcs_[arc_of_inner].modifier, modifier, right);
        }
        for (const int arc : entering_[head]) {
            const int grand = arcs_[arc].head;
            if (grand == modifier || is_inside(grand, head, right, width)) continue;
            if (first <= kForbidden / 2 && place == 0) continue;
            float best = first;
            if (best > kForbidden / 2)
                best += bigram(arc, outermost(arc_of_modifier, !right, width - 1), right);
            std::int16_t best_inner = kNone;
            GrandScores& grand_scores = grand_scores_[partial_start_[right][arc] + place];
            best += known(grand_scores.first,
                          [&] { return grand_sibling(grand, head, kSideStart, modifier, right); });
            for (std::size_t inner = 0; inner < place; ++inner) {
                float score = partial(arc, right, inner) + inner_scores_[inner];
                if (score <= kForbidden / 2) continue;
                score += grand_sibling(arc, right, inner, place) + farther(arc, right, inner, place);
                if (score > best) best = score, best_inner = static_cast<std::int16_t>(inner);
            }
            if (best <= kForbidden / 2) continue;
            const float above = known(grand_scores.grandparent, [&] {
                return sum([&](auto&& sink) { grandparent_features(words_, grand, head, modifier, sink); });
            });
            partial(arc, right, place) = best + arcs_[arc_of_modifier].score + above;
            inner_[partial_start_[right][arc] + place] = best_inner;
            if (std::isnan(grand_scores.last))
                grand_scores.last = grand_sibling(grand, head, modifier, kSideEnd, right);
        }
    }

    // Writes the heads of all words of a complete span.
    void collect(int arc, bool right, int width, std::vector<int>& heads) {
        if (width == 0) return;
        const int head = arcs_[arc].modifier;
        std::int16_t place = last_[span_start_[right][arc] + width];
        if (place == kNone) return;
        const std::vector<int>& modifiers = leaving_[right][head];
        collect(modifiers[place], right, width - distance(modifiers[place]), heads);
        while (true) {
            const int arc_of_modifier = modifiers[place];
            heads[arcs_[arc_of_modifier].modifier] = head;
            const std::int16_t inner = inner_[partial_start_[right][arc] + place];
            if (inner == kNone) return collect(arc_of_modifier, !right, distance(arc_of_modifier) - 1, heads);
            const int arc_of_inner = modifiers[inner];
            const int inner_width = gap(head, right, inner, place).inner_width;
            const int between = distance(arc_of_modifier) - distance(arc_of_inner) - 1;
            collect(arc_of_inner, right, inner_width, heads);
            collect(arc_of_modifier, !right, between - inner_width, heads);
            place = inner;
        }
    }

    const PaddedSentence& words_;
    const Table& table_;
    bool is_full_;
    int size_;
    std::vector<Arc> arcs_;
    std::vector<std::vector<int>> entering_;    // by modifier: its candidate arcs
    std::vector<std::vector<int>> leaving_[2];  // by side and head: candidate arcs, the shortest first
    std::vector<std::size_t> span_start_[2], partial_start_[2], gap_start_[2], grand_sibling_start_[2];
    std::vector<float> complete_, partial_;
    std::vector<std::int16_t> last_, inner_;  // how the best spans were made
    std::vector<int> outermost_;              // like complete_
    std::vector<Gap> gaps_;                   // by pairs of modifiers
    // Scores of parts, kUnknown until they are computed.
    std::vector<float> alone_[2];               // by head: a side without modifiers
    std::vector<std::vector<float>> first_[2];  // by head and modifier: the first modifier of a side
    std::vector<float> siblings_;               // like gaps_; the diagonal has those of the last modifier
    std::vector<GrandScores> grand_scores_;     // like partial_
    std::vector<float> grand_siblings_;         // by arc and pairs of modifiers
    std::vector<float> pairs_;                  // like gaps_
    std::vector<float> bigrams_;                // by arc and arc of the word before
    std::vector<std::size_t> bigram_start_;
    PartCache triples_;
    std::vector<float> end_scores_, inner_scores_;
};

}  // namespace spindle
