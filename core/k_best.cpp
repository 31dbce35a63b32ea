#include "k_best.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <queue>
#include <tuple>

#include "eisner.hpp"

namespace spindle {

namespace {

double score_of(const ArcScores& scores, const std::vector<int>& heads) {
    double total = 0;
    for (int word = 0; word < scores.size(); ++word) total += scores(heads[word], word);
    return total;
}

bool is_allowed(const ArcScores& scores, const std::vector<int>& heads) {
    for (int word = 0; word < scores.size(); ++word)
        if (scores(heads[word], word) <= kForbidden) return false;
    return true;
}

// ── projective: Eisner's chart, whose cells give their next best on demand (Huang & Chiang 2005) ──

// Costs are rounded, and a bound must not fall below what it bounds.
constexpr double kRounding = 1e-6;

// Every tree is built in one way only, so different ways are different trees.
class LazyChart {
  public:
    // What scores so much less than the best in its cell cannot be in a tree that is within that of the best.
    LazyChart(const ArcScores& scores, double within)
        : scores_(scores),
          chart_(scores),
          within_(within + kRounding),
          places_(5 * static_cast<std::size_t>(scores.size()) * scores.size(), -1) {}

    // The tree of this rank; without heads if there is none.
    ScoredTree tree(std::size_t rank) {
        const Way* way = find(chart_.all(), rank);
        if (!way) return {{}, kNever};
        std::vector<int> heads(chart_.size(), -1);
        std::vector<std::pair<Cell, const Way*>> open{{chart_.all(), way}};
        while (!open.empty()) {
            const auto [cell, found] = open.back();
            open.pop_back();
            if (EisnerChart::is_word(cell)) continue;
            EisnerChart::attach(cell, heads);
            const Cell below = EisnerChart::lower(cell, found->split);
            const Cell above = EisnerChart::upper(cell, found->split);
            open.emplace_back(below, find(below, found->lower));
            open.emplace_back(above, find(above, found->upper));
        }
        return {heads, score_of(scores_, heads)};
    }

  private:
    using Cell = EisnerChart::Cell;
    static constexpr double kNever = -kEndless;

    // A way to put a cell together: where it is split, and which of the best of both halves are taken.
    struct Way {
        double score;
        int split;
        std::uint32_t lower, upper;
        // the same order of equal ones, whatever else there is
        bool operator<(const Way& other) const {
            return std::tuple(score, -split, other.lower, other.upper) <
                   std::tuple(other.score, -other.split, lower, upper);
        }
    };
    struct Ranking {
        double floor;
        std::vector<Way> found, waiting;  // waiting is a heap
        std::size_t followed = 0;         // of how many found ones the next worse wait, too: only when asked for
    };

    Ranking& ranking_of(const Cell& cell) {
        const std::size_t size = chart_.size();
        int& place = places_[(cell.kind * size + cell.left) * size + cell.right];
        if (place < 0) {
            place = static_cast<int>(rankings_.size());
            Ranking& ranking = rankings_.emplace_back(Ranking{chart_.best(cell) - within_, {}, {}});
            for (int split = EisnerChart::first_split(cell); split < EisnerChart::end_of_splits(cell); ++split)
                if (const double score = chart_.best(cell, split); score >= ranking.floor)
                    ranking.waiting.push_back({score, split, 0, 0});
            std::make_heap(ranking.waiting.begin(), ranking.waiting.end());
        }
        return rankings_[place];
    }

    // The way of this rank to put a cell together, null if there are not so many. A cell is made of shorter
    // ones, so this goes no deeper than twice the length of the sentence.
    const Way* find(const Cell& cell, std::size_t rank) {
        static const Way word{0, 0, 0, 0};
        if (EisnerChart::is_word(cell)) return rank == 0 ? &word : nullptr;
        Ranking& ranking = ranking_of(cell);
        while (ranking.found.size() <= rank) {
            if (ranking.followed < ranking.found.size()) {
                const Way way = ranking.found[ranking.followed++];
                // each pair of ranks is reached from one other only
                offer(cell, ranking, way.split, way.lower, way.upper + 1);
                if (way.upper == 0) offer(cell, ranking, way.split, way.lower + 1, 0);
            }
            if (ranking.waiting.empty()) break;
            std::pop_heap(ranking.waiting.begin(), ranking.waiting.end());
            ranking.found.push_back(ranking.waiting.back());
            ranking.waiting.pop_back();
        }
        return rank < ranking.found.size() ? &ranking.found[rank] : nullptr;
    }

    void offer(const Cell& cell, Ranking& ranking, int split, std::uint32_t lower_rank,
               std::uint32_t upper_rank) {
        const Way* below = find(EisnerChart::lower(cell, split), lower_rank);
        const double below_score = below ? below->score : kNever;  // the next look-up may move it
        const Way* above = below ? find(EisnerChart::upper(cell, split), upper_rank) : nullptr;
        if (!above) return;
        const double score = below_score + above->score + chart_.arc(cell, split);
        if (score < ranking.floor) return;
        ranking.waiting.push_back({score, split, lower_rank, upper_rank});
        std::push_heap(ranking.waiting.begin(), ranking.waiting.end());
    }

    const ArcScores& scores_;
    EisnerChart chart_;
    double within_;
    std::vector<int> places_;        // of every cell: where its ranking is, or -1
    std::deque<Ranking> rankings_;  // which stay where they are when others come
};

// ── any trees: the space of trees in parts, the best tree of each, the best part divided (Lawler 1972) ──

// The trees in which the first words have the heads of a given tree, and the next one has none of some heads.
struct Region {
    double score;            // of its best tree; an upper bound if that has not been looked for
    std::vector<int> heads;  // its best tree, or the one that the first heads are from
    int given;
    std::vector<int> banned;
    std::vector<double> least;  // of every word: what another head costs at least; empty if nobody has looked
    int number;                 // of equally good ones the earlier comes first
    bool operator<(const Region& other) const {
        return std::tuple(score, -number) < std::tuple(other.score, -other.number);
    }
};

// Finds the best tree of a region; false if there is none.
bool solve(const ArcScores& scores, Region& region) {
    const int size = scores.size();
    ArcScores left = scores;
    for (int word = 0; word < region.given; ++word)
        for (int head = -1; head < size; ++head)
            if (head != region.heads[word]) left(head, word) = kForbidden;
    for (const int head : region.banned) left(head, region.given) = kForbidden;
    ArcLosses losses(size);
    region.heads = best_tree(left, &losses);
    if (!is_allowed(left, region.heads)) return false;
    region.score = std::min(region.score, score_of(scores, region.heads));
    const auto find_least = [&] {
        std::vector<double> least(size, kEndless);
        for (int word = region.given; word < size; ++word)
            for (int head = -1; head < size; ++head)
                if (head != word && head != region.heads[word] && left(head, word) > kForbidden)
                    least[word] = std::min(least[word], losses(head, word));
        return least;
    };
    region.least = find_least();
    // A new head that hangs below the word would close a cycle, so that somewhere between the two another word
    // needs a new head, too; one that comes later, as those before keep theirs.
    for (int below = 0; below < size; ++below)
        for (int word = region.heads[below]; word >= 0; word = region.heads[word]) {
            double least = kEndless;
            for (int between = below; between != word; between = region.heads[between])
                if (between > word) least = std::min(least, region.least[between]);
            losses(below, word) += least;
        }
    region.least = find_least();
    return true;
}

}  // namespace

std::vector<ScoredTree> best_projective_trees(const ArcScores& scores, int k, double within) {
    std::vector<ScoredTree> found;
    if (scores.size() == 0 || k < 1) return found;
    LazyChart chart(scores, within);
    found.push_back(chart.tree(0));
    const double least = std::max(found[0].score - within, kForbidden / 2.0);
    while (static_cast<int>(found.size()) < k) {
        ScoredTree next = chart.tree(found.size());
        if (next.heads.empty() || next.score < least) break;
        found.push_back(std::move(next));
    }
    return found;
}

std::vector<ScoredTree> best_trees(const ArcScores& scores, int k, double within) {
    std::vector<ScoredTree> found;
    if (scores.size() == 0 || k < 1) return found;
    Region all{kEndless, {}, 0, {}, {}, 0};
    int numbers = 0;
    std::priority_queue<Region> regions;
    if (solve(scores, all))
        regions.push(all);
    else
        found.push_back({all.heads, score_of(scores, all.heads)});
    while (static_cast<int>(found.size()) < k && !regions.empty()) {
        Region region = regions.top();
        regions.pop();
        if (!found.empty() && region.score < found[0].score - within) break;
        if (region.least.empty()) {
            if (solve(scores, region)) regions.push(std::move(region));
            continue;
        }
        found.push_back({region.heads, score_of(scores, region.heads)});
        // every other tree of the region differs from its best one at some word first
        for (int word = region.given; word < scores.size(); ++word) {
            if (region.least[word] == kEndless) continue;
            const double loss = std::max(region.least[word] - kRounding, 0.0);
            if (region.score - loss < found[0].score - within) continue;
            Region part{region.score - loss, region.heads, word, {}, {}, ++numbers};
            if (word == region.given) part.banned = region.banned;
            part.banned.push_back(region.heads[word]);
            regions.push(std::move(part));
        }
    }
    return found;
}

}  // namespace spindle
