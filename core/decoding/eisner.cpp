#include "decoding/eisner.hpp"

#include <algorithm>
#include <limits>

namespace spindle {

namespace {

// Spans that start at the first words are made of what they have so far, and one more.
void offer(const double* __restrict so_far, double more, int count, double* __restrict best) {
    for (int word = 0; word < count; ++word) best[word] = std::max(best[word], so_far[word] + more);
}

}  // namespace

EisnerChart::EisnerChart(const ArcScores& scores) : scores_(scores), size_(scores.size()) {
    constexpr double kNever = -std::numeric_limits<double>::infinity();
    for (std::vector<double>& table : tables_) table.assign(at(size_, 0), kNever);
    for (int word = 0; word < size_; ++word)
        tables_[kRight][at(word, word)] = tables_[kLeft][at(word, word)] = 0;
    std::vector<double> inside(size_);
    for (int right = 1; right < size_; ++right) {
        double *arc_rights = row(kArcRight, right), *arc_lefts = row(kArcLeft, right);
        double *rights = row(kRight, right), *lefts = row(kLeft, right);
        std::fill(inside.begin(), inside.end(), kNever);
        // When all is known of the span from `middle` to `right`, it is offered to all longer ones at once:
        // what ends at the same word stands side by side, so that processors can add and compare several at a
        // time.
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

double EisnerChart::best_of_all() const {
    double most = best(all(), 0);
    for (int root = 1; root < size_; ++root) most = std::max(most, best(all(), root));
    return most;
}

}  // namespace spindle
