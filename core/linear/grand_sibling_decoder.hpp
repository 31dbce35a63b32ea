// The best projective tree under scores of arcs, adjacent siblings, grandparents and grand-siblings: an exact
// search over the candidate heads of every word, by model 1 of Koo and Collins (2010, "Efficient third-order
// dependency parsers"). Every span belongs to an arc, because the scores of a head's modifiers depend on its
// own head; with a few candidate heads per word there are few such spans.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "linear/arc_features.hpp"
#include "linear/candidate_arcs.hpp"

namespace spindle {

template <class Table>
class GrandSiblingDecoder {
  public:
    static constexpr int kLongest = 500;  // words; the memory grows with their square

    GrandSiblingDecoder(const PaddedSentence& words, const Table& table, Order order,
                        const CandidateArcs& candidates)
        : words_(words),
          table_(table),
          has_grand_siblings_(order == Order::kFull),
          size_(words.size()),
          entering_(size_) {
        for (auto& side : leaving_) side.resize(size_);
        for (int modifier = 0; modifier < size_; ++modifier)
            for (const int head : candidates.heads[modifier]) {
                entering_[modifier].push_back(static_cast<int>(arcs_.size()));
                arcs_.push_back({head, modifier, candidates.scores(head, modifier)});
            }
        for (int arc = 0; arc < static_cast<int>(arcs_.size()); ++arc)
            if (arcs_[arc].head != kRoot)
                leaving_[arcs_[arc].head < arcs_[arc].modifier][arcs_[arc].head].push_back(arc);
        for (auto& side : leaving_)
            for (std::vector<int>& arcs : side)
                std::sort(arcs.begin(), arcs.end(),
                          [&](int one, int other) { return distance(one) < distance(other); });
        allocate();
    }

    // The heads of the best tree with exactly one root; none if every tree has a forbidden arc.
    std::vector<int> decode() {
        for (int width = 0; width < size_; ++width)
            for (int head = 0; head < size_; ++head)
                for (const bool right : {false, true})
                    if (width <= room(head, right)) fill(head, right, width);
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

  private:
    struct Arc {
        int head, modifier;
        float score;
    };
    // What is between two adjacent modifiers of a head: the spans of both meet somewhere.
    struct Gap {
        float score;
        std::int16_t inner_width;  // of the span of the inner modifier
    };

    static constexpr std::int16_t kNone = -1;  // no inner sibling, or no modifier
    static constexpr std::size_t kMostPartFeatures = 64;

    int distance(int arc) const { return std::abs(arcs_[arc].head - arcs_[arc].modifier); }
    int room(int head, bool right) const { return right ? size_ - 1 - head : head; }

    void allocate() {
        std::size_t spans = 0, partial = 0;
        for (const bool right : {false, true}) {
            span_start_[right].resize(arcs_.size());
            partial_start_[right].resize(arcs_.size());
            for (std::size_t arc = 0; arc < arcs_.size(); ++arc) {
                const int word = arcs_[arc].modifier;
                span_start_[right][arc] = spans;
                partial_start_[right][arc] = partial;
                spans += static_cast<std::size_t>(room(word, right)) + 1;
                partial += leaving_[right][word].size();
            }
        }
        complete_.assign(spans, kForbidden);
        last_.assign(spans, kNone);
        partial_.assign(partial, kForbidden);
        inner_.assign(partial, kNone);
        grand_ends_.assign(partial, 0);
        for (const bool right : {false, true}) {
            gap_start_[right].resize(size_);
            for (int head = 0; head < size_; ++head) {
                gap_start_[right][head] = gaps_.size();
                const std::size_t count = leaving_[right][head].size();
                gaps_.resize(gaps_.size() + count * count, {kForbidden, 0});
            }
        }
    }

    // The best score of the words that an arc's modifier governs on one side, up to `width` words away.
    float& complete(int arc, bool right, int width) { return complete_[span_start_[right][arc] + width]; }
    // The same as far as the modifier of number `place`, whose own modifiers beyond it are not included.
    float& partial(int arc, bool right, std::size_t place) {
        return partial_[partial_start_[right][arc] + place];
    }
    Gap& gap(int head, bool right, std::size_t inner, std::size_t outer) {
        return gaps_[gap_start_[right][head] + inner * leaving_[right][head].size() + outer];
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
    float sibling(int head, int inner, int outer, bool right) const {
        return sum([&](auto&& sink) { sibling_features(words_, head, inner, outer, right, sink); });
    }
    float grand_sibling(int grand, int head, int inner, int outer, bool right) const {
        if (!has_grand_siblings_) return 0;
        return sum(
            [&](auto&& sink) { grand_sibling_features(words_, grand, head, inner, outer, right, sink); });
    }
    float grandparent(int grand, int head, int modifier) const {
        return sum([&](auto&& sink) { grandparent_features(words_, grand, head, modifier, sink); });
    }

    // Computes all spans of a head on one side that are this wide.
    void fill(int head, bool right, int width) {
        const std::vector<int>& modifiers = leaving_[right][head];
        if (width == 0) {
            const float alone = sibling(head, kSideStart, kSideEnd, right);
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
                                    grand_ends_[partial_start_[right][arc] + place] +
                                    complete(outer, right, width - distance(outer));
                if (score > best) best = score, best_place = static_cast<std::int16_t>(place);
            }
            complete(arc, right, width) = best;
            last_[span_start_[right][arc] + width] = best_place;
        }
    }

    // Whether the head's own head is among the words of a span, which no projective tree allows.
    static bool is_inside(int grand, int head, bool right, int width) {
        return grand != kRoot && (grand > head) == right && std::abs(grand - head) <= width;
    }

    // The sibling score of there being no modifier after this one; computed once.
    float end_score(int head, bool right, std::size_t place) {
        Gap& diagonal = gap(head, right, place, place);
        if (diagonal.score == kForbidden)
            diagonal.score = sibling(head, arcs_[leaving_[right][head][place]].modifier, kSideEnd, right);
        return diagonal.score;
    }

    // Computes the partial spans that end in a modifier, for every head that its head may have.
    void attach(int head, bool right, std::size_t place) {
        const std::vector<int>& modifiers = leaving_[right][head];
        const int arc_of_modifier = modifiers[place];
        const int modifier = arcs_[arc_of_modifier].modifier, width = distance(arc_of_modifier);
        const float first =
            complete(arc_of_modifier, !right, width - 1) + sibling(head, kSideStart, modifier, right);
        inner_scores_.resize(place);
        for (std::size_t inner = 0; inner < place; ++inner) {
            const int arc_of_inner = modifiers[inner];
            const int between = width - distance(arc_of_inner) - 1;
            Gap& found = gap(head, right, inner, place);
            for (int left_over = 0; left_over <= between; ++left_over) {
                const float score = complete(arc_of_inner, right, left_over) +
                                    complete(arc_of_modifier, !right, between - left_over);
                if (score > found.score) found = {score, static_cast<std::int16_t>(left_over)};
            }
            inner_scores_[inner] =
                found.score <= kForbidden
                    ? kForbidden
                    : found.score + sibling(head, arcs_[arc_of_inner].modifier, modifier, right);
        }
        for (const int arc : entering_[head]) {
            const int grand = arcs_[arc].head;
            if (grand == modifier || is_inside(grand, head, right, width)) continue;
            float best = first;
            std::int16_t best_inner = kNone;
            best += grand_sibling(grand, head, kSideStart, modifier, right);
            for (std::size_t inner = 0; inner < place; ++inner) {
                float score = partial(arc, right, inner) + inner_scores_[inner];
                if (score <= kForbidden / 2) continue;
                score += grand_sibling(grand, head, arcs_[modifiers[inner]].modifier, modifier, right);
                if (score > best) best = score, best_inner = static_cast<std::int16_t>(inner);
            }
            if (best <= kForbidden / 2) continue;
            partial(arc, right, place) =
                best + arcs_[arc_of_modifier].score + grandparent(grand, head, modifier);
            inner_[partial_start_[right][arc] + place] = best_inner;
            grand_ends_[partial_start_[right][arc] + place] =
                grand_sibling(grand, head, modifier, kSideEnd, right);
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
    bool has_grand_siblings_;
    int size_;
    std::vector<Arc> arcs_;
    std::vector<std::vector<int>> entering_;    // by modifier: its candidate arcs
    std::vector<std::vector<int>> leaving_[2];  // by side and head: candidate arcs, the shortest first
    std::vector<std::size_t> span_start_[2], partial_start_[2], gap_start_[2];
    std::vector<float> complete_, partial_;
    std::vector<float>
        grand_ends_;  // like partial_: the grand-sibling score of there being no modifier after
    std::vector<std::int16_t> last_, inner_;  // how the best spans were made
    std::vector<Gap> gaps_;                   // by pairs of modifiers; the diagonal has the end scores
    std::vector<float> end_scores_, inner_scores_;
};

}  // namespace spindle
