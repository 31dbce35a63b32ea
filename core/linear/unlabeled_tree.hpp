// A dependency tree without labels, and the features from which the labeler predicts them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "linear/arc_features.hpp"
#include "linear/hashing.hpp"
#include "linear/sentence.hpp"
#include "trees/modifiers.hpp"
#include "trees/root.hpp"

namespace spindle {

// More than the templates of an arc, and than those of a pair of arcs.
using LabelFeatures = FeatureList<256>;
static_assert(kMostArcFeatures <= 256);

// Which features labels are predicted from: our own; or those of the paper, which are the features of arcs of
// TurboParser (words, tags, distance, what stands between), and for pairs of modifiers the three tags, also
// with one of them replaced by its word. The numbers are part of the interface.
enum class LabelTemplates { kOwn = 0, kPaper = 1 };

class UnlabeledTree {
  public:
    // An impossible head (outside the sentence, or the word itself) is read as kRoot. Cycles are allowed.
    UnlabeledTree(const Sentence& sentence, std::span<const int> heads,
                  LabelTemplates templates = LabelTemplates::kOwn);

    int size() const { return sentence_.size(); }
    int head(int word) const { return heads_[word]; }
    Atom tag(int word) const { return word == kRoot ? Atom{kRootAtom} : sentence_.tag(word); }

    // From left to right; the modifiers of kRoot are the roots.
    std::span<const int> modifiers(int head) const { return modifiers_.of(head); }

    // The features of the label of a head's `rank`th modifier from the left.
    void arc_features(int head, int rank, LabelFeatures& features) const;

    // The features of that label together with the label of the modifier before.
    void pair_features(int head, int rank, LabelFeatures& features) const;

  private:
    // The tags of all modifiers of a head in one number, those of either side too, and how many are on its
    // left. They are computed once: a head may have thousands of modifiers.
    struct ModifierHashes {
        FeatureHash all = 1, left = 1, right = 1;
        int lefts = 0;
    };

    void hash_modifiers();
    Atom lower(int word) const { return word == kRoot ? Atom{kRootAtom} : sentence_.lower(word); }
    void add_words(int head, int modifier, LabelFeatures& features) const;
    void add_siblings(int head, int rank, LabelFeatures& features) const;
    void add_grandparent(int head, int modifier, int outer, LabelFeatures& features) const;
    void add_yield(int head, int modifier, LabelFeatures& features) const;

    const Sentence& sentence_;
    std::vector<int> heads_;
    Modifiers modifiers_;
    std::vector<int> first_, last_;         // the ends of the yield of every word
    std::vector<ModifierHashes> hashes_;    // of the root, then of every word
    std::optional<PaddedSentence> padded_;  // for the features of the paper, and only for them
};

}  // namespace spindle
