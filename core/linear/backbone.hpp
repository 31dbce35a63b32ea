// A dependency tree without labels, as the labeler sees it: what of it tells the label of an arc.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "linear/hashing.hpp"
#include "linear/sentence.hpp"

namespace spindle {

class FeatureList {
  public:
    template <class... Values>
    void add(std::uint64_t kind, Values... values) {
        hashes_[count_++] = feature(kind, values...);
    }
    void clear() { count_ = 0; }
    int size() const { return count_; }
    const FeatureHash* begin() const { return hashes_.data(); }
    const FeatureHash* end() const { return hashes_.data() + count_; }

  private:
    std::array<FeatureHash, 48> hashes_;  // more than any arc has
    int count_ = 0;
};

class Backbone {
  public:
    static constexpr int kTop = -1;  // the head of a root

    // Whatever is no head (a word outside the sentence, the word itself) counts as the top; cycles do no
    // harm.
    Backbone(const Sentence& sentence, std::span<const int> heads);

    int size() const { return sentence_.size(); }
    int head(int word) const { return heads_[word]; }
    Atom tag(int word) const { return word == kTop ? Atom{kAbove} : sentence_.tag(word); }

    // From left to right; the modifiers of kTop are the roots.
    std::span<const int> modifiers(int head) const {
        return {modifiers_.data() + starts_[head + 1],
                static_cast<std::size_t>(starts_[head + 2] - starts_[head + 1])};
    }

    // What tells the label of a head's modifier, which is the `rank`th from the left.
    void arc_features(int head, int rank, FeatureList& features) const;

    // What tells how it goes with the label of the modifier before it.
    void pair_features(int head, int rank, FeatureList& features) const;

  private:
    Atom lower(int word) const { return word == kTop ? Atom{kAbove} : sentence_.lower(word); }

    const Sentence& sentence_;
    std::vector<int> heads_;
    std::vector<int> starts_, modifiers_;
    std::vector<int> first_, last_;  // the ends of what depends on a word, itself included
};

}  // namespace spindle
