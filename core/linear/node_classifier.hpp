// A class for every vertex of a tree: the unary chain above it, or its function. Class 0 means none.
#pragma once

#include <cstdint>
#include <vector>

#include "linear/class_table.hpp"
#include "linear/classifier.hpp"
#include "linear/constituents.hpp"
#include "linear/weights.hpp"

namespace spindle {

// What the candidates of a vertex depend on.
enum class Circumstance {
    kLabel,           // its label
    kLabelAndParent,  // that and its parent's; where the two have not been seen together, its label alone
};

class NodeClassifier {
  public:
    NodeClassifier(Frozen weights, ClassTable table, Circumstance circumstance)
        : weights_(weights), table_(std::move(table)), circumstance_(circumstance) {}

    // The class of every vertex.
    std::vector<Class> classify(const Constituents& tree) const;

  private:
    Frozen weights_;
    ClassTable table_;
    Circumstance circumstance_;
};

// A tree to learn from: the gold class of every vertex.
struct ClassifiedTree {
    const Sentence* sentence;
    TreeColumns columns;
    std::vector<Class> gold;
};

class NodeTraining {
  public:
    NodeTraining(const std::vector<ClassifiedTree>& trees, Circumstance circumstance, int count, int bits,
                 int epochs, std::uint64_t seed, int threads);

    int run_epoch() { return training_.run_epoch(); }
    std::vector<float> weights() const { return training_.weights(); }
    const ClassTable& table() const { return table_; }

  private:
    ClassTable table_;
    ClassifierTraining training_;
};

}  // namespace spindle
