#include "decoding/k_best.hpp"

#include <algorithm>
#include <queue>
#include <tuple>

#include "decoding/eisner.hpp"

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

// Costs are rounded, and a bound must not fall below what it bounds.
constexpr double kRounding = 1e-6;

// ── projective: the best tree of Eisner's chart, then those that turn away from a found one ──

// Every tree is put together from cells in one way only. Its cells are taken in a fixed order, and how good
// the ways are to put one together does not depend on what is above it. So a tree is known by the cells at
// which it does not take the best way, and is as much worse than the best tree as these ways are.
class TreeQueue {
  public:
    // Trees that score more than `within` less than the best are left out.
    TreeQueue(const ArcScores& scores, double within)
        : scores_(scores),
          chart_(scores),
          within_(std::max(0.0, within) + kRounding),
          known_(5 * static_cast<std::size_t>(scores.size()) * scores.size()),
          waiting_{{0, 0, -1, -1, 0, 0}} {}

    // The next best tree; without heads if there is none.
    ScoredTree next() {
        if (waiting_.empty()) return {{}, 0};
        std::pop_heap(waiting_.begin(), waiting_.end());
        const Turn turn = waiting_.back();
        waiting_.pop_back();
        Derivation tree{{}, std::vector<int>(chart_.size(), -1)};
        if (turn.before < 0) {
            derive(chart_.all(), 0, tree);
        } else {
            const Derivation& other = found_[turn.before];
            const auto here = other.steps.begin() + turn.place;
            if (here->cell.kind != EisnerChart::kAll) tree.heads = other.heads;
            tree.steps.assign(other.steps.begin(), here);
            derive(here->cell, turn.rank, tree);
            tree.steps.insert(tree.steps.end(), here + here->length, other.steps.end());
            // so every tree is reached from one other only
            offer(turn.loss_before, turn.before, turn.place, turn.rank + 1, here->cell);
        }
        const int number = static_cast<int>(found_.size());
        for (int place = turn.place + 1; place < static_cast<int>(tree.steps.size()); ++place)
            if (const Step& step = tree.steps[place]; turn.loss + step.second <= within_)
                offer(turn.loss, number, place, 1, step.cell);
        found_.push_back(std::move(tree));
        return {found_.back().heads, score_of(scores_, found_.back().heads)};
    }

  private:
    using Cell = EisnerChart::Cell;

    // A way to put a cell together, and how much worse than the best one it is.
    struct Way {
        double loss;
        int split;
        bool operator<(const Way& other) const {
            return std::tie(loss, split) < std::tie(other.loss, other.split);
        }
    };
    // All ways that are good enough, the best first: where they are among those of all cells. The best one is
    // always among them, for the chart adds up in the same order.
    struct Ways {
        int first, count = 0;
    };
    // A cell of a tree, how many steps it and all that it is made of are, and what its second best way costs.
    struct Step {
        Cell cell;
        int length;
        double second;
    };
    // A tree as its cells, each before those that it is made of.
    struct Derivation {
        std::vector<Step> steps;
        std::vector<int> heads;
    };
    // A tree is another one but for the cell at some place, where it takes the way of some rank, and the best
    // ways below. At the places after that the other one takes the best ways, too.
    struct Turn {
        double loss, loss_before;
        int before;  // the number of that other one, -1 if there is none
        int place;
        int rank;
        int number;  // of equally good ones the earlier comes first
        bool operator<(const Turn& other) const {
            return std::tie(loss, number) > std::tie(other.loss, other.number);
        }
    };

    // Adds a cell that is put together in the way of this rank, and in the best ways below. Cells are made of
    // shorter ones, so this goes no deeper than twice the length of the sentence.
    void derive(const Cell& cell, int rank, Derivation& tree) {
        if (EisnerChart::is_word(cell)) return;
        const Ways ways = ways_of(cell);
        const std::size_t place = tree.steps.size();
        tree.steps.push_back({cell, 0, ways.count > 1 ? ways_[ways.first + 1].loss : kEndless});
        EisnerChart::attach(cell, tree.heads);
        const int split = ways_[ways.first + rank].split;
        derive(EisnerChart::lower(cell, split), 0, tree);
        derive(EisnerChart::upper(cell, split), 0, tree);
        tree.steps[place].length = static_cast<int>(tree.steps.size() - place);
    }

    void offer(double loss_before, int before, int place, int rank, const Cell& cell) {
        const Ways ways = ways_of(cell);
        if (rank >= ways.count) return;
        const double loss = loss_before + ways_[ways.first + rank].loss;
        if (loss > within_) return;
        waiting_.push_back({loss, loss_before, before, place, rank, ++offered_});
        std::push_heap(waiting_.begin(), waiting_.end());
    }

    Ways ways_of(const Cell& cell) {
        const std::size_t size = chart_.size();
        Ways& ways = known_[(cell.kind * size + cell.left) * size + cell.right];
        if (ways.count == 0) {
            ways.first = static_cast<int>(ways_.size());
            const double best = chart_.best(cell);
            for (int split = EisnerChart::first_split(cell); split < EisnerChart::end_of_splits(cell);
                 ++split)
                if (const double loss = best - chart_.best(cell, split); loss <= within_)
                    ways_.push_back({loss, split});
            ways.count = static_cast<int>(ways_.size()) - ways.first;
            std::sort(ways_.begin() + ways.first, ways_.end());
        }
        return ways;
    }

    const ArcScores& scores_;
    EisnerChart chart_;
    double within_;
    std::vector<Ways> known_;  // of every cell, none as long as nobody has asked
    std::vector<Way> ways_;
    std::vector<Turn> waiting_;      // a heap
    std::vector<Derivation> found_;  // by the trees' numbers
    int offered_ = 0;
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
    // A new head that hangs below the word would close a cycle, so that somewhere between the two another
    // word needs a new head, too; one that comes later, as those before keep theirs.
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
    TreeQueue queue(scores, within);
    found.push_back(queue.next());
    const double least = std::max(found[0].score - within, kForbidden / 2.0);
    while (static_cast<int>(found.size()) < k) {
        ScoredTree next = queue.next();
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
