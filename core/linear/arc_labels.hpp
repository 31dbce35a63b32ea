// Labels predicted together with the arcs (one-shot): an arc is worth as much as its best label adds to it,
// and the label sees nothing of the tree but its arc.
#pragma once

#include <algorithm>
#include <vector>

#include "linear/arc_features.hpp"
#include "linear/labeler.hpp"

namespace spindle {

template <class Sink>
void label_features(const PartWords& words, int head, int modifier, Sink&& sink) {
    const bool root = head == kAboveRoot;
    const auto of_head = [&](Atom atom) { return root ? static_cast<Atom>(kAbove) : atom; };
    const Atom ht = of_head(words.tag(head)), mt = words.tag(modifier);
    const Atom hw = of_head(words.word(head)), mw = words.word(modifier);
    const Atom hl = of_head(words.tag(head - 1)), hr = of_head(words.tag(head + 1));
    const Atom ml = words.tag(modifier - 1), mr = words.tag(modifier + 1);
    const int side = direction(head, modifier), span = reach(head, modifier);
    int kind = kLabel;
    sink(feature(kind++, side));
    sink(feature(kind++, ht, mt, side));
    sink(feature(kind++, ht, mt, span));
    sink(feature(kind++, hw, mt, side));
    sink(feature(kind++, ht, mw, side));
    sink(feature(kind++, hw, mw, side));
    sink(feature(kind++, ht, span));
    sink(feature(kind++, mt, span));
    sink(feature(kind++, hl, ht, ml, mt, side));
    sink(feature(kind++, ht, hr, mt, mr, side));
    sink(feature(kind++, hl, ht, hr, mt, side));
    sink(feature(kind++, ht, ml, mt, mr, side));
    sink(feature(kind++, of_head(words.suffix(head)), words.suffix(modifier), side));
    sink(feature(kind++, words.word(modifier - 1), mt, ht, side));
    sink(feature(kind++, mt, words.word(modifier + 1), ht, side));
    if (words.has_morphs()) {
        const Atom hm = of_head(words.morph(head)), mm = words.morph(modifier);
        sink(feature(kind, hm, mm, side));
        sink(feature(kind + 1, hm, mt, side));
        sink(feature(kind + 2, ht, mm, side));
    }
}

struct LabelledArc {
    Class label = kNoLabel;
    float score = 0;
};

// The best label of an arc; while learning, every label but the gold one is worth a point more.
template <class Table>
LabelledArc best_label(const PartWords& words, const Table& table, const LabelTable& options, int head,
                       int modifier, const Class* gold = nullptr) {
    const bool root = head == kAboveRoot;
    const std::span<const Class> labels = options.find(root ? static_cast<Atom>(kAbove) : words.tag(head),
                                                       words.tag(modifier), modifier > head, root);
    if (labels.empty()) return {};
    thread_local std::vector<float> scores;
    scores.assign(labels.size(), 0.0f);
    label_features(words, head, modifier, [&](FeatureHash hash) {
        for (std::size_t at = 0; at < labels.size(); ++at) scores[at] += table[beside(hash, labels[at])];
    });
    for (std::size_t at = 0; at < labels.size(); ++at)
        scores[at] = scores[at] * table.scale() + (gold && labels[at] != *gold ? 1.0f : 0.0f);
    const auto best = std::max_element(scores.begin(), scores.end());
    return {labels[best - scores.begin()], *best};
}

// The weights of single arcs, and if `labels` are given those of their labels. While learning, every label of
// a gold arc but the gold one is worth a point more.
template <class Table>
struct ArcWeights {
    const Table& weights;
    const LabelTable* labels = nullptr;
    const std::vector<int>* gold_heads = nullptr;
    const std::vector<Class>* gold_labels = nullptr;

    LabelledArc label(const PartWords& words, int head, int modifier) const {
        const bool is_gold = gold_labels && (*gold_heads)[modifier] == head;
        return best_label(words, weights, *labels, head, modifier,
                          is_gold ? &(*gold_labels)[modifier] : nullptr);
    }
};

}  // namespace spindle
