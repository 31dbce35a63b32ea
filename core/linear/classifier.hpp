// A linear classifier: one class out of some candidates, from hashed features. Decisions are independent of
// each other. Training is logistic regression, so scores become probabilities; cost-augmented MIRA is no more
// accurate here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linear/class_table.hpp"
#include "linear/training_settings.hpp"
#include "linear/weights.hpp"

namespace spindle {

// Decisions to make, in flat columns.
struct Decisions {
    std::vector<FeatureHash> features;
    std::vector<std::uint32_t> starts{0};  // the features of decision i are starts[i] to starts[i + 1] - 1
    std::vector<std::span<const Class>> candidates;
    std::vector<Class> gold;  // for training

    std::size_t size() const { return candidates.size(); }
    std::span<const FeatureHash> of(std::size_t decision) const {
        return {features.data() + starts[decision], starts[decision + 1] - starts[decision]};
    }
};

Class best_class(const QuantizedWeights& weights, std::span<const FeatureHash> features,
                 std::span<const Class> candidates);

class ClassifierTrainer {
  public:
    // Decisions come in groups, such as those of a sentence; the order of the groups is shuffled.
    ClassifierTrainer(std::vector<Decisions> groups, TrainingSettings settings);

    // One pass over all decisions, in one thread: it takes little time. Returns the number of wrong
    // decisions.
    int run_epoch();

    std::vector<float> weights() const { return weights_.averaged(); }

  private:
    bool learn(std::span<const FeatureHash> features, std::span<const Class> candidates, Class gold,
               float rate);

    std::vector<Decisions> groups_;
    TrainingSettings settings_;
    AveragedWeights weights_;
    int done_ = 0;
    std::vector<float> scores_;
};

}  // namespace spindle
