// A linear chain: at every place one of several options, scored alone and together with the option chosen at
// the place before. Viterbi's algorithm finds the best sequence, the forward-backward algorithm the
// marginals.
#pragma once

#include <vector>

namespace spindle {

struct ScoredSequence {
    std::vector<int> starts{0};  // the options of place p are numbered starts[p] to starts[p + 1] - 1
    std::vector<float> single;   // the score of every option
    // For every place but the first a table: a row for each option of the place before, and in it a column
    // for each option of the place itself.
    std::vector<float> pairs;

    int places() const { return static_cast<int>(starts.size()) - 1; }
    int options(int place) const { return starts[place + 1] - starts[place]; }
    void clear();
};

// The option to choose at every place, counted from 0. Ties are broken the same way every time.
std::vector<int> best_sequence(const ScoredSequence& scores);

// The probability of every option and of every pair of neighbouring options, where the probability of a
// sequence is proportional to exp(its score).
struct SequenceMarginals {
    std::vector<float> single, pairs;  // as in the scores
};
SequenceMarginals marginals(const ScoredSequence& scores);

}  // namespace spindle
