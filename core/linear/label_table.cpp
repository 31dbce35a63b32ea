#include "linear/label_table.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "support/checks.hpp"

namespace spindle {

namespace {

constexpr std::size_t kFallback = 32;  // the number of labels to try where training saw no arc like this one

FeatureHash tags_key(const ArcTags& arc) { return feature(0, arc.head, arc.modifier, arc.is_right); }
FeatureHash head_key(const ArcTags& arc) { return feature(1, arc.head, arc.is_right); }
FeatureHash any_key(const ArcTags& arc) { return feature(2, arc.is_root); }

ArcTags tags_of(const UnlabeledTree& tree, int modifier) {
    const int head = tree.head(modifier);
    return {tree.tag(head), tree.tag(modifier), modifier > head, head == kRoot};
}

ClassTable seen_labels(const TrainingTrees& trees) {
    trees.check();
    check_same_length(trees.sentences.size(), "sentences", trees.labels.size(), "lists of labels");
    ClassTableBuilder seen;
    for (std::size_t at = 0; at < trees.sentences.size(); ++at) {
        const UnlabeledTree tree(*trees.sentences[at], trees.heads[at]);
        for (int modifier = 0; modifier < tree.size(); ++modifier) {
            const ArcTags arc = tags_of(tree, modifier);
            const Class label = trees.labels[at][modifier];
            seen.add(tags_key(arc), label);
            seen.add(head_key(arc), label);
            seen.add(any_key(arc), label);
        }
    }
    return seen.table(trees.label_count);
}

}  // namespace

void check_head_count(const Sentence& sentence, const std::vector<int>& heads) {
    if (static_cast<int>(heads.size()) != sentence.size())
        throw std::invalid_argument(std::to_string(heads.size()) + " heads for " +
                                    std::to_string(sentence.size()) + " words");
}

void TrainingTrees::check() const {
    check_same_length(sentences.size(), "sentences", heads.size(), "lists of heads");
    for (std::size_t at = 0; at < sentences.size(); ++at) check_head_count(*sentences[at], heads[at]);
    if (labels.empty()) return;
    check_same_length(sentences.size(), "sentences", labels.size(), "lists of labels");
    for (std::size_t at = 0; at < sentences.size(); ++at)
        check_same_length(heads[at].size(), "heads", labels[at].size(), "labels");
}

LabelTable::LabelTable(const TrainingTrees& trees) : table_(seen_labels(trees)) {}

std::span<const Class> LabelTable::find(const UnlabeledTree& tree, int modifier) const {
    return find(tags_of(tree, modifier));
}

std::span<const Class> LabelTable::find(const ArcTags& arc) const {
    std::span<const Class> found = table_.find(tags_key(arc));
    if (!found.empty()) return found;
    found = table_.find(head_key(arc));
    if (found.empty()) found = table_.find(any_key(arc));
    return found.first(std::min(found.size(), kFallback));
}

}  // namespace spindle
