// Scores and probabilities of arcs between Python and the core: [head + 1, modifier], so that row 0 is the
// root.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

#include "bindings/support/arrays.hpp"
#include "decoding/arc_scores.hpp"

namespace spindle {

// A table of one sentence, and padded tables of several.
using ScoreTable =
    nanobind::ndarray<const float, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
using ScoreTables =
    nanobind::ndarray<const float, nanobind::ndim<3>, nanobind::c_contig, nanobind::device::cpu>;

// The scores of a sentence of this size in a table that may have more columns.
inline ArcScores read_scores(const float* table, std::size_t columns, int size) {
    ArcScores scores(size);
    for (int head = kRoot; head < size; ++head, table += columns)
        for (int word = 0; word < size; ++word)
            if (head != word) scores(head, word) = bounded_score(table[word]);
    return scores;
}

// The opposite, for numbers of any kind.
inline void write_table(const ArcTable<double>& numbers, float* table, std::size_t columns) {
    for (int head = kRoot; head < numbers.size(); ++head, table += columns)
        for (int word = 0; word < numbers.size(); ++word)
            table[word] = static_cast<float>(numbers(head, word));
}

inline OwnedArray<float, 2> to_table(const ArcTable<double>& numbers) {
    const std::size_t size = numbers.size();
    std::vector<float> table((size + 1) * size);
    write_table(numbers, table.data(), size);
    return to_array(std::move(table), {size + 1, size});
}

}  // namespace spindle
