// Labels for the arcs of a dependency tree: for each head the best sequence of labels of its modifiers, from
// left to right (section 4.2 of the paper).
#pragma once

#include <vector>

#include "linear/label_table.hpp"
#include "linear/sentence.hpp"
#include "linear/training_settings.hpp"
#include "linear/weights.hpp"

namespace spindle {

struct Labeling {
    std::vector<Class> labels;
    std::vector<float> confidences;  // the marginal probability of every label, if asked for
};

class Labeler {
  public:
    Labeler(QuantizedWeights weights, LabelTable table, LabelTemplates templates)
        : weights_(weights), table_(std::move(table)), templates_(templates) {}

    Labeling label(const Sentence& sentence, const std::vector<int>& heads, bool with_confidences) const;

  private:
    QuantizedWeights weights_;
    LabelTable table_;
    LabelTemplates templates_;
};

// Trains a conditional random field over the modifiers of every head, by stochastic gradient descent with
// averaged weights. (Cost-augmented MIRA with the same features is no more accurate, and its scores are no
// probabilities.) The sentences of a batch are scored in parallel with the same weights, then update them one
// after the other: any number of threads gives the same weights.
class LabelerTrainer {
  public:
    LabelerTrainer(TrainingTrees trees, TrainingSettings settings, LabelTemplates templates);

    // One pass over all sentences. Returns the number of arcs that got a wrong label.
    int run_epoch(int threads);

    std::vector<float> weights() const { return weights_.averaged(); }
    const LabelTable& table() const { return table_; }

  private:
    UnlabeledTree tree(std::size_t example) const {
        return {*trees_.sentences[example], trees_.heads[example], templates_};
    }

    TrainingTrees trees_;
    TrainingSettings settings_;
    LabelTable table_;
    LabelTemplates templates_;
    AveragedWeights weights_;
    int done_ = 0;
};

}  // namespace spindle
