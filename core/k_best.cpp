#include "k_best.hpp"

#include <algorithm>
#include <cstdint>
#include <queue>
#include <unordered_map>

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

// Every tree is built in one way only, so different ways are different trees.
class LazyChart {
  public:
    explicit LazyChart(const ArcScores& scores) : scores_(scores), size_(scores.size()) {
        for (std::vector<double>& best : best_) best.assign(static_cast<std::size_t>(size_) * size_, 0);
        for (int length = 1; length < size_; ++length)
            for (int left = 0; left + length < size_; ++left)
                for (const Kind kind : {kArcRight, kArcLeft, kRight, kLeft}) {
                    const Cell cell{kind, left, left + length};
                    double best = kNever;
                    for (int split = first_split(cell); split < end_of_splits(cell); ++split)
                        best = std::max(best, best_at(lower(cell, split)) + best_at(upper(cell, split)));
                    best_[kind][at(left, left + length)] = best + arc(cell);
                }
    }

    // The tree of this rank; without heads if there is none.
    ScoredTree tree(std::size_t rank) {
        const Cell all{kAll, 0, size_ - 1};
        const Way* way = find(all, rank);
        if (!way || way->score < kForbidden / 2) return {{}, kNever};
        std::vector<int> heads(size_, -1);
        std::vector<std::pair<Cell, const Way*>> open{{all, way}};
        while (!open.empty()) {
            const auto [cell, found] = open.back();
            open.pop_back();
            if (is_word(cell)) continue;
            if (cell.kind == kArcRight) heads[cell.right] = cell.left;
            if (cell.kind == kArcLeft) heads[cell.left] = cell.right;
            const Cell below = lower(cell, found->split), above = upper(cell, found->split);
            open.emplace_back(below, find(below, found->lower));
            open.emplace_back(above, find(above, found->upper));
        }
        return {heads, score_of(scores_, heads)};
    }

  private:
    static constexpr double kNever = -kEndless;

    // Spans with the head at their left end (modifiers to its right), at their right end, and whole
    // sentences. Those with an arc end at a modifier of which only the inner half is in.
    enum Kind { kArcRight, kArcLeft, kRight, kLeft, kAll };
    struct Cell {
        Kind kind;
        int left, right;
    };
    // A way to put a cell together: where it is split, and which of the best of both halves are taken.
    struct Way {
        double score;
        int split;
        std::uint32_t lower, upper;
        bool operator<(const Way& other) const {
            return score != other.score ? score < other.score : split > other.split;
        }
    };
    struct Ranking {
        std::vector<Way> found, waiting;  // waiting is a heap
    };

    std::size_t at(int left, int right) const { return static_cast<std::size_t>(left) * size_ + right; }
    static bool is_word(const Cell& cell) { return cell.kind != kAll && cell.left == cell.right; }

    static int first_split(const Cell& cell) { return cell.kind == kRight ? cell.left + 1 : cell.left; }
    static int end_of_splits(const Cell& cell) {
        return cell.kind == kRight || cell.kind == kAll ? cell.right + 1 : cell.right;
    }
    static Cell lower(const Cell& cell, int split) {
        if (cell.kind == kArcRight || cell.kind == kArcLeft) return {kRight, cell.left, split};
        return {cell.kind == kRight ? kArcRight : kLeft, cell.left, split};
    }
    static Cell upper(const Cell& cell, int split) {
        if (cell.kind == kArcRight || cell.kind == kArcLeft) return {kLeft, split + 1, cell.right};
        return {cell.kind == kLeft ? kArcLeft : kRight, split, cell.right};
    }
    double best_at(const Cell& cell) const { return best_[cell.kind][at(cell.left, cell.right)]; }
    double arc(const Cell& cell) const {
        if (cell.kind == kArcRight) return scores_(cell.left, cell.right);
        return cell.kind == kArcLeft ? scores_(cell.right, cell.left) : 0;
    }
    double arc(const Cell& cell, int split) const {
        return cell.kind == kAll ? scores_(-1, split) : arc(cell);
    }

    // The way of this rank to put a cell together, null if there are not so many. A cell is made of shorter
    // ones, so this goes no deeper than twice the length of the sentence.
    const Way* find(const Cell& cell, std::size_t rank) {
        static const Way word{0, 0, 0, 0};
        if (is_word(cell)) return rank == 0 ? &word : nullptr;
        const std::size_t key = cell.kind * at(size_, 0) + at(cell.left, cell.right);
        const auto [place, is_new] = rankings_.try_emplace(key);
        Ranking& ranking = place->second;
        if (is_new) {
            for (int split = first_split(cell); split < end_of_splits(cell); ++split) {
                const double halves = best_at(lower(cell, split)) + best_at(upper(cell, split));
                ranking.waiting.push_back({halves + arc(cell, split), split, 0, 0});
            }
            std::make_heap(ranking.waiting.begin(), ranking.waiting.end());
        }
        while (ranking.found.size() <= rank && !ranking.waiting.empty()) {
            std::pop_heap(ranking.waiting.begin(), ranking.waiting.end());
            const Way way = ranking.waiting.back();
            ranking.waiting.pop_back();
            ranking.found.push_back(way);
            // each pair of ranks is reached from one other only
            offer(cell, ranking, way.split, way.lower, way.upper + 1);
            if (way.upper == 0) offer(cell, ranking, way.split, way.lower + 1, 0);
        }
        return rank < ranking.found.size() ? &ranking.found[rank] : nullptr;
    }

    void offer(const Cell& cell, Ranking& ranking, int split, std::uint32_t lower_rank,
               std::uint32_t upper_rank) {
        const Way* below = find(lower(cell, split), lower_rank);
        const double below_score = below ? below->score : kNever;  // the next look-up may move it
        const Way* above = below ? find(upper(cell, split), upper_rank) : nullptr;
        if (!above) return;
        const double score = below_score + above->score + arc(cell, split);
        ranking.waiting.push_back({score, split, lower_rank, upper_rank});
        std::push_heap(ranking.waiting.begin(), ranking.waiting.end());
    }

    const ArcScores& scores_;
    int size_;
    std::vector<double> best_[4];
    std::unordered_map<std::size_t, Ranking> rankings_;
};

// ── any trees: the space of trees in parts, the best tree of each, the best part divided (Lawler 1972) ──

// The trees in which the first words have the heads of a given tree, and the next one has none of some heads.
struct Region {
    double score;            // of its best tree; an upper bound if that has not been looked for
    std::vector<int> heads;  // its best tree, or the one that the first heads are from
    int given;
    std::vector<int> banned;
    std::vector<double> least;  // of every word: what another head costs at least; empty if nobody has looked
    bool operator<(const Region& other) const { return score < other.score; }
};

// Costs are rounded, and a bound must not fall below what it bounds.
constexpr double kRounding = 1e-6;

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
    found.push_back({best_projective_tree(scores), 0});
    found[0].score = score_of(scores, found[0].heads);
    LazyChart chart(scores);
    for (std::size_t rank = 0; static_cast<int>(found.size()) < k; ++rank) {
        ScoredTree next = chart.tree(rank);
        if (next.heads.empty() || next.score < found[0].score - within) break;
        // of equal trees the other decoder may have taken a later one
        if (next.heads != found[0].heads) found.push_back(std::move(next));
    }
    return found;
}

std::vector<ScoredTree> best_trees(const ArcScores& scores, int k, double within) {
    std::vector<ScoredTree> found;
    if (scores.size() == 0 || k < 1) return found;
    Region all{kEndless, {}, 0, {}, {}};
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
            Region part{region.score - loss, region.heads, word, {}, {}};
            if (word == region.given) part.banned = region.banned;
            part.banned.push_back(region.heads[word]);
            regions.push(std::move(part));
        }
    }
    return found;
}

}  // namespace spindle
