#include "decoding/eisner.hpp"

#include <algorithm>
#include <limits>

#include "support/interrupt.hpp"

namespace spindle {

namespace {

// best[i] = max(best[i], so_far[i] + more) for all i below `count`.
void offer(const double* __restrict so_far, double more, int count, double* __restrict best) {
    for (int word = 0; word < count; ++word) best[word] = std::max(best[word], so_far[word] + more);
}

}  // namespace

EisnerChart::EisnerChart(const ArcScores& scores) : scores_(scores), size_(scores.size()) {
    constexpr double kUnreachable = -std::numeric_limits<double>::infinity();
    for (std::vector<double>& table : tables_) table.reserve(at(size_, 0));
    std::vector<double> inside(size_);
    for (int right = 0; right < size_; ++right) {
        poll_interrupt(static_cast<std::size_t>(right) * right);
        // Memory is first touched row by row: all at once would take seconds without a poll.
        for (std::vector<double>& table : tables_) table.resize(at(right + 1, 0), kUnreachable);
        tables_[kRight][at(right, right)] = tables_[kLeft][at(right, right)] = 0;
        double *arc_rights = row(kArcRight, right), *arc_lefts = row(kArcLeft, right);
        double *rights = row(kRight, right), *lefts = row(kLeft, right);
        std::fill(inside.begin(), inside.end(), kUnreachable);
        // As soon as the span from `middle` to `right` is complete, it is offered to all longer spans at
        // once. Spans with the same end lie next to each other in memory, so the compiler can vectorize the
        // loop.
        for (int middle = right; middle > 0; --middle) {
            offer(row(kRight, middle - 1), lefts[middle], middle, inside.data());
            if (middle < right) {
                offer(row(kArcRight, middle), rights[middle], middle, rights);
                offer(row(kLeft, middle), arc_lefts[middle], middle, lefts);
            }
            const int left = middle - 1;
            arc_rights[left] = inside[left] + scores(left, right);
            arc_lefts[left] = inside[left] + scores(right, left);
            rights[left] = std::max(rights[left], arc_rights[left]);
            lefts[left] = std::max(lefts[left], arc_lefts[left]);
        }
    }
}

double EisnerChart::best_of_sentence() const {
    double most = best(sentence(), 0);
    for (int root = 1; root < size_; ++root) most = std::max(most, best(sentence(), root));
    return most;
}

std::vector<int> best_projective_tree(const ArcScores& scores) {
    std::vector<int> heads(scores.size(), kRoot);
    if (heads.empty()) return heads;
    const EisnerChart chart(scores);
    std::vector<EisnerChart::Cell> open{chart.sentence()};
    while (!open.empty()) {
        const EisnerChart::Cell cell = open.back();
        open.pop_back();
        if (EisnerChart::is_word(cell)) continue;
        poll_interrupt(static_cast<std::size_t>(cell.right - cell.left));
        int best = EisnerChart::first_split(cell);
        double score = chart.best(cell, best);
        for (int split = best + 1; split < EisnerChart::end_of_splits(cell); ++split)
            if (const double other = chart.best(cell, split); other > score) score = other, best = split;
        EisnerChart::attach(cell, heads);
        open.push_back(EisnerChart::left_part(cell, best));
        open.push_back(EisnerChart::right_part(cell, best));
    }
    return heads;
}

}  // namespace spindle
