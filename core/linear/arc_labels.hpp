// Labels predicted together with the arcs (one-shot): the score of an arc includes that of its best label,
// and the label sees nothing of the tree but its arc.
#pragma once

#include <algorithm>
#include <vector>

#include "linear/arc_features.hpp"
#include "linear/label_table.hpp"

namespace spindle {

template <class Sink>
void label_features(const PaddedSentence& words, int head, int modifier, Sink&& sink) {
    const ArcEnds arc(words, head, modifier);
    const Atom ht = arc.ht, mt = arc.mt, hw = arc.hw, mw = arc.mw;
    const Atom hl = arc.of_head(words.tag(head - 1)), hr = arc.of_head(words.tag(head + 1));
    const Atom ml = words.tag(modifier - 1), mr = words.tag(modifier + 1);
    const int side = arc.side, span = arc.span;
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
    sink(feature(kind++, arc.of_head(words.suffix(head)), words.suffix(modifier), side));
    sink(feature(kind++, words.word(modifier - 1), mt, ht, side));
    sink(feature(kind++, mt, words.word(modifier + 1), ht, side));
    if (words.has_morphs()) {
        const Atom hm = arc.of_head(words.morph(head)), mm = words.morph(modifier);
        sink(feature(kind, hm, mm, side));
        sink(feature(kind + 1, hm, mt, side));
        sink(feature(kind + 2, ht, mm, side));
    }
    if (words.has_attributes())
        attribute_features(kLabelAttributes, words.attributes(head), words.attributes(modifier), ht, mt, hw,
                           mw, side, sink);
}

struct LabelledArc {
    Class label = kNoLabel;
    float score = 0;
};

// Gold heads and labels of one sentence, during training.
struct GoldLabels {
    const std::vector<int>& heads;
    const std::vector<Class>& labels;
};

// The weights of single arcs, and, if `labels` are given, those of their labels. If gold labels are given,
// all other labels of a gold arc score a point more (a cost-augmented margin).
template <class Table>
struct ArcWeights {
    const Table& weights;
    const LabelTable* labels = nullptr;
    const GoldLabels* gold = nullptr;

    // The best label of an arc, and its score.
    LabelledArc label(const PaddedSentence& words, int head, int modifier) const {
        const bool is_root = head == kRoot;
        const std::span<const Class> options = labels->find(
            {is_root ? Atom{kRootAtom} : words.tag(head), words.tag(modifier), modifier > head, is_root});
        if (options.empty()) return {};
        thread_local std::vector<float> scores;
        scores.assign(options.size(), 0.0f);
        label_features(words, head, modifier, [&](FeatureHash hash) {
            for (std::size_t at = 0; at < options.size(); ++at)
                scores[at] += weights[adjacent_class(hash, options[at])];
        });
        const bool is_gold = gold && gold->heads[modifier] == head;
        for (std::size_t at = 0; at < options.size(); ++at) {
            const bool is_wrong = is_gold && options[at] != gold->labels[modifier];
            scores[at] = scores[at] * weights.scale() + (is_wrong ? 1.0f : 0.0f);
        }
        const auto best = std::max_element(scores.begin(), scores.end());
        return {options[best - scores.begin()], *best};
    }
};

}  // namespace spindle
