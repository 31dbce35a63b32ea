// A linear classifier: one class out of some candidates, from hashed features. Decisions are independent of
// each other; learning is logistic regression, so that scores become probabilities. (Measured against
// cost-augmented MIRA on unary chains: equally good.)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linear/class_table.hpp"
#include "linear/weights.hpp"

namespace spindle {

// Decisions to be made, in flat columns.
struct Decisions {
    std::vector<FeatureHash> features;
    std::vector<std::uint32_t> starts{0};  // the features of decision i are starts[i] to starts[i + 1] - 1
    std::vector<std::span<const Class>> candidates;
    std::vector<Class> gold;  // while learning

    std::size_t size() const { return candidates.size(); }
    std::span<const FeatureHash> of(std::size_t decision) const {
        return {features.data() + starts[decision], starts[decision + 1] - starts[decision]};
    }
};

Class best_class(const Frozen& weights, std::span<const FeatureHash> features,
                 std::span<const Class> candidates);

class ClassifierTraining {
  public:
    // Decisions in groups, such as those of a sentence: the order of the groups is shuffled.
    ClassifierTraining(std::vector<Decisions> groups, int bits, int epochs, std::uint64_t seed);

    // Goes once over all decisions; gives the number of wrong ones. One thread suffices: an epoch over
    // 290,000 nodes takes 0.3 seconds.
    int run_epoch();

    std::vector<float> weights() const { return weights_.averaged(); }

  private:
    bool learn(std::span<const FeatureHash> features, std::span<const Class> candidates, Class gold,
               float rate);

    std::vector<Decisions> groups_;
    Learning weights_;
    std::uint64_t seed_;
    int epochs_, done_ = 0;
    std::vector<float> scores_;
};

}  // namespace spindle
