// The search for the best tree of the orders above basic, over the candidate heads of every word.
#pragma once

#include <utility>
#include <vector>

#include "linear/arc_options.hpp"
#include "linear/candidate_arcs.hpp"
#include "linear/grand_sibling_decoder.hpp"
#include "linear/hill_climbing.hpp"

namespace spindle {

// The best tree that is found; `seen` is called with every tree that was reached. For projective trees of
// order standard the search is exact. For those of order full, hill climbing starts from the tree that is
// best without pairs, bigrams and triples, which no exact search can score.
template <class Parts, class Seen>
std::vector<int> find_best_tree(const PaddedSentence& words, const Parts& parts, const ArcOptions& options,
                                const CandidateArcs& candidates, Seen&& seen) {
    std::vector<int> start = candidates.start;
    if (options.projective && words.size() <= GrandSiblingDecoder<Parts>::kLongest) {
        std::vector<int> exact = GrandSiblingDecoder<Parts>(words, parts, options.order, candidates).decode();
        if (!exact.empty() && options.order == Order::kStandard) {
            seen(exact);
            return exact;
        }
        if (!exact.empty()) start = std::move(exact);
    }
    thread_local PartCache cache;
    HillClimber<Parts> climber(words, parts, options, candidates, cache);
    return climb_from_several_starts(words, options, candidates, std::move(start), climber, seen);
}

template <class Parts>
std::vector<int> find_best_tree(const PaddedSentence& words, const Parts& parts, const ArcOptions& options,
                                const CandidateArcs& candidates) {
    return find_best_tree(words, parts, options, candidates, [](const std::vector<int>&) {});
}

}  // namespace spindle
