// The features of the parts of a dependency tree. Every function hands the hashes of one part's features to
// a sink, which looks up weights or collects them; templates, so that neither costs a call.
//
// Tags are what most features are made of; forms are lower-cased. Which of these pay was measured: see
// benchmarks/RESULTS.md.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "linear/sentence.hpp"

namespace spindle {

// The head of the root.
inline constexpr int kAboveRoot = -1;
// Where the modifiers on one side of a head begin and end, in parts of siblings.
inline constexpr int kFirst = -2, kLast = -3;

// A sentence laid out for quick look-ups: positions from -3 to size + 2 can be asked for.
class PartWords {
  public:
    explicit PartWords(const Sentence& sentence);

    int size() const { return size_; }
    Atom tag(int at) const { return tags_[at + kPad]; }
    Atom word(int at) const { return words_[at + kPad]; }
    Atom suffix(int at) const { return suffixes_[at + kPad]; }
    Atom lemma(int at) const { return lemmas_[at + kPad]; }
    Atom morph(int at) const { return morphs_[at + kPad]; }
    bool has_lemmas() const { return has_lemmas_; }
    bool has_morphs() const { return has_morphs_; }

    // For siblings and grandparents: the atoms of a word, of what is above the root, or of the end of a side.
    Atom tag_of(int at) const { return at >= 0 ? tag(at) : static_cast<Atom>(kAbove - at); }
    Atom morph_of(int at) const { return at >= 0 ? morph(at) : static_cast<Atom>(kAbove - at); }
    Atom word_of(int at) const { return at >= 0 ? word(at) : static_cast<Atom>(kAbove - at); }

  private:
    static constexpr int kPad = 3;
    int size_;
    bool has_lemmas_ = false, has_morphs_ = false;
    std::vector<Atom> tags_, words_, suffixes_, lemmas_, morphs_;
};

// Which template a feature belongs to: part of every hash, so the order of these is part of a model.
enum PartKind : int {
    kArc = 0,
    kBetween = 64,
    kSibling = 80,
    kGrandparent = 112,
    kPair = 144,
    kBigram = 160,
    kGrandSibling = 176,
    kTriple = 192,
    kLabel = 208
};

inline int distance_bin(int distance) {
    const int length = std::abs(distance);
    if (length <= 4) return length;
    if (length <= 6) return 5;
    if (length <= 10) return 6;
    if (length <= 20) return 7;
    if (length <= 30) return 8;
    return length <= 40 ? 9 : 10;
}

// Which side of the head the modifier is on, and how far away.
inline int direction(int head, int modifier) { return head == kAboveRoot ? 2 : head < modifier ? 1 : 0; }
inline int reach(int head, int modifier) {
    return head == kAboveRoot ? 63 : direction(head, modifier) * 16 + distance_bin(modifier - head);
}

// What stands between two words: the different tags, and how many equal those of the two.
template <int kMost>
struct Between {
    Atom seen[kMost];
    int kinds = 0, like_head = 0, like_modifier = 0;

    void see(Atom tag, Atom head, Atom modifier) {
        like_head += tag == head;
        like_modifier += tag == modifier;
        if (kinds == kMost) return;
        for (int before = 0; before < kinds; ++before)
            if (seen[before] == tag) return;
        seen[kinds++] = tag;
    }
    int own() const { return std::min(like_head, 3) * 4 + std::min(like_modifier, 3); }
};

template <class Sink>
void arc_features(const PartWords& words, int head, int modifier, Sink&& sink) {
    const bool root = head == kAboveRoot;
    const Atom ht = root ? static_cast<Atom>(kAbove) : words.tag(head), mt = words.tag(modifier);
    const Atom hw = root ? static_cast<Atom>(kAbove) : words.word(head), mw = words.word(modifier);
    const Atom hl = root ? static_cast<Atom>(kAbove) : words.tag(head - 1);
    const Atom hr = root ? static_cast<Atom>(kAbove) : words.tag(head + 1);
    const Atom ml = words.tag(modifier - 1), mr = words.tag(modifier + 1);
    const Atom hs = root ? static_cast<Atom>(kAbove) : words.suffix(head), ms = words.suffix(modifier);
    const int side = direction(head, modifier), span = reach(head, modifier);
    int kind = kArc;
    const auto with_both = [&](FeatureHash hash) {
        sink(mix(hash, side));
        sink(mix(hash, span + 256));
    };
    const auto with_side = [&](FeatureHash hash) { sink(mix(hash, side)); };

    with_both(feature(kind++, ht, mt));
    with_both(feature(kind++, hw, mt));
    with_both(feature(kind++, ht, mw));
    with_both(feature(kind++, hw, mw));
    with_both(feature(kind++, ht, mw, mt));
    with_both(feature(kind++, hw, ht, mt));
    with_side(feature(kind++, hw, ht, mw, mt));
    sink(feature(kind++, ht, span));
    sink(feature(kind++, mt, span));
    sink(feature(kind++, hw, span));
    sink(feature(kind++, mw, span));

    with_both(feature(kind++, hl, ht, ml, mt));
    with_both(feature(kind++, hl, ht, mt, mr));
    with_both(feature(kind++, ht, hr, ml, mt));
    with_both(feature(kind++, ht, hr, mt, mr));
    with_side(feature(kind++, hl, ht, mt));
    with_side(feature(kind++, ht, hr, mt));
    with_side(feature(kind++, ht, ml, mt));
    with_side(feature(kind++, ht, mt, mr));
    with_side(feature(kind++, hl, ht, hr, mt));
    with_side(feature(kind++, ht, ml, mt, mr));
    with_side(feature(kind++, hl, ht, hr, ml, mt, mr));

    with_side(feature(kind++, hs, mt));
    with_side(feature(kind++, ht, ms));
    with_side(feature(kind++, hs, ms));
    with_side(feature(kind++, ht, words.word(modifier - 1), mt));
    with_side(feature(kind++, ht, mt, words.word(modifier + 1)));
    if (words.has_lemmas()) {
        const Atom head_lemma = root ? static_cast<Atom>(kAbove) : words.lemma(head);
        with_side(feature(kind, head_lemma, mt));
        with_side(feature(kind + 1, ht, words.lemma(modifier)));
        with_side(feature(kind + 2, head_lemma, words.lemma(modifier)));
    }
    kind += 3;
    if (words.has_morphs()) {
        const Atom head_morph = root ? static_cast<Atom>(kAbove) : words.morph(head);
        const Atom hf = head_morph, mf = words.morph(modifier);
        const Atom hfl = root ? static_cast<Atom>(kAbove) : words.morph(head - 1);
        const Atom hfr = root ? static_cast<Atom>(kAbove) : words.morph(head + 1);
        const Atom mfl = words.morph(modifier - 1), mfr = words.morph(modifier + 1);
        with_both(feature(kind, hf, mf));
        with_both(feature(kind + 1, hf, mt));
        with_both(feature(kind + 2, ht, mf));
        with_both(feature(kind + 3, hw, mf));
        with_both(feature(kind + 4, hf, mw));
        sink(feature(kind + 5, hf, span));
        sink(feature(kind + 6, mf, span));
        with_side(feature(kind + 7, hfl, hf, mfl, mf));
        with_side(feature(kind + 8, hfl, hf, mf, mfr));
        with_side(feature(kind + 9, hf, hfr, mfl, mf));
        with_side(feature(kind + 10, hf, hfr, mf, mfr));
        with_side(feature(kind + 11, hf, mfl, mf, mfr));
        with_side(feature(kind + 12, hfl, hf, hfr, mf));
    }

    if (root) return;
    // Every tag between the two, once; and how many there are of their own kinds.
    const int from = std::min(head, modifier) + 1, to = std::max(head, modifier);
    Between<12> tags;
    for (int at = from; at < to; ++at) tags.see(words.tag(at), ht, mt);
    const FeatureHash base = feature(kBetween, ht, mt, side);
    for (int at = 0; at < tags.kinds; ++at) sink(mix(base, tags.seen[at]));
    const int own = tags.own();
    sink(feature(kBetween + 1, ht, mt, own, side));
    sink(feature(kBetween + 2, hw, mt, own, side));
    sink(feature(kBetween + 3, ht, mw, own, side));
    if (!words.has_morphs()) return;
    const Atom hf = words.morph(head), mf = words.morph(modifier);
    Between<16> morphs;
    for (int at = from; at < to; ++at) morphs.see(words.morph(at), hf, mf);
    const FeatureHash fine = feature(kBetween + 4, hf, mf, side);
    for (int at = 0; at < tags.kinds; ++at) sink(mix(fine, tags.seen[at]));
    const FeatureHash coarse = feature(kBetween + 5, ht, mt, side);
    for (int at = 0; at < morphs.kinds; ++at) sink(mix(coarse, morphs.seen[at]));
    sink(feature(kBetween + 6, hf, mf, morphs.own(), side));
}

// Two modifiers next to each other on one side of a head: `inner` (or kFirst) is nearer, `outer` (or kLast).
template <class Sink>
void sibling_features(const PartWords& words, int head, int inner, int outer, bool right, Sink&& sink) {
    const Atom ht = words.tag_of(head), it = words.tag_of(inner), ot = words.tag_of(outer);
    const Atom hw = words.word_of(head), iw = words.word_of(inner), ow = words.word_of(outer);
    const int side = right;
    int kind = kSibling;
    sink(feature(kind++, ht, it, ot, side));
    sink(feature(kind++, hw, it, ot, side));
    sink(feature(kind++, ht, iw, ot, side));
    sink(feature(kind++, ht, it, ow, side));
    sink(feature(kind++, it, ot, side));
    if (inner >= 0 && outer >= 0) {
        sink(feature(kind, iw, ot, side));
        sink(feature(kind + 1, it, ow, side));
        sink(feature(kind + 2, iw, ow, side));
        sink(feature(kind + 3, it, ot, side, distance_bin(outer - inner)));
    }
    kind += 4;
    sink(feature(kind++, hw, iw, ot, side));
    sink(feature(kind++, hw, it, ow, side));
    if (words.has_morphs()) {
        const Atom hf = words.morph_of(head), jf = words.morph_of(inner), of = words.morph_of(outer);
        sink(feature(kind, hf, jf, of, side));
        sink(feature(kind + 1, jf, of, side));
        sink(feature(kind + 2, hf, it, ot, side));
        sink(feature(kind + 3, ht, jf, of, side));
    }
}

template <class Sink>
void grandparent_features(const PartWords& words, int grand, int head, int modifier, Sink&& sink) {
    const Atom gt = words.tag_of(grand), ht = words.tag(head), mt = words.tag(modifier);
    const Atom gw = words.word_of(grand), hw = words.word(head), mw = words.word(modifier);
    // which of the three stands where
    const int order =
        (grand < head) + 2 * (head < modifier) + 4 * (grand < modifier) + 8 * (grand == kAboveRoot);
    int kind = kGrandparent;
    sink(feature(kind++, gt, ht, mt, order));
    sink(feature(kind++, gw, ht, mt, order));
    sink(feature(kind++, gt, hw, mt, order));
    sink(feature(kind++, gt, ht, mw, order));
    sink(feature(kind++, gt, mt, order));
    sink(feature(kind++, gw, mt, order));
    sink(feature(kind++, gt, mw, order));
    sink(feature(kind++, gw, mw, order));
    if (words.has_morphs()) {
        const Atom gf = words.morph_of(grand), hf = words.morph_of(head), mf = words.morph_of(modifier);
        sink(feature(kind, gf, hf, mf, order));
        sink(feature(kind + 1, gf, mf, order));
        sink(feature(kind + 2, gt, hf, mf, order));
        sink(feature(kind + 3, gf, hf, mt, order));
        sink(feature(kind + 4, gf, hf, mw, order));
    }
}

// Any two modifiers on the same side of a head.
template <class Sink>
void pair_features(const PartWords& words, int head, int inner, int outer, Sink&& sink) {
    const Atom ht = words.tag_of(head), it = words.tag(inner), ot = words.tag(outer);
    const Atom iw = words.word(inner), ow = words.word(outer);
    const int side = head < outer;
    int kind = kPair;
    sink(feature(kind++, ht, it, ot, side));
    sink(feature(kind++, it, ot, side));
    sink(feature(kind++, iw, ow, side));
    sink(feature(kind++, ht, iw, ot, side));
    sink(feature(kind++, ht, it, ow, side));
    if (words.has_morphs()) {
        const Atom hf = words.morph_of(head), jf = words.morph(inner), of = words.morph(outer);
        sink(feature(kind, hf, jf, of, side));
        sink(feature(kind + 1, jf, of, side));
    }
}

// The heads of two words that stand next to each other.
template <class Sink>
void bigram_features(const PartWords& words, int modifier, int head_before, int head, Sink&& sink) {
    const Atom bt = words.tag(modifier - 1), mt = words.tag(modifier);
    const Atom bht = words.tag_of(head_before), ht = words.tag_of(head);
    const int order = (head_before == head) + 2 * (head_before == modifier) + 4 * (head == modifier - 1) +
                      8 * (head_before < modifier - 1) + 16 * (head < modifier) + 32 * (head_before < head);
    int kind = kBigram;
    sink(feature(kind++, bt, mt, bht, ht, order));
    sink(feature(kind++, bht, ht, order));
    sink(feature(kind++, bt, mt, order));
    sink(feature(kind++, words.word(modifier - 1), words.word(modifier), order));
    sink(feature(kind++, words.word_of(head_before), words.word_of(head), order));
    sink(feature(kind++, words.word(modifier), bht, ht, order));
    if (words.has_morphs()) {
        const Atom bf = words.morph(modifier - 1), mf = words.morph(modifier);
        const Atom bhf = words.morph_of(head_before), hf = words.morph_of(head);
        sink(feature(kind, bf, mf, bhf, hf, order));
        sink(feature(kind + 1, bhf, hf, order));
        sink(feature(kind + 2, bf, mf, order));
        sink(feature(kind + 3, mf, bhf, hf, order));
    }
}

// Siblings next to each other, with the head of their head.
template <class Sink>
void grand_sibling_features(const PartWords& words, int grand, int head, int inner, int outer, bool right,
                            Sink&& sink) {
    const Atom gt = words.tag_of(grand), ht = words.tag_of(head), it = words.tag_of(inner),
               ot = words.tag_of(outer);
    const int order = right + 2 * (grand < head) + 4 * (grand == kAboveRoot);
    int kind = kGrandSibling;
    sink(feature(kind++, gt, ht, it, ot, order));
    sink(feature(kind++, words.word_of(grand), ht, it, ot, order));
    sink(feature(kind++, gt, words.word_of(head), it, ot, order));
    sink(feature(kind++, gt, it, ot, order));
    if (words.has_morphs()) {
        const Atom gf = words.morph_of(grand), hf = words.morph_of(head);
        const Atom jf = words.morph_of(inner), of = words.morph_of(outer);
        sink(feature(kind, gf, hf, jf, of, order));
        sink(feature(kind + 1, gf, jf, of, order));
        sink(feature(kind + 2, gt, hf, jf, of, order));
    }
}

// Three siblings next to each other.
template <class Sink>
void triple_features(const PartWords& words, int head, int inner, int middle, int outer, bool right,
                     Sink&& sink) {
    const Atom ht = words.tag_of(head), it = words.tag(inner), mt = words.tag(middle), ot = words.tag(outer);
    int kind = kTriple;
    sink(feature(kind++, ht, it, mt, ot, right));
    sink(feature(kind++, words.word_of(head), it, mt, ot, right));
    sink(feature(kind++, it, mt, ot, right));
    if (words.has_morphs()) {
        const Atom jf = words.morph(inner), mf = words.morph(middle), of = words.morph(outer);
        sink(feature(kind, words.morph_of(head), jf, mf, of, right));
        sink(feature(kind + 1, jf, mf, of, right));
    }
}

}  // namespace spindle
