// The best projective tree under scores of single arcs, and the chart that finds it (Eisner 1996).
#pragma once

#include <vector>

#include "decoding/arc_scores.hpp"

namespace spindle {

// The best score of every span of a sentence that a projective tree can have.
class EisnerChart {
  public:
    // Spans with the head at their left end (modifiers to its right), spans with the head at their right end,
    // and whole sentences. kArcRight and kArcLeft end at a modifier of which only the inner half is included.
    enum Kind { kArcRight, kArcLeft, kRight, kLeft, kSentence };
    struct Cell {
        Kind kind;
        int left, right;
    };

    explicit EisnerChart(const ArcScores& scores);

    int size() const { return size_; }
    Cell sentence() const { return {kSentence, 0, size_ - 1}; }

    // Except for a single word, a cell consists of two others, in as many ways as there are splits.
    static bool is_word(const Cell& cell) { return cell.kind != kSentence && cell.left == cell.right; }
    static int first_split(const Cell& cell) { return cell.kind == kRight ? cell.left + 1 : cell.left; }
    static int end_of_splits(const Cell& cell) {
        return cell.kind == kRight || cell.kind == kSentence ? cell.right + 1 : cell.right;
    }
    static Cell left_part(const Cell& cell, int split) {
        if (cell.kind == kArcRight || cell.kind == kArcLeft) return {kRight, cell.left, split};
        return {cell.kind == kRight ? kArcRight : kLeft, cell.left, split};
    }
    static Cell right_part(const Cell& cell, int split) {
        if (cell.kind == kArcRight || cell.kind == kArcLeft) return {kLeft, split + 1, cell.right};
        return {cell.kind == kLeft ? kArcLeft : kRight, split, cell.right};
    }
    // Writes the head of the modifier that a cell with an arc ends at.
    static void attach(const Cell& cell, std::vector<int>& heads) {
        if (cell.kind == kArcRight) heads[cell.right] = cell.left;
        if (cell.kind == kArcLeft) heads[cell.left] = cell.right;
    }

    // The score of the arc that a cell has in addition to its two parts.
    double arc(const Cell& cell, int split) const {
        switch (cell.kind) {
            case kArcRight: return scores_(cell.left, cell.right);
            case kArcLeft: return scores_(cell.right, cell.left);
            case kSentence: return scores_(kRoot, split);
            default: return 0;
        }
    }
    // The best score of a cell, and the best score with this split.
    double best(const Cell& cell) const {
        return cell.kind == kSentence ? best_of_sentence() : tables_[cell.kind][at(cell.right, cell.left)];
    }
    double best(const Cell& cell, int split) const {
        return best(left_part(cell, split)) + best(right_part(cell, split)) + arc(cell, split);
    }

  private:
    double best_of_sentence() const;
    std::size_t at(int right, int left) const { return static_cast<std::size_t>(right) * size_ + left; }
    double* row(Kind kind, int right) { return tables_[kind].data() + at(right, 0); }

    const ArcScores& scores_;
    int size_;
    std::vector<double> tables_[kSentence];  // for each kind of span, [right, left]
};

// The heads of the best projective tree with exactly one root. A forbidden arc is used only if no tree does
// without.
std::vector<int> best_projective_tree(const ArcScores& scores);

}  // namespace spindle
