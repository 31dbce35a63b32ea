#include "decoding/marginals.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace spindle {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

double as_logarithm(float score) { return score > kForbidden ? score : kNever; }

// The only thing that is left to say where no tree is allowed, or all are too improbable for a double.
ArcMarginals certain(const ArcScores& scores, const std::vector<int>& heads) {
    ArcMarginals found(static_cast<int>(heads.size()));
    for (int word = 0; word < found.size(); ++word) {
        found(heads[word], word) = 1;
        found.log_sum += scores(heads[word], word);
    }
    return found;
}

// The sum of numbers of which the logarithms are given, as a logarithm; `logs` is left empty.
double log_of_sum(std::vector<double>& logs) {
    const double top = *std::max_element(logs.begin(), logs.end());
    double sum = 0;
    if (top > kNever)
        for (const double log : logs) sum += std::exp(log - top);
    logs.clear();
    return top > kNever ? top + std::log(sum) : kNever;
}

}  // namespace

ArcMarginals projective_marginals(const ArcScores& scores) {
    const int size = scores.size();
    ArcMarginals found(size);
    if (size == 0) return found;
    // Sums over spans as in the decoder: with the head at the left end (right) or at the right end (left),
    // and `joined`: two halves that wait for an arc between their ends.
    const auto at = [size](int left, int right) { return static_cast<std::size_t>(left) * size + right; };
    const std::size_t cells = static_cast<std::size_t>(size) * size;
    std::vector<double> right(cells, 0), left(cells, 0), joined(cells, 0);
    const auto arc_right = [&](int from, int to) {
        return joined[at(from, to)] + as_logarithm(scores(from, to));
    };
    const auto arc_left = [&](int from, int to) {
        return joined[at(from, to)] + as_logarithm(scores(to, from));
    };
    std::vector<double> ways;
    for (int length = 1; length < size; ++length)
        for (int from = 0; from + length < size; ++from) {
            const int to = from + length;
            for (int split = from; split < to; ++split)
                ways.push_back(right[at(from, split)] + left[at(split + 1, to)]);
            joined[at(from, to)] = log_of_sum(ways);
            for (int split = from + 1; split <= to; ++split)
                ways.push_back(arc_right(from, split) + right[at(split, to)]);
            right[at(from, to)] = log_of_sum(ways);
            for (int split = from; split < to; ++split)
                ways.push_back(left[at(from, split)] + arc_left(split, to));
            left[at(from, to)] = log_of_sum(ways);
        }
    const auto with_root = [&](int root) {
        return left[at(0, root)] + as_logarithm(scores(-1, root)) + right[at(root, size - 1)];
    };
    for (int root = 0; root < size; ++root) ways.push_back(with_root(root));
    const double all = log_of_sum(ways);
    if (all == kNever) return certain(scores, best_projective_tree(scores));

    found.log_sum = all;

    // Backwards: which part of all trees has each span in it, shared among the ways to put it together.
    std::vector<double> in_right(cells, 0), in_left(cells, 0), in_joined(cells, 0);
    for (int root = 0; root < size; ++root) {
        const double share = std::exp(with_root(root) - all);
        found(-1, root) = share;
        in_left[at(0, root)] += share;
        in_right[at(root, size - 1)] += share;
    }
    for (int length = size - 1; length > 0; --length)
        for (int from = 0; from + length < size; ++from) {
            const int to = from + length;
            if (const double part = in_right[at(from, to)]; part > 0)
                for (int split = from + 1; split <= to; ++split) {
                    const double way = arc_right(from, split) + right[at(split, to)];
                    const double share = part * std::exp(way - right[at(from, to)]);
                    found(from, split) += share;
                    in_joined[at(from, split)] += share;
                    in_right[at(split, to)] += share;
                }
            if (const double part = in_left[at(from, to)]; part > 0)
                for (int split = from; split < to; ++split) {
                    const double way = left[at(from, split)] + arc_left(split, to);
                    const double share = part * std::exp(way - left[at(from, to)]);
                    found(to, split) += share;
                    in_joined[at(split, to)] += share;
                    in_left[at(from, split)] += share;
                }
            if (const double part = in_joined[at(from, to)]; part > 0)
                for (int split = from; split < to; ++split) {
                    const double way = right[at(from, split)] + left[at(split + 1, to)];
                    const double share = part * std::exp(way - joined[at(from, to)]);
                    in_right[at(from, split)] += share;
                    in_left[at(split + 1, to)] += share;
                }
        }
    return found;
}

// The matrix-tree theorem (Tutte 1948; for parsing Koo et al. 2007) gives the sum of all trees as a
// determinant. Computed as such it is a difference of nearly equal numbers as soon as two words would each
// like to be the other's head. So words are eliminated one after the other instead: what went through a word
// goes past it, and the sum of all trees is the product of what had come into each. Nothing is ever
// subtracted on the way there, so scores may be extreme. The way back gives the derivatives.
ArcMarginals marginals(const ArcScores& scores) {
    const int size = scores.size();
    ArcMarginals weight(size), slope(size), found(size);
    if (size == 0) return found;
    // every tree has one arc into each word and one from above the root: factors of these change nothing
    double top_root = kNever, log_sum = 0;
    for (int word = 0; word < size; ++word) {
        double top = kNever;
        for (int head = -1; head < size; ++head)
            if (head != word) top = std::max(top, as_logarithm(scores(head, word)));
        if (top == kNever) return certain(scores, best_tree(scores));
        for (int head = 0; head < size; ++head)
            if (head != word) weight(head, word) = std::exp(as_logarithm(scores(head, word)) - top);
        weight(-1, word) = as_logarithm(scores(-1, word)) - top;
        top_root = std::max(top_root, weight(-1, word));
        log_sum += top;
    }
    if (top_root == kNever) return certain(scores, best_tree(scores));
    for (int word = 0; word < size; ++word) weight(-1, word) = std::exp(weight(-1, word) - top_root);

    const ArcMarginals given = weight;

    std::vector<int> left(size), order;
    for (int word = 0; word < size; ++word) left[word] = word;
    std::vector<double> into(size);  // all that comes into a word from other words, when it is eliminated
    while (left.size() > 1) {
        // the word with the most: one that can have no head among the others can only be the root
        for (const int word : left) {
            into[word] = 0;
            for (const int head : left)
                if (head != word) into[word] += weight(head, word);
        }
        const auto less = [&](int one, int other) { return into[one] < into[other]; };
        const auto next = std::max_element(left.begin(), left.end(), less);
        const int word = *next;
        if (!(into[word] > 0)) return certain(scores, best_tree(scores));
        left.erase(next);
        order.push_back(word);
        log_sum += std::log(into[word]);
        for (const int modifier : left) {
            const double through = weight(word, modifier) / into[word];
            weight(-1, modifier) += weight(-1, word) * through;
            for (const int head : left)
                if (head != modifier) weight(head, modifier) += weight(head, word) * through;
        }
    }
    if (!(weight(-1, left[0]) > 0)) return certain(scores, best_tree(scores));

    found.log_sum = log_sum + top_root + std::log(weight(-1, left[0]));

    // The derivatives of the logarithm of the sum, the last word's first.
    slope(-1, left[0]) = 1 / weight(-1, left[0]);
    for (auto next = order.rbegin(); next != order.rend(); ++next) {
        const int word = *next;
        double mean = 0;
        const auto go_past = [&](int head) {
            for (const int modifier : left)
                if (modifier != head) {
                    slope(head, word) += slope(head, modifier) * weight(word, modifier);
                    slope(word, modifier) += slope(head, modifier) * weight(head, word) / into[word];
                }
            mean += slope(head, word) * weight(head, word) / into[word];
        };
        go_past(-1);
        for (const int head : left) go_past(head);
        // whatever else comes into the word makes each of its heads count for less
        slope(-1, word) /= into[word];
        for (const int head : left) slope(head, word) = (slope(head, word) + 1 - mean) / into[word];
        left.push_back(word);
    }
    for (int word = 0; word < size; ++word)
        for (int head = -1; head < size; ++head)
            if (head != word && given(head, word) > 0) {
                const double share = given(head, word) * slope(head, word);
                if (!std::isfinite(share)) return certain(scores, best_tree(scores));
                found(head, word) = std::clamp(share, 0.0, 1.0);
            }
    return found;
}

}  // namespace spindle
