// Which labels an arc may get: those seen between the tags of head and modifier on that side; where these
// tags are new, the labels that are frequent under such a head, or anywhere. Labels are numbers, the more
// frequent the smaller.
#pragma once

#include <span>
#include <vector>

#include "linear/class_table.hpp"
#include "linear/sentence.hpp"
#include "linear/unlabeled_tree.hpp"

namespace spindle {

// Trees to learn from; the sentences must outlive the training.
struct TrainingTrees {
    Sentences sentences;
    std::vector<std::vector<int>> heads;
    std::vector<std::vector<Class>> labels;
    int label_count;  // labels are below this

    // Throws std::invalid_argument unless every sentence has its heads, every word a head, and, unless there
    // are none at all, a label.
    void check() const;
};

// Throws std::invalid_argument unless there are as many heads as words.
void check_head_count(const Sentence& sentence, const std::vector<int>& heads);

// The label of an arc of a kind that training has not seen at all.
inline constexpr Class kNoLabel = -1;

// The two ends of an arc.
struct ArcTags {
    Atom head, modifier;
    bool is_right;  // whether the modifier is right of the head
    bool is_root;
};

class LabelTable {
  public:
    explicit LabelTable(const TrainingTrees& trees);
    explicit LabelTable(ClassTable table) : table_(std::move(table)) {}

    // Empty if training has not seen any arc of that kind.
    std::span<const Class> find(const UnlabeledTree& tree, int modifier) const;
    std::span<const Class> find(const ArcTags& arc) const;
    const ClassTable& table() const { return table_; }

  private:
    ClassTable table_;
};

}  // namespace spindle
