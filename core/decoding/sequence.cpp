#include "decoding/sequence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/log_sum_exp.hpp"

namespace spindle {

void ScoredSequence::clear() {
    starts.assign(1, 0);
    single.clear();
    pairs.clear();
}

namespace {

// Subtracts the largest number of a range from all of it. Only differences within a place count, and they
// would be lost in the sums of thousands of places.
void keep_small(std::vector<float>::iterator from, std::vector<float>::iterator to) {
    const float top = *std::max_element(from, to);
    if (std::isfinite(top))
        for (; from != to; ++from) *from -= top;
}

// Turns the logarithms of numbers in proportion to probabilities into probabilities.
void normalize(std::vector<float>::iterator from, std::vector<float>::iterator to) {
    keep_small(from, to);
    float sum = 0;
    for (auto at = from; at != to; ++at) sum += * at = std::exp(*at);
    for (auto at = from; at != to; ++at) *at /= sum;
}

}  // namespace

std::vector<int> best_sequence(const ScoredSequence& scores) {
    std::vector<int> chosen(scores.places());
    if (chosen.empty()) return chosen;
    // the score of the best sequence up to each option, and the option before in it
    std::vector<float> best = scores.single;
    std::vector<int> before(best.size(), 0);
    const float* table = scores.pairs.data();
    for (int place = 1; place < scores.places(); ++place) {
        const int above = scores.starts[place - 1], here = scores.starts[place];
        const int rows = scores.options(place - 1), columns = scores.options(place);
        for (int column = 0; column < columns; ++column) {
            float top = -std::numeric_limits<float>::infinity();
            for (int row = 0; row < rows; ++row) {
                const float score = best[above + row] + table[row * columns + column];
                if (score > top) {
                    top = score;
                    before[here + column] = row;
                }
            }
            best[here + column] += top;
        }
        keep_small(best.begin() + here, best.begin() + here + columns);
        table += rows * columns;
    }
    const int last = scores.places() - 1;
    const auto from = best.begin() + scores.starts[last];
    chosen[last] = static_cast<int>(std::max_element(from, best.end()) - from);
    for (int place = last; place > 0; --place)
        chosen[place - 1] = before[scores.starts[place] + chosen[place]];
    return chosen;
}

SequenceMarginals marginals(const ScoredSequence& scores) {
    SequenceMarginals found{scores.single, scores.pairs};
    if (scores.places() == 0) return found;
    // The logarithms of the sums over all sequences up to an option, and from it on, less a number that all
    // options of a place share.
    std::vector<float> until = scores.single, after(scores.single.size(), 0.0f), logs;
    const float* table = scores.pairs.data();
    for (int place = 1; place < scores.places(); ++place) {
        const int above = scores.starts[place - 1], here = scores.starts[place];
        const int rows = scores.options(place - 1), columns = scores.options(place);
        logs.resize(rows);
        for (int column = 0; column < columns; ++column) {
            for (int row = 0; row < rows; ++row)
                logs[row] = until[above + row] + table[row * columns + column];
            until[here + column] += log_sum_exp(logs);
        }
        keep_small(until.begin() + here, until.begin() + here + columns);
        table += rows * columns;
    }
    auto pairs = found.pairs.end();
    for (int place = scores.places() - 1; place > 0; --place) {
        const int above = scores.starts[place - 1], here = scores.starts[place];
        const int rows = scores.options(place - 1), columns = scores.options(place);
        table -= rows * columns;
        pairs -= rows * columns;
        logs.resize(columns);
        for (int row = 0; row < rows; ++row) {
            for (int column = 0; column < columns; ++column) {
                logs[column] =
                    table[row * columns + column] + scores.single[here + column] + after[here + column];
                pairs[row * columns + column] = until[above + row] + logs[column];
            }
            after[above + row] = log_sum_exp(logs);
        }
        keep_small(after.begin() + above, after.begin() + here);
        normalize(pairs, pairs + rows * columns);
    }
    for (std::size_t option = 0; option < until.size(); ++option)
        found.single[option] = until[option] + after[option];
    for (int place = 0; place < scores.places(); ++place)
        normalize(found.single.begin() + scores.starts[place],
                  found.single.begin() + scores.starts[place + 1]);
    return found;
}

}  // namespace spindle
