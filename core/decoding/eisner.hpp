// Eisner's chart (1996): of every span of a sentence that a projective tree can have, the best score.
#pragma once

#include <vector>

#include "decoding/decoders.hpp"

namespace spindle {

class EisnerChart {
  public:
    // Spans with the head at their left end (modifiers to its right), at their right end, and whole
    // sentences. Those with an arc end at a modifier of which only the inner half is in.
    enum Kind { kArcRight, kArcLeft, kRight, kLeft, kAll };
    struct Cell {
        Kind kind;
        int left, right;
    };

    explicit EisnerChart(const ArcScores& scores);

    int size() const { return size_; }
    Cell all() const { return {kAll, 0, size_ - 1}; }

    // A cell is put together from two others in as many ways as there are splits; that of a word is not.
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
    // Writes down the arc that a cell ends in, if it does.
    static void attach(const Cell& cell, std::vector<int>& heads) {
        if (cell.kind == kArcRight) heads[cell.right] = cell.left;
        if (cell.kind == kArcLeft) heads[cell.left] = cell.right;
    }

    // The score of the arc that a cell has beside what its halves have.
    double arc(const Cell& cell, int split) const {
        switch (cell.kind) {
            case kArcRight: return scores_(cell.left, cell.right);
            case kArcLeft: return scores_(cell.right, cell.left);
            case kAll: return scores_(-1, split);
            default: return 0;
        }
    }
    // The best score of a cell, and of one that is split there.
    double best(const Cell& cell) const {
        return cell.kind == kAll ? best_of_all() : tables_[cell.kind][at(cell.right, cell.left)];
    }
    double best(const Cell& cell, int split) const {
        return best(lower(cell, split)) + best(upper(cell, split)) + arc(cell, split);
    }

  private:
    double best_of_all() const;
    std::size_t at(int right, int left) const { return static_cast<std::size_t>(right) * size_ + left; }
    double* row(Kind kind, int right) { return tables_[kind].data() + at(right, 0); }

    const ArcScores& scores_;
    int size_;
    std::vector<double> tables_[4];  // for each kind but the last, [right, left]
};

}  // namespace spindle
