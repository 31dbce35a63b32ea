// Labels for the arcs of a dependency tree: for each head the best sequence of labels for its modifiers, from
// left to right (section 4.2 of the paper). Labels are numbers here, the more frequent the smaller.
#pragma once

#include <cstdint>
#include <vector>

#include "linear/backbone.hpp"
#include "linear/class_table.hpp"
#include "linear/sentence.hpp"
#include "linear/weights.hpp"

namespace spindle {

// Which labels an arc may get: those seen between the tags of head and modifier on that side; where that is
// new, those that are frequent under such a head, or anywhere.
class LabelTable {
  public:
    LabelTable(const std::vector<const Sentence*>& sentences, const std::vector<std::vector<int>>& heads,
               const std::vector<std::vector<Class>>& labels, int count);
    explicit LabelTable(ClassTable table) : table_(std::move(table)) {}

    std::span<const Class> find(const Backbone& tree, int modifier) const;
    // The same of an arc between two tags, or from above the root.
    std::span<const Class> find(Atom head, Atom modifier, bool is_right, bool is_root) const;
    const ClassTable& table() const { return table_; }

  private:
    ClassTable table_;
};

// An error if there are not as many heads as words.
void check_heads(const Sentence& sentence, const std::vector<int>& heads);

// What an arc gets if training has seen no arc of its kind at all.
inline constexpr Class kNoLabel = -1;

struct Labeling {
    std::vector<Class> labels;
    std::vector<float> confidences;  // the probability of every label, if asked for
};

class Labeler {
  public:
    Labeler(Frozen weights, LabelTable table) : weights_(weights), table_(std::move(table)) {}

    Labeling label(const Sentence& sentence, const std::vector<int>& heads, bool with_confidences) const;

  private:
    Frozen weights_;
    LabelTable table_;
};

// Learns a conditional random field for every head's modifiers, by stochastic gradient and averaged.
// (Measured against cost-augmented MIRA with the same features: as good or better, in the same time, and its
// scores become probabilities.) Sentences come in batches of fixed size; those of a batch are scored at the
// same time with the same weights, then learnt from one after the other.
class LabelerTraining {
  public:
    // The sentences must outlive the training.
    LabelerTraining(std::vector<const Sentence*> sentences, std::vector<std::vector<int>> heads,
                    std::vector<std::vector<Class>> labels, int count, int bits, int epochs,
                    std::uint64_t seed);

    // Goes once over all sentences; gives the number of arcs that got a wrong label.
    int run_epoch(int threads);

    std::vector<float> weights() const { return weights_.averaged(); }
    const LabelTable& table() const { return table_; }

  private:
    std::vector<const Sentence*> sentences_;
    std::vector<std::vector<int>> heads_;
    std::vector<std::vector<Class>> labels_;
    LabelTable table_;
    Learning weights_;
    std::uint64_t seed_;
    int epochs_, done_ = 0;
};

}  // namespace spindle
