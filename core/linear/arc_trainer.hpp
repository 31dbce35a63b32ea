// Trains one table of the arc parser: first that of single arcs (order basic), then, with finished tables of
// arcs, that of parts.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "linear/arc_dictionary.hpp"
#include "linear/arc_options.hpp"
#include "linear/label_table.hpp"
#include "linear/weights.hpp"

namespace spindle {

// Finished tables of arcs, and which of them each sentence is parsed with: a table that was not trained on
// the sentence, or else the table of parts would see only trees that the first table has memorised.
struct ArcFolds {
    std::vector<std::vector<std::int16_t>> tables;
    std::vector<float> scales;
    std::vector<int> folds;

    QuantizedWeights of(std::size_t example) const {
        const std::vector<std::int16_t>& table = tables[folds[example]];
        return {table.data(), table.size(), scales[folds[example]]};
    }
};

struct EpochReport {
    std::size_t words = 0, correct = 0;  // heads found before each update
    double loss = 0;
};

class ArcTrainer {
  public:
    // `folds` has no tables for order basic. Labels, if there are any, are trained together with the arcs.
    ArcTrainer(ArcOptions options, int bits, TrainingTrees trees, ArcFolds folds);

    // One pass over all sentences, in an order that depends on the seed and the epoch. The sentences of a
    // batch are parsed in parallel with the same weights, then update them one after the other: any number of
    // threads gives the same weights.
    EpochReport train_epoch(int epoch, int threads);

    AdaGradWeights& weights() { return weights_; }
    const ArcDictionary& dictionary() const { return dictionary_; }
    const std::optional<LabelTable>& label_table() const { return label_table_; }

  private:
    struct Prediction {
        std::vector<int> heads;
        std::vector<Class> labels;
    };
    // The features that a tree has more often (or, if below 0, less often) than another, and how much.
    using FeatureCounts = std::vector<std::pair<FeatureHash, int>>;

    void check() const;
    Prediction predict(std::size_t example) const;
    void update(std::size_t example, const Prediction& found, EpochReport& report);
    bool has_wrong_label(std::size_t example, const Prediction& found, int word) const;
    FeatureCounts difference(std::size_t example, const Prediction& found) const;
    double margin(std::size_t example, const Prediction& found, const FeatureCounts& changes) const;

    bool trains_arcs() const { return folds_.tables.empty(); }
    // The labels of a table of parts are those of the finished table of arcs.
    bool trains_labels() const { return label_table_ && trains_arcs(); }
    const LabelTable* labels() const { return label_table_ ? &*label_table_ : nullptr; }

    static constexpr std::size_t kBatch = 8;
    ArcOptions options_;
    TrainingTrees trees_;
    ArcFolds folds_;
    std::optional<LabelTable> label_table_;
    ArcDictionary dictionary_;
    AdaGradWeights weights_;
};

}  // namespace spindle
