#include "decoding/marginals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "decoding/chu_liu_edmonds.hpp"
#include "decoding/eisner.hpp"
#include "support/interrupt.hpp"
#include "support/log_sum_exp.hpp"

namespace spindle {

namespace {

constexpr std::size_t kStepsOfExp = 40;  // what an exponential or a logarithm costs
constexpr double kLogZero = -std::numeric_limits<double>::infinity();

double log_weight(float score) { return score > kForbidden ? score : kLogZero; }

// All probability on one tree: the answer where no tree is allowed, or all are too improbable for a double.
ArcMarginals point_mass(const ArcScores& scores, const std::vector<int>& heads) {
    ArcMarginals found(static_cast<int>(heads.size()));
    for (int word = 0; word < found.size(); ++word) {
        found(heads[word], word) = 1;
        found.log_sum += scores(heads[word], word);
    }
    return found;
}

// ── projective trees: the inside-outside algorithm on Eisner's spans ──

class InsideOutside {
  public:
    explicit InsideOutside(const ArcScores& scores)
        : scores_(scores), size_(scores.size()), right_(cells()), left_(cells()), joined_(cells()) {}

    ArcMarginals marginals() {
        ArcMarginals found(size_);
        found.log_sum = inside();
        if (found.log_sum == kLogZero) return point_mass(scores_, best_projective_tree(scores_));
        outside(found);
        return found;
    }

  private:
    // Logarithms of sums over spans with the head at the left end (right_), at the right end (left_), and
    // over pairs of halves that wait for an arc between their ends (joined_).
    double inside() {
        std::vector<double> ways;
        const auto sum = [&] {
            const double logarithm = log_sum_exp(ways);
            ways.clear();
            return logarithm;
        };
        for (int length = 1; length < size_; ++length)
            for (int from = 0; from + length < size_; ++from) {
                const int to = from + length;
                poll_interrupt(static_cast<std::size_t>(length) * kStepsOfExp);
                for (int split = from; split < to; ++split) ways.push_back(way_to_join(from, split, to));
                joined_[at(from, to)] = sum();
                for (int split = from + 1; split <= to; ++split) ways.push_back(way_right(from, split, to));
                right_[at(from, to)] = sum();
                for (int split = from; split < to; ++split) ways.push_back(way_left(from, split, to));
                left_[at(from, to)] = sum();
            }
        for (int root = 0; root < size_; ++root) ways.push_back(way_with_root(root));
        return sum();
    }

    // Distributes the probability of every span over the ways to build it, from long spans to short ones.
    void outside(ArcMarginals& found) const {
        std::vector<double> of_right(cells()), of_left(cells()), of_joined(cells());
        for (int root = 0; root < size_; ++root) {
            const double share = std::exp(way_with_root(root) - found.log_sum);
            found(kRoot, root) = share;
            of_left[at(0, root)] += share;
            of_right[at(root, size_ - 1)] += share;
        }
        for (int length = size_ - 1; length > 0; --length)
            for (int from = 0; from + length < size_; ++from) {
                const int to = from + length;
                poll_interrupt(static_cast<std::size_t>(length) * kStepsOfExp);
                if (const double part = of_right[at(from, to)]; part > 0)
                    for (int split = from + 1; split <= to; ++split) {
                        const double share =
                            part * std::exp(way_right(from, split, to) - right_[at(from, to)]);
                        found(from, split) += share;
                        of_joined[at(from, split)] += share;
                        of_right[at(split, to)] += share;
                    }
                if (const double part = of_left[at(from, to)]; part > 0)
                    for (int split = from; split < to; ++split) {
                        const double share = part * std::exp(way_left(from, split, to) - left_[at(from, to)]);
                        found(to, split) += share;
                        of_joined[at(split, to)] += share;
                        of_left[at(from, split)] += share;
                    }
                if (const double part = of_joined[at(from, to)]; part > 0)
                    for (int split = from; split < to; ++split) {
                        const double share =
                            part * std::exp(way_to_join(from, split, to) - joined_[at(from, to)]);
                        of_right[at(from, split)] += share;
                        of_left[at(split + 1, to)] += share;
                    }
            }
    }

    double way_to_join(int from, int split, int to) const {
        return right_[at(from, split)] + left_[at(split + 1, to)];
    }
    double way_right(int from, int split, int to) const {
        return joined_[at(from, split)] + log_weight(scores_(from, split)) + right_[at(split, to)];
    }
    double way_left(int from, int split, int to) const {
        return left_[at(from, split)] + (joined_[at(split, to)] + log_weight(scores_(to, split)));
    }
    double way_with_root(int root) const {
        return left_[at(0, root)] + log_weight(scores_(kRoot, root)) + right_[at(root, size_ - 1)];
    }

    std::size_t at(int left, int right) const { return static_cast<std::size_t>(left) * size_ + right; }
    std::size_t cells() const { return at(size_, 0); }

    const ArcScores& scores_;
    int size_;
    std::vector<double> right_, left_, joined_;
};

// ── any trees ──

// The matrix-tree theorem (Tutte 1948; for parsing Koo et al. 2007) gives the sum over all trees as a
// determinant. As soon as two words each prefer the other as their head, the determinant is a difference of
// nearly equal numbers. So words are eliminated one after the other instead: paths through a word are
// replaced by arcs that go past it, and the sum over all trees is the product of the weights into each
// eliminated word. The forward pass never subtracts, so scores may be extreme. The backward pass computes the
// derivatives.
class WordElimination {
  public:
    explicit WordElimination(const ArcScores& scores)
        : scores_(scores), size_(scores.size()), weight_(size_), slope_(size_), into_(size_) {}

    ArcMarginals marginals() {
        if (read_weights()) {
            const ArcMarginals given = weight_;
            if (eliminate()) {
                differentiate();
                if (const std::optional<ArcMarginals> found = arc_marginals(given)) return *found;
            }
        }
        return point_mass(scores_, best_tree(scores_));
    }

  private:
    // Every tree has one arc into each word and one from above the root: factors of these cancel out. Returns
    // whether every word, and the root, has an allowed arc.
    bool read_weights() {
        double top_root = kLogZero;
        for (int word = 0; word < size_; ++word) {
            double top = kLogZero;
            for (int head = kRoot; head < size_; ++head)
                if (head != word) top = std::max(top, log_weight(scores_(head, word)));
            if (top == kLogZero) return false;
            for (int head = 0; head < size_; ++head)
                if (head != word) weight_(head, word) = std::exp(log_weight(scores_(head, word)) - top);
            weight_(kRoot, word) = log_weight(scores_(kRoot, word)) - top;
            top_root = std::max(top_root, weight_(kRoot, word));
            log_sum_ += top;
        }
        if (top_root == kLogZero) return false;
        for (int word = 0; word < size_; ++word)
            weight_(kRoot, word) = std::exp(weight_(kRoot, word) - top_root);
        log_top_root_ = top_root;
        return true;
    }

    // Returns whether the sum over all trees is above 0.
    bool eliminate() {
        left_.resize(size_);
        for (int word = 0; word < size_; ++word) left_[word] = word;
        while (left_.size() > 1) {
            poll_interrupt(left_.size() * left_.size());
            for (const int word : left_) {
                into_[word] = 0;
                for (const int head : left_)
                    if (head != word) into_[word] += weight_(head, word);
            }
            // the word with the most: a word that can have no head among the others can only be the root
            const auto less = [&](int one, int other) { return into_[one] < into_[other]; };
            const auto next = std::max_element(left_.begin(), left_.end(), less);
            const int word = *next;
            if (!(into_[word] > 0)) return false;
            left_.erase(next);
            order_.push_back(word);
            log_sum_ += std::log(into_[word]);
            for (const int modifier : left_) {
                const double through = weight_(word, modifier) / into_[word];
                weight_(kRoot, modifier) += weight_(kRoot, word) * through;
                for (const int head : left_)
                    if (head != modifier) weight_(head, modifier) += weight_(head, word) * through;
            }
        }
        const double last = weight_(kRoot, left_[0]);
        if (!(last > 0)) return false;
        log_sum_ = log_sum_ + log_top_root_ + std::log(last);
        return true;
    }

    // The derivatives of the logarithm of the sum, from the last word back to the first.
    void differentiate() {
        slope_(kRoot, left_[0]) = 1 / weight_(kRoot, left_[0]);
        for (auto next = order_.rbegin(); next != order_.rend(); ++next) {
            const int word = *next;
            poll_interrupt(left_.size() * left_.size());
            double mean = 0;
            const auto go_past = [&](int head) {
                for (const int modifier : left_)
                    if (modifier != head) {
                        slope_(head, word) += slope_(head, modifier) * weight_(word, modifier);
                        slope_(word, modifier) += slope_(head, modifier) * weight_(head, word) / into_[word];
                    }
                mean += slope_(head, word) * weight_(head, word) / into_[word];
            };
            go_past(kRoot);
            for (const int head : left_) go_past(head);
            // the more comes into the word from other heads, the less each head counts
            slope_(kRoot, word) /= into_[word];
            for (const int head : left_) slope_(head, word) = (slope_(head, word) + 1 - mean) / into_[word];
            left_.push_back(word);
        }
    }

    // Nothing if a marginal is not finite.
    std::optional<ArcMarginals> arc_marginals(const ArcMarginals& given) const {
        ArcMarginals found(size_);
        found.log_sum = log_sum_;
        for (int word = 0; word < size_; ++word)
            for (int head = kRoot; head < size_; ++head)
                if (head != word && given(head, word) > 0) {
                    const double share = given(head, word) * slope_(head, word);
                    if (!std::isfinite(share)) return std::nullopt;
                    found(head, word) = std::clamp(share, 0.0, 1.0);
                }
        return found;
    }

    const ArcScores& scores_;
    int size_;
    ArcMarginals weight_, slope_;
    double log_sum_ = 0, log_top_root_ = 0;
    std::vector<int> left_, order_;  // the words that are not eliminated yet, and those that are, in order
    std::vector<double> into_;       // the sum of weights into a word from other words, when it is eliminated
};

}  // namespace

ArcMarginals projective_marginals(const ArcScores& scores) {
    return scores.size() == 0 ? ArcMarginals(0) : InsideOutside(scores).marginals();
}

ArcMarginals marginals(const ArcScores& scores) {
    return scores.size() == 0 ? ArcMarginals(0) : WordElimination(scores).marginals();
}

}  // namespace spindle
