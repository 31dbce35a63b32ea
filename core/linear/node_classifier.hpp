// A class for every vertex of a tree: the unary chain above it (section 4.4 of the paper), or its function.
// Class 0 means none.
#pragma once

#include <span>
#include <vector>

#include "linear/class_table.hpp"
#include "linear/classifier.hpp"
#include "linear/constituents.hpp"
#include "linear/training_settings.hpp"
#include "linear/weights.hpp"
#include "reduction/isomorphism.hpp"

namespace spindle {

// What the candidates of a vertex depend on.
enum class CandidateContext {
    kLabel,           // its label
    kLabelAndParent,  // also its parent's label, or its own alone where the two have not been seen together
};

// The class, other than 0, of a node of an unaryless tree.
struct PlacedClass {
    Place place;
    Class number;
};

// A tree with its unary chains inserted, and these chains, in the order in which DecodedTree::sources counts
// their nodes.
struct UnaryDecoding {
    DecodedTree tree;
    std::vector<PlacedClass> chains;
};

class NodeClassifier {
  public:
    NodeClassifier(QuantizedWeights weights, ClassTable table, CandidateContext context)
        : weights_(weights), table_(std::move(table)), context_(context) {}

    // The class of every vertex.
    std::vector<Class> classify(const Constituents& tree) const;

    // The classes of the nodes of a d-tree's unaryless tree, words included.
    std::vector<PlacedClass> classify_dtree(const Sentence& sentence, const HashedDTree& dtree) const;

    // Predicts the unary chains of a d-tree and decodes it; a chain of class i has chain_lengths[i] nodes.
    UnaryDecoding decode_dtree(const Sentence& sentence, const HashedDTree& dtree,
                               std::span<const int> chain_lengths) const;

  private:
    QuantizedWeights weights_;
    ClassTable table_;
    CandidateContext context_;
};

// A tree to learn from: the gold class of every vertex.
struct ClassifiedTree {
    const Sentence* sentence;
    HashedTree tree;
    std::vector<Class> gold;
};

// The gold classes of all vertices, from those of some places. Throws std::invalid_argument if the unaryless
// tree has no such place.
std::vector<Class> classes_at_places(const Constituents& tree, const std::vector<PlacedClass>& placed);

class NodeClassifierTrainer {
  public:
    // Classes are below `class_count`. Features are computed once, by `threads` threads.
    NodeClassifierTrainer(const std::vector<ClassifiedTree>& trees, CandidateContext context, int class_count,
                          TrainingSettings settings, int threads);

    // One pass. Returns the number of wrong decisions.
    int run_epoch() { return trainer_.run_epoch(); }
    std::vector<float> weights() const { return trainer_.weights(); }
    const ClassTable& table() const { return table_; }

  private:
    ClassTable table_;
    ClassifierTrainer trainer_;
};

}  // namespace spindle
