#include "decoding/k_best.hpp"

#include <algorithm>
#include <queue>
#include <stdexcept>
#include <tuple>

#include "decoding/chu_liu_edmonds.hpp"
#include "decoding/eisner.hpp"
#include "support/interrupt.hpp"

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

// Losses are rounded, and a bound must not fall below what it bounds.
constexpr double kRounding = 1e-6;

// ── projective: the best tree of Eisner's chart, then trees that deviate from one found before ──

// Every tree has exactly one derivation: its cells in a fixed order, each with a split. The splits of a cell
// rank the same wherever the cell occurs. So a tree is determined by the cells that do not take their best
// split, and the loss of the tree is the sum of the losses of these splits.
class TreeQueue {
  public:
    // Trees that score more than `within` less than the best are left out.
    TreeQueue(const ArcScores& scores, double within)
        : scores_(scores),
          chart_(scores),
          within_(std::max(0.0, within) + kRounding),
          ranked_(5 * static_cast<std::size_t>(scores.size()) * scores.size()),
          waiting_{{0, 0, kNoTree, -1, 0, 0}} {}

    // The next best tree; without heads if there is none.
    ScoredTree next() {
        if (waiting_.empty()) return {{}, 0};
        poll_interrupt(static_cast<std::size_t>(chart_.size()) * 8);
        std::pop_heap(waiting_.begin(), waiting_.end());
        const Deviation deviation = waiting_.back();
        waiting_.pop_back();
        Derivation tree{{}, std::vector<int>(chart_.size(), kRoot)};
        if (deviation.tree == kNoTree) {
            derive(chart_.sentence(), 0, tree);
        } else {
            const Derivation& other = found_[deviation.tree];
            const auto here = other.steps.begin() + deviation.step;
            if (here->cell.kind != EisnerChart::kSentence) tree.heads = other.heads;
            tree.steps.assign(other.steps.begin(), here);
            derive(here->cell, deviation.rank, tree);
            tree.steps.insert(tree.steps.end(), here + here->length, other.steps.end());
            // so that every tree is reached from one other only
            offer(deviation.loss_before, deviation.tree, deviation.step, deviation.rank + 1, here->cell);
        }
        const int number = static_cast<int>(found_.size());
        for (int at = deviation.step + 1; at < static_cast<int>(tree.steps.size()); ++at)
            if (const Step& step = tree.steps[at]; deviation.loss + step.second_loss <= within_)
                offer(deviation.loss, number, at, 1, step.cell);
        found_.push_back(std::move(tree));
        return {found_.back().heads, score_of(scores_, found_.back().heads)};
    }

  private:
    using Cell = EisnerChart::Cell;
    static constexpr int kNoTree = -1;

    // A way to split a cell, and how much worse than the best split it is.
    struct Split {
        double loss;
        int at;
        bool operator<(const Split& other) const {
            return std::tie(loss, at) < std::tie(other.loss, other.at);
        }
    };
    // Where the splits of a cell that are good enough stand in `splits_`, the best first. The best split is
    // always among them: its loss is exactly 0, because the chart adds up in the same order.
    struct RankedSplits {
        int first, count = 0;
    };
    // A cell of a derivation, the number of steps that it and all its parts take, and the loss of its second
    // best split.
    struct Step {
        Cell cell;
        int length;
        double second_loss;
    };
    // Every cell of a tree before its parts.
    struct Derivation {
        std::vector<Step> steps;
        std::vector<int> heads;
    };
    // A tree that equals an earlier one except for the cell at one step: that cell takes the split of this
    // rank, and its parts their best splits. All later steps of the earlier tree take their best splits, too.
    struct Deviation {
        double loss, loss_before;  // of this tree, and of the earlier one up to that step
        int tree;                  // the number of the earlier tree
        int step;
        int rank;
        int number;  // the earlier of two equally good deviations comes first
        bool operator<(const Deviation& other) const {
            return std::tie(loss, number) > std::tie(other.loss, other.number);
        }
    };

    // Adds a cell with the split of this rank, and its parts with their best splits. Parts are shorter, so
    // the recursion is at most twice as deep as the sentence is long.
    void derive(const Cell& cell, int rank, Derivation& tree) {
        if (EisnerChart::is_word(cell)) return;
        const RankedSplits ranked = splits_of(cell);
        const std::size_t place = tree.steps.size();
        tree.steps.push_back({cell, 0, ranked.count > 1 ? splits_[ranked.first + 1].loss : kInfinity});
        EisnerChart::attach(cell, tree.heads);
        const int split = splits_[ranked.first + rank].at;
        derive(EisnerChart::left_part(cell, split), 0, tree);
        derive(EisnerChart::right_part(cell, split), 0, tree);
        tree.steps[place].length = static_cast<int>(tree.steps.size() - place);
    }

    void offer(double loss_before, int tree, int step, int rank, const Cell& cell) {
        const RankedSplits ranked = splits_of(cell);
        if (rank >= ranked.count) return;
        const double loss = loss_before + splits_[ranked.first + rank].loss;
        if (loss > within_) return;
        waiting_.push_back({loss, loss_before, tree, step, rank, ++offered_});
        std::push_heap(waiting_.begin(), waiting_.end());
    }

    RankedSplits splits_of(const Cell& cell) {
        const std::size_t size = chart_.size();
        RankedSplits& ranked = ranked_[(cell.kind * size + cell.left) * size + cell.right];
        if (ranked.count == 0) {
            poll_interrupt(cell.right - cell.left + 1);
            ranked.first = static_cast<int>(splits_.size());
            const double best = chart_.best(cell);
            for (int at = EisnerChart::first_split(cell); at < EisnerChart::end_of_splits(cell); ++at)
                if (const double loss = best - chart_.best(cell, at); loss <= within_)
                    splits_.push_back({loss, at});
            ranked.count = static_cast<int>(splits_.size()) - ranked.first;
            // infinite scores have no differences
            if (ranked.count == 0) throw std::invalid_argument("arc scores must be finite numbers");
            std::sort(splits_.begin() + ranked.first, splits_.end());
        }
        return ranked;
    }

    const ArcScores& scores_;
    EisnerChart chart_;
    double within_;
    std::vector<RankedSplits> ranked_;  // of every cell, filled when first needed
    std::vector<Split> splits_;
    std::vector<Deviation> waiting_;  // a heap
    std::vector<Derivation> found_;   // by the trees' numbers
    int offered_ = 0;
};

// ── any trees: the space of trees in regions, the best tree of each, the best region divided (Lawler 1972)
// ──

// The trees in which the first `given` words have the heads of a given tree, and the next word none of the
// banned heads.
struct Region {
    double score;            // of its best tree; an upper bound before `solve`
    std::vector<int> heads;  // its best tree; before `solve`, the tree that the given heads are from
    int given;
    std::vector<int> banned;
    std::vector<double> least;  // per word, the least loss that another head costs; empty before `solve`
    int number;                 // the earlier of two equally good regions comes first
    bool operator<(const Region& other) const {
        return std::tuple(score, -number) < std::tuple(other.score, -other.number);
    }
};

ArcScores allowed_scores(const ArcScores& scores, const Region& region) {
    ArcScores allowed = scores;
    for (int word = 0; word < region.given; ++word)
        for (int head = kRoot; head < scores.size(); ++head)
            if (head != region.heads[word]) allowed(head, word) = kForbidden;
    for (const int head : region.banned) allowed(head, region.given) = kForbidden;
    return allowed;
}

// Per word, the least loss of another head; infinite for the given words.
std::vector<double> least_losses(const ArcScores& allowed, const ArcLosses& losses, const Region& region) {
    std::vector<double> least(allowed.size(), kInfinity);
    for (int word = region.given; word < allowed.size(); ++word)
        for (int head = kRoot; head < allowed.size(); ++head)
            if (head != word && head != region.heads[word] && allowed(head, word) > kForbidden)
                least[word] = std::min(least[word], losses(head, word));
    return least;
}

// Finds the best tree of a region; returns whether there is one.
bool solve(const ArcScores& scores, Region& region) {
    const int size = scores.size();
    poll_interrupt(static_cast<std::size_t>(size) * size);
    const ArcScores allowed = allowed_scores(scores, region);
    ArcLosses losses(size);
    region.heads = best_tree(allowed, &losses);
    if (!is_allowed(allowed, region.heads)) return false;
    region.score = std::min(region.score, score_of(scores, region.heads));
    region.least = least_losses(allowed, losses, region);
    // A new head that depends on the word closes a cycle, so another word between the two needs a new head as
    // well: a later word, because earlier ones keep theirs.
    for (int below = 0; below < size; ++below)
        for (int word = region.heads[below]; word >= 0; word = region.heads[word]) {
            poll_interrupt(size);
            double least = kInfinity;
            for (int between = below; between != word; between = region.heads[between])
                if (between > word) least = std::min(least, region.least[between]);
            losses(below, word) += least;
        }
    region.least = least_losses(allowed, losses, region);
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
    Region all{kInfinity, {}, 0, {}, {}, 0};
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
            if (region.least[word] == kInfinity) continue;
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
