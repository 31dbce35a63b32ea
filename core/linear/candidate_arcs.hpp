// What hill climbing works on: a few candidate heads per word, proposed by the table of single arcs.
#pragma once

#include <algorithm>
#include <vector>

#include "linear/arc_options.hpp"
#include "linear/arc_scoring.hpp"

namespace spindle {

struct CandidateArcs {
    ArcScores first;                      // all arcs, scored by the table of single arcs
    std::vector<int> start;               // the best tree under these scores
    std::vector<std::vector<int>> heads;  // the candidate heads of every word, the best first
    std::vector<std::vector<int>> near;   // those of them that the dynamic program considers
    ArcScores scores;                     // the candidates, scored by both tables
    double spread;  // by how much the best head of a word is better than the next, summed over words
};

// When it parses, the dynamic program of order full, whose time is that of scoring larger parts, leaves out
// heads that score this much less than the best one. Hill climbing has them all.
inline constexpr float kNear = 2.25f;

// `gold`, if given, is among the candidates, and other heads score a point more (a cost-augmented margin).
template <class Arcs, class Parts>
CandidateArcs find_candidate_arcs(const PaddedSentence& words, const Arcs& arcs, const Parts& parts,
                                  const ArcDictionary& dictionary, const ArcOptions& options,
                                  const std::vector<int>* gold = nullptr) {
    const int size = words.size();
    ArcScores first = score_arcs(words, arcs, dictionary, gold);
    std::vector<int> start = decode(first, options.projective);
    CandidateArcs found{std::move(first),
                        std::move(start),
                        std::vector<std::vector<int>>(size),
                        std::vector<std::vector<int>>(size),
                        ArcScores(size),
                        0};
    const bool near_only = !gold && options.projective && options.order == Order::kFull;
    for (int word = 0; word < size; ++word) {
        poll_interrupt(static_cast<std::size_t>(size) * 8);
        std::vector<int>& heads = found.heads[word];
        for (int head = kRoot; head < size; ++head)
            if (head != word && found.first(head, word) > kForbidden) heads.push_back(head);
        const auto better = [&](int one, int other) {
            return found.first(one, word) > found.first(other, word);
        };
        const std::size_t count = std::min<std::size_t>(options.candidates, heads.size());
        std::partial_sort(heads.begin(), heads.begin() + static_cast<std::ptrdiff_t>(count), heads.end(),
                          better);
        heads.resize(count);
        if (count > 1) found.spread += found.first(heads[0], word) - found.first(heads[1], word);
        const auto include = [&](int head) {
            if (std::find(heads.begin(), heads.end(), head) == heads.end()) heads.push_back(head);
        };
        include(found.start[word]);
        if (gold) include((*gold)[word]);
        for (const int head : heads) {
            if (!near_only || head == found.start[word] ||
                found.first(head, word) >= found.first(heads[0], word) - kNear)
                found.near[word].push_back(head);
            const float cost = gold && head != (*gold)[word] ? 1.0f : 0.0f;
            found.scores(head, word) =
                bounded_score(found.first(head, word) + arc_score(words, parts, head, word) + cost);
        }
    }
    return found;
}

}  // namespace spindle
