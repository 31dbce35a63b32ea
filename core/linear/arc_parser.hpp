// The linear dependency parser: finds the heads of words.
//
// Two tables of weights. The first scores single arcs; it parses by itself (order basic), and for the higher
// orders it proposes a few candidate heads for every word and the tree to start climbing from. The second
// scores larger parts, and arcs once more; its scores are added to the first's.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "decoding/k_best.hpp"
#include "decoding/marginals.hpp"
#include "linear/arc_labels.hpp"
#include "linear/climbing.hpp"
#include "linear/sentence.hpp"
#include "linear/weights.hpp"

namespace spindle {

struct ArcOptions {
    Order order = Order::kStandard;
    bool projective = true;
    int candidates = 10;  // how many heads of a word the higher orders look at
    int starts = 4;       // how many trees are climbed from
    std::uint64_t seed = 1;
};

// Which tags have been seen as head and modifier of each other, and how far apart at most.
class ArcDictionary {
  public:
    void see(const PartWords& words, const std::vector<int>& heads);
    bool allows(const PartWords& words, int head, int modifier) const;

    // As two columns, for a model file.
    std::vector<std::uint64_t> keys() const;
    std::vector<std::int32_t> distances(const std::vector<std::uint64_t>& keys) const;
    void restore(const std::vector<std::uint64_t>& keys, const std::vector<std::int32_t>& distances);

  private:
    static std::uint64_t key(const PartWords& words, int head, int modifier);
    std::unordered_map<std::uint64_t, std::int32_t> farthest_;
};

// A trained parser; the tables are somebody else's memory.
class ArcParser {
  public:
    ArcParser(ArcOptions options, ArcDictionary dictionary, Frozen arcs, Frozen parts,
              std::optional<LabelTable> labels)
        : options_(options),
          dictionary_(std::move(dictionary)),
          arcs_(arcs),
          parts_(parts),
          labels_(std::move(labels)) {}
    std::vector<std::vector<int>> parse(const std::vector<const Sentence*>& sentences, int threads) const;
    // Up to k different trees, the best first, which is what `parse` gives. All and only the best for order
    // basic; for the others the best of a list of candidates: trees that were climbed to, and the best ones
    // of the first table.
    std::vector<std::vector<ScoredTree>> parse_k_best(const std::vector<const Sentence*>& sentences, int k,
                                                      int threads) const;
    // How probable every head of every word is under scores of the first table, divided by the temperature.
    // (For the higher orders the second table could be asked what other heads would have changed in the tree
    // that was found. Measured, this tells right arcs from wrong ones worse: benchmarks/RESULTS.md.)
    std::vector<ArcMarginals> head_probabilities(const std::vector<const Sentence*>& sentences,
                                                 float temperature, int threads) const;
    // The labels of arcs, if they were learnt together with them.
    std::vector<std::vector<Class>> label(const std::vector<const Sentence*>& sentences,
                                          const std::vector<std::vector<int>>& heads, int threads) const;
    // What the parser thinks of a tree: it tries to find the one that scores most.
    double score(const Sentence& sentence, const std::vector<int>& heads) const;

  private:
    double score(const PartWords& words, const std::vector<int>& heads) const;
    ArcWeights<Frozen> arcs() const { return {arcs_, labels_ ? &*labels_ : nullptr}; }

    ArcOptions options_;
    ArcDictionary dictionary_;
    Frozen arcs_, parts_;
    std::optional<LabelTable> labels_;
};

struct EpochReport {
    std::size_t words = 0, correct = 0;  // heads found while training, before each update
    double loss = 0;
};

// Learns one table: first that of single arcs (order basic), then, with the first one done, that of parts.
class ArcTrainer {
  public:
    // The sentences must outlive the trainer. `arcs` are finished first tables, empty to learn such a one,
    // and `folds` says which of them each sentence is to be parsed with: one that has not been trained on it,
    // or the second table would only ever see trees that the first has learnt by heart. `labels`, if there
    // are any, are learnt together with the arcs.
    ArcTrainer(ArcOptions options, int bits, std::vector<const Sentence*> sentences,
               std::vector<std::vector<int>> heads, std::vector<std::vector<std::int16_t>> arcs,
               std::vector<float> scales, std::vector<int> folds, std::vector<std::vector<Class>> labels,
               int label_count);

    // One pass over all sentences in an order that the seed and the number of the epoch decide. They are
    // parsed in batches of fixed size, whose updates are applied one after the other: any number of threads
    // gives the same weights.
    EpochReport train_epoch(int epoch, int threads);

    Adaptive& weights() { return weights_; }
    const ArcDictionary& dictionary() const { return dictionary_; }
    const std::optional<LabelTable>& label_table() const { return label_table_; }

  private:
    void update(std::size_t example, const std::vector<int>& found, const std::vector<Class>& found_labels,
                EpochReport& report);

    static constexpr std::size_t kBatch = 8;
    ArcOptions options_;
    std::vector<const Sentence*> sentences_;
    std::vector<std::vector<int>> heads_;
    const LabelTable* labels() const { return label_table_ ? &*label_table_ : nullptr; }
    Frozen arcs_of(std::size_t example) const {
        return {arcs_[folds_[example]].data(), arcs_[folds_[example]].size(), scales_[folds_[example]]};
    }

    std::vector<std::vector<std::int16_t>> arcs_;
    std::vector<float> scales_;
    std::vector<int> folds_;
    std::vector<std::vector<Class>> labels_;
    std::optional<LabelTable> label_table_;
    ArcDictionary dictionary_;
    Adaptive weights_;
};

}  // namespace spindle
