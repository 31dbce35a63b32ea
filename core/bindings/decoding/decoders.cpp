#include "decoding/decoders.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/decoding/arc_tables.hpp"
#include "bindings/module.hpp"
#include "bindings/support/arrays.hpp"
#include "decoding/k_best.hpp"
#include "decoding/marginals.hpp"
#include "support/parallel.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// A table with a row for every head, the first being what is above the root.
using Table = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The scores of a sentence of this size in a table that may have more columns. An arc whose score is no
// number, as a training that has gone wrong may give, is forbidden.
ArcScores read_scores(const float* table, std::size_t columns, int size) {
    ArcScores scores(size);
    for (int head = -1; head < size; ++head, table += columns)
        for (int word = 0; word < size; ++word)
            if (head != word && table[word] > kForbidden)
                scores(head, word) = std::min(table[word], -kForbidden);
    return scores;
}

ArcScores to_scores(const Table& table) {
    const int size = static_cast<int>(table.shape(1));
    if (static_cast<int>(table.shape(0)) != size + 1)
        throw std::invalid_argument("scores need a row more than columns");
    return read_scores(table.data(), size, size);
}

// Tables of sentences of different lengths, one after the other and padded.
using Tables = nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Probabilities = nb::ndarray<nb::numpy, float, nb::ndim<3>>;

void check_lengths(const Tables& tables, const std::vector<int>& lengths) {
    if (lengths.size() != tables.shape(0))
        throw std::invalid_argument("every table needs the length of its sentence");
    const int rows = static_cast<int>(tables.shape(1)), columns = static_cast<int>(tables.shape(2));
    for (const int length : lengths)
        if (length < 0 || length > columns || length >= rows)
            throw std::invalid_argument("a sentence is longer than its table");
}

std::pair<std::vector<double>, Probabilities> tree_sums(const Tables& tables, const std::vector<int>& lengths,
                                                        bool projective, int threads) {
    const std::size_t count = tables.shape(0), rows = tables.shape(1), columns = tables.shape(2);
    check_lengths(tables, lengths);
    auto* found = new float[count * rows * columns + 1]();
    nb::capsule owner(found, [](void* pointer) noexcept { delete[] static_cast<float*>(pointer); });
    std::vector<double> sums(count);
    {
        const nb::gil_scoped_release released;
        parallel_for(count, threads, [&](std::size_t at) {
            const int size = lengths[at];
            const std::size_t start = at * rows * columns;
            const ArcScores scores = read_scores(tables.data() + start, columns, size);
            const ArcMarginals all = projective ? projective_marginals(scores) : marginals(scores);
            sums[at] = all.log_sum;
            for (int head = -1; head < size; ++head)
                for (int word = 0; word < size; ++word)
                    found[start + (head + 1) * columns + word] = static_cast<float>(all(head, word));
        });
    }
    return {sums, Probabilities(found, {count, rows, columns}, owner)};
}

nb::tuple trees_of_many(const Tables& tables, const std::vector<int>& lengths, const std::vector<int>& most,
                        double within, bool projective, int threads) {
    const std::size_t count = tables.shape(0), columns = tables.shape(2), cells = tables.shape(1) * columns;
    check_lengths(tables, lengths);
    if (most.size() != count)
        throw std::invalid_argument("it must be said how many trees each sentence may have");
    std::vector<std::vector<ScoredTree>> found(count);
    {
        const nb::gil_scoped_release released;
        parallel_for(count, threads, [&](std::size_t at) {
            const ArcScores scores = read_scores(tables.data() + at * cells, columns, lengths[at]);
            found[at] = projective ? best_projective_trees(scores, most[at], within)
                                   : best_trees(scores, most[at], within);
        });
    }
    std::vector<std::int64_t> counts;
    std::vector<int> heads;
    std::vector<double> scores;
    for (const std::vector<ScoredTree>& of_sentence : found) {
        counts.push_back(static_cast<std::int64_t>(of_sentence.size()));
        for (const ScoredTree& tree : of_sentence) {
            heads.insert(heads.end(), tree.heads.begin(), tree.heads.end());
            scores.push_back(tree.score);
        }
    }
    return nb::make_tuple(to_array(std::move(counts)), to_array(std::move(heads)),
                          to_array(std::move(scores)));
}

std::vector<std::vector<int>> heads_of(std::vector<ScoredTree> trees) {
    std::vector<std::vector<int>> heads;
    for (ScoredTree& tree : trees) heads.push_back(std::move(tree.heads));
    return heads;
}

}  // namespace

void bind_decoders(nb::module_& module) {
    module.def(
        "best_projective_tree", [](const Table& scores) { return best_projective_tree(to_scores(scores)); },
        "scores"_a, "Heads of the best projective tree; row 0 of the scores is above the root.");
    module.def(
        "best_tree", [](const Table& scores) { return best_tree(to_scores(scores)); }, "scores"_a,
        "Heads of the best tree of any kind; row 0 of the scores is above the root.");
    module.def(
        "best_projective_trees",
        [](const Table& scores, int k, double within) {
            return heads_of(best_projective_trees(to_scores(scores), k, within));
        },
        "scores"_a, "k"_a, "within"_a = kEndless,
        "Heads of the k best projective trees, the best first, that score so much less than it at most.");
    module.def(
        "best_trees",
        [](const Table& scores, int k, double within) {
            return heads_of(best_trees(to_scores(scores), k, within));
        },
        "scores"_a, "k"_a, "within"_a = kEndless,
        "Heads of the k best trees of any kind, the best first, that score so much less than it at most.");
    module.def(
        "projective_marginals",
        [](const Table& scores) { return to_table(projective_marginals(to_scores(scores))); }, "scores"_a,
        "How probable every arc is among projective trees.");
    module.def(
        "marginals", [](const Table& scores) { return to_table(marginals(to_scores(scores))); }, "scores"_a,
        "How probable every arc is among trees of any kind.");
    module.def("trees_of_many", &trees_of_many, "tables"_a, "lengths"_a, "most"_a, "within"_a, "projective"_a,
               "threads"_a,
               "Of padded tables of scores: how many trees each sentence has, the heads of all words of all "
               "trees, and the trees' scores.");
    module.def(
        "tree_sums", &tree_sums, "tables"_a, "lengths"_a, "projective"_a, "threads"_a,
        "Of padded tables of scores: the logarithms of what all trees add up to, and how probable every "
        "arc is.");
}

}  // namespace spindle
