#include "decoding/sequence.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>

#include "bindings/module.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Rows = std::vector<std::vector<float>>;

ScoredSequence to_scores(const Rows& single, const Rows& pairs) {
    ScoredSequence scores;
    for (const std::vector<float>& place : single) {
        if (place.empty()) throw std::invalid_argument("every place needs an option");
        scores.single.insert(scores.single.end(), place.begin(), place.end());
        scores.starts.push_back(static_cast<int>(scores.single.size()));
    }
    std::size_t place = 0;
    for (const std::vector<float>& table : pairs) {
        if (++place >= single.size() || table.size() != single[place - 1].size() * single[place].size())
            throw std::invalid_argument("there must be a table of pairs between every two places");
        scores.pairs.insert(scores.pairs.end(), table.begin(), table.end());
    }
    if (pairs.size() + 1 != std::max<std::size_t>(single.size(), 1))
        throw std::invalid_argument("there must be a table of pairs between every two places");
    return scores;
}

}  // namespace

void bind_sequence(nb::module_& module) {
    module.def(
        "best_sequence",
        [](const Rows& single, const Rows& pairs) { return best_sequence(to_scores(single, pairs)); },
        "single"_a, "pairs"_a,
        "The best option of every place, from scores of options and of neighbouring options.");
    module.def(
        "sequence_marginals",
        [](const Rows& single, const Rows& pairs) {
            const SequenceMarginals found = marginals(to_scores(single, pairs));
            return nb::make_tuple(found.single, found.pairs);
        },
        "single"_a, "pairs"_a, "The probabilities of all options and of all neighbouring options.");
}

}  // namespace spindle
