#include "decoders.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include "arc_tables.hpp"
#include "k_best.hpp"
#include "marginals.hpp"
#include "module.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// A table with a row for every head, the first being what is above the root.
using Table = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

ArcScores to_scores(const Table& table) {
    const int size = static_cast<int>(table.shape(1));
    if (static_cast<int>(table.shape(0)) != size + 1)
        throw std::invalid_argument("scores need a row more than columns");
    ArcScores scores(size);
    const float* next = table.data();
    for (int head = -1; head < size; ++head)
        for (int word = 0; word < size; ++word, ++next)
            if (head != word) scores(head, word) = *next;
    return scores;
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
        "scores"_a,
        "Heads of the best projective tree; row 0 of the scores is above the root.");
    module.def(
        "best_tree", [](const Table& scores) { return best_tree(to_scores(scores)); }, "scores"_a,
        "Heads of the best tree of any kind; row 0 of the scores is above the root.");
    module.def(
        "best_projective_trees",
        [](const Table& scores, int k) { return heads_of(best_projective_trees(to_scores(scores), k)); },
        "scores"_a, "k"_a, "Heads of the k best projective trees, the best first.");
    module.def(
        "best_trees", [](const Table& scores, int k) { return heads_of(best_trees(to_scores(scores), k)); },
        "scores"_a, "k"_a, "Heads of the k best trees of any kind, the best first.");
    module.def(
        "projective_marginals",
        [](const Table& scores) { return to_table(projective_marginals(to_scores(scores))); }, "scores"_a,
        "How probable every arc is among projective trees.");
    module.def(
        "marginals", [](const Table& scores) { return to_table(marginals(to_scores(scores))); }, "scores"_a,
        "How probable every arc is among trees of any kind.");
}

}  // namespace spindle
