// Scores of single arcs, for decoding and as the basis of the higher orders.
#pragma once

#include <vector>

#include "decoding/arc_scores.hpp"
#include "decoding/chu_liu_edmonds.hpp"
#include "decoding/eisner.hpp"
#include "linear/arc_dictionary.hpp"
#include "linear/arc_features.hpp"
#include "linear/arc_labels.hpp"
#include "support/interrupt.hpp"

namespace spindle {

constexpr std::size_t kStepsOfArc = 300;  // what the score of an arc costs

template <class Table>
float arc_score(const PaddedSentence& words, const Table& table, int head, int modifier) {
    // First all hashes, then all weights: the look-ups miss the cache, and their latencies overlap.
    FeatureList<kMostArcFeatures> features;
    arc_features(words, head, modifier, [&](FeatureHash hash) { features.push(hash); });
    float total = 0;
    for (const FeatureHash hash : features) total += table[hash];
    return total * table.scale();
}

template <class Table>
float arc_score(const PaddedSentence& words, const ArcWeights<Table>& table, int head, int modifier) {
    const float alone = arc_score(words, table.weights, head, modifier);
    return table.labels ? alone + table.label(words, head, modifier).score : alone;
}

// Scores of all arcs that the dictionary allows, or that are gold. A word whose heads are all disallowed may
// have any.
template <class Table>
ArcScores score_arcs(const PaddedSentence& words, const Table& table, const ArcDictionary& dictionary,
                     const std::vector<int>* gold = nullptr) {
    ArcScores scores(words.size());
    for (int word = 0; word < words.size(); ++word) {
        poll_interrupt(static_cast<std::size_t>(words.size()) * kStepsOfArc);
        bool any = false;
        for (int pass = 0; pass < 2 && !any; ++pass)
            for (int head = kRoot; head < words.size(); ++head) {
                if (head == word) continue;
                if (pass == 1 || dictionary.allows(words, head, word) || (gold && (*gold)[word] == head)) {
                    scores(head, word) = bounded_score(arc_score(words, table, head, word));
                    any = true;
                }
            }
    }
    return scores;
}

template <class Table>
std::vector<Class> label_arcs(const PaddedSentence& words, const ArcWeights<Table>& table,
                              const std::vector<int>& heads) {
    std::vector<Class> labels(heads.size());
    for (int word = 0; word < words.size(); ++word)
        labels[word] = table.label(words, heads[word], word).label;
    return labels;
}

inline std::vector<int> decode(const ArcScores& scores, bool projective) {
    return projective ? best_projective_tree(scores) : best_tree(scores);
}

}  // namespace spindle
