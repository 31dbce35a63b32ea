#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "bindings/decoding/arc_tables.hpp"
#include "bindings/module.hpp"
#include "bindings/support/arrays.hpp"
#include "decoding/chu_liu_edmonds.hpp"
#include "decoding/eisner.hpp"
#include "decoding/k_best.hpp"
#include "decoding/marginals.hpp"
#include "support/checks.hpp"
#include "support/parallel.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

ArcScores to_scores(const ScoreTable& table) {
    const std::size_t rows = table.shape(0), columns = table.shape(1);
    if (rows != columns + 1) throw std::invalid_argument("a table of scores needs one row more than columns");
    return read_scores(table.data(), columns, static_cast<int>(columns));
}

// Padded tables of sentences, one after the other.
class Batch {
  public:
    Batch(const ScoreTables& tables, const std::vector<int>& lengths) : tables_(tables), lengths_(lengths) {
        check_same_length(tables.shape(0), "tables", lengths.size(), "sentence lengths");
        for (const int length : lengths)
            if (length < 0 || static_cast<std::size_t>(length) > columns() ||
                static_cast<std::size_t>(length) >= rows())
                throw std::invalid_argument("a sentence is longer than its table: " + std::to_string(length) +
                                            " words, " + std::to_string(rows()) + " rows, " +
                                            std::to_string(columns()) + " columns");
    }

    std::size_t size() const { return lengths_.size(); }
    std::size_t rows() const { return tables_.shape(1); }
    std::size_t columns() const { return tables_.shape(2); }
    std::size_t start(std::size_t at) const { return at * rows() * columns(); }
    ArcScores scores(std::size_t at) const {
        return read_scores(tables_.data() + start(at), columns(), lengths_[at]);
    }

  private:
    const ScoreTables& tables_;
    const std::vector<int>& lengths_;
};

nb::tuple marginals_batch(const ScoreTables& tables, const std::vector<int>& lengths, bool projective,
                          int threads) {
    const Batch batch(tables, lengths);
    std::vector<float> probabilities(batch.start(batch.size()));
    std::vector<double> log_sums(batch.size());
    {
        const nb::gil_scoped_release released;
        parallel_for(batch.size(), threads, [&](std::size_t at) {
            const ArcScores scores = batch.scores(at);
            const ArcMarginals found = projective ? projective_marginals(scores) : marginals(scores);
            log_sums[at] = found.log_sum;
            write_table(found, probabilities.data() + batch.start(at), batch.columns());
        });
    }
    return nb::make_tuple(log_sums,
                          to_array(std::move(probabilities), {batch.size(), batch.rows(), batch.columns()}));
}

nb::tuple best_trees_batch(const ScoreTables& tables, const std::vector<int>& lengths,
                           const std::vector<int>& k, double within, bool projective, int threads) {
    const Batch batch(tables, lengths);
    check_same_length(k.size(), "values of k (how many trees)", batch.size(), "sentences");
    std::vector<std::vector<ScoredTree>> found(batch.size());
    {
        const nb::gil_scoped_release released;
        parallel_for(batch.size(), threads, [&](std::size_t at) {
            const ArcScores scores = batch.scores(at);
            found[at] =
                projective ? best_projective_trees(scores, k[at], within) : best_trees(scores, k[at], within);
        });
    }
    std::vector<std::int64_t> counts;
    std::vector<int> heads;
    std::vector<double> scores;
    for (const std::vector<ScoredTree>& trees : found) {
        counts.push_back(static_cast<std::int64_t>(trees.size()));
        for (const ScoredTree& tree : trees) {
            heads.insert(heads.end(), tree.heads.begin(), tree.heads.end());
            scores.push_back(tree.score);
        }
    }
    return nb::make_tuple(to_array(std::move(counts)), to_array(std::move(heads)),
                          to_array(std::move(scores)));
}

// Calls a decoder without Python's lock, so that other threads and handlers of signals can run.
template <class Decoder>
auto without_lock(const ScoreTable& table, Decoder&& decoder) {
    const ArcScores scores = to_scores(table);
    const nb::gil_scoped_release released;
    return decoder(scores);
}

std::vector<std::vector<int>> heads_of(std::vector<ScoredTree> trees) {
    std::vector<std::vector<int>> heads;
    for (ScoredTree& tree : trees) heads.push_back(std::move(tree.heads));
    return heads;
}

}  // namespace

void bind_decoders(nb::module_& module) {
    module.def(
        "best_projective_tree",
        [](const ScoreTable& table) {
            return without_lock(table, [](const ArcScores& scores) { return best_projective_tree(scores); });
        },
        "scores"_a, "Heads of the best projective tree. Scores are [head + 1, modifier].");
    module.def(
        "best_tree", [](const ScoreTable& scores) { return best_tree(to_scores(scores)); }, "scores"_a,
        "Heads of the best tree of any kind. Scores are [head + 1, modifier].");
    module.def(
        "best_projective_trees",
        [](const ScoreTable& table, int k, double within) {
            return without_lock(table, [&](const ArcScores& scores) {
                return heads_of(best_projective_trees(scores, k, within));
            });
        },
        "scores"_a, "k"_a, "within"_a = kInfinity,
        "Heads of the k best projective trees, the best first, that score at most `within` less than it.");
    module.def(
        "best_trees",
        [](const ScoreTable& table, int k, double within) {
            return without_lock(
                table, [&](const ArcScores& scores) { return heads_of(best_trees(scores, k, within)); });
        },
        "scores"_a, "k"_a, "within"_a = kInfinity,
        "Heads of the k best trees of any kind, the best first, that score at most `within` less than it.");
    module.def(
        "projective_marginals",
        [](const ScoreTable& table) { return to_table(without_lock(table, projective_marginals)); },
        "scores"_a, "Marginal probabilities of all arcs over projective trees.");
    module.def(
        "marginals",
        [](const ScoreTable& table) {
            return to_table(without_lock(table, [](const ArcScores& scores) { return marginals(scores); }));
        },
        "scores"_a, "Marginal probabilities of all arcs over trees of any kind.");
    module.def(
        "best_trees_batch", &best_trees_batch, "tables"_a, "lengths"_a, "k"_a, "within"_a, "projective"_a,
        "threads"_a,
        "From padded tables of scores: the number of trees per sentence, the heads of all words of all "
        "trees, and the trees' scores.");
    module.def("marginals_batch", &marginals_batch, "tables"_a, "lengths"_a, "projective"_a, "threads"_a,
               "From padded tables of scores: the log partition function per sentence, and the marginal "
               "probabilities of all arcs.");
}

}  // namespace spindle
