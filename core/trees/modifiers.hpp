// The modifiers of every word of a dependency tree, in compressed rows.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "trees/root.hpp"

namespace spindle {

class Modifiers {
  public:
    Modifiers() = default;
    explicit Modifiers(std::span<const int> heads) { assign(heads); }

    // Reads the heads of another sentence, each kRoot or a word; the memory is reused.
    void assign(std::span<const int> heads) {
        const std::size_t size = heads.size();
        starts_.assign(size + 2, 0);
        for (const int head : heads) ++starts_[head + 2];
        for (std::size_t row = 1; row < starts_.size(); ++row) starts_[row] += starts_[row - 1];
        ends_.assign(starts_.begin(), starts_.end() - 1);
        words_.resize(size);
        for (std::size_t word = 0; word < size; ++word)
            words_[ends_[heads[word] + 1]++] = static_cast<int>(word);
    }

    // From left to right; the modifiers of kRoot are the roots.
    std::span<const int> of(int head) const { return {words_.data() + starts_[head + 1], count(head)}; }
    std::span<int> of(int head) { return {words_.data() + starts_[head + 1], count(head)}; }

    // Writes all words to `order`, heads before their modifiers. Words on a cycle, and all that depend on
    // them, are left out.
    void top_down(std::vector<int>& order) const {
        const std::span<const int> roots = of(kRoot);
        order.assign(roots.begin(), roots.end());
        for (std::size_t done = 0; done < order.size(); ++done) {
            const std::span<const int> below = of(order[done]);
            order.insert(order.end(), below.begin(), below.end());
        }
    }

  private:
    std::size_t count(int head) const {
        return static_cast<std::size_t>(starts_[head + 2] - starts_[head + 1]);
    }

    std::vector<int> starts_;  // the row of a head begins at starts_[head + 1]
    std::vector<int> words_;
    std::vector<int> ends_;  // while reading: where the next word of every row goes
};

// Writes the first and the last word of the yield of every word, itself included. `order` has heads before
// their modifiers.
inline void find_yields(std::span<const int> heads, const std::vector<int>& order, std::vector<int>& first,
                        std::vector<int>& last) {
    first.resize(heads.size());
    for (std::size_t word = 0; word < heads.size(); ++word) first[word] = static_cast<int>(word);
    last = first;
    for (auto word = order.rbegin(); word != order.rend(); ++word) {
        const int head = heads[*word];
        if (head == kRoot) continue;
        first[head] = std::min(first[head], first[*word]);
        last[head] = std::max(last[head], last[*word]);
    }
}

}  // namespace spindle
