// The features of the parts of a dependency tree (arcs, siblings, grandparents, ...). Every function passes
// the hashes of one part's features to a sink, which looks up weights or collects the hashes. All are
// templates, so that the sink is inlined.
//
// Most features consist of tags; forms are lower-cased.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

#include "linear/sentence.hpp"
#include "trees/root.hpp"

namespace spindle {

// In parts of siblings: the ends of the list of modifiers on one side of a head.
inline constexpr int kSideStart = -2, kSideEnd = -3;

// The columns of a sentence with padding on both sides: positions from -3 to size + 2 are valid. The sentence
// must outlive it.
class PaddedSentence {
  public:
    explicit PaddedSentence(const Sentence& sentence);

    int size() const { return size_; }
    Atom tag(int at) const { return tags_[at + kPad]; }
    Atom word(int at) const { return words_[at + kPad]; }
    Atom suffix(int at) const { return suffixes_[at + kPad]; }
    Atom lemma(int at) const { return lemmas_[at + kPad]; }
    Atom morph(int at) const { return morphs_[at + kPad]; }
    std::span<const Atom> attributes(int at) const { return sentence_.attributes(at); }
    bool has_attributes() const { return has_attributes_; }
    bool has_lemmas() const { return has_lemmas_; }
    bool has_morphs() const { return has_morphs_; }

    // For siblings and grandparents: the position may also be kRoot, kSideStart or kSideEnd.
    Atom tag_of(int at) const { return at >= 0 ? tag(at) : special(at); }
    Atom morph_of(int at) const { return at >= 0 ? morph(at) : special(at); }
    Atom word_of(int at) const { return at >= 0 ? word(at) : special(at); }

  private:
    static constexpr int kPad = 3;
    static Atom special(int at) { return static_cast<Atom>(kRootAtom - at); }

    const Sentence& sentence_;
    int size_;
    bool has_lemmas_ = false, has_morphs_ = false, has_attributes_ = false;
    std::vector<Atom> tags_, words_, suffixes_, lemmas_, morphs_;
};

// The template of a feature: part of every hash, so these numbers are part of the model format.
enum PartKind : int {
    kArc = 0,
    kArcLemma = 27,
    kArcMorph = 30,
    kBetween = 64,
    kSibling = 80,
    kGrandparent = 112,
    kPair = 144,
    kBigram = 160,
    kGrandSibling = 176,
    kTriple = 192,
    kLabel = 208,
    kArcAttributes = 240,
    kLabelAttributes = 256
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

// Which side of the head the modifier is on; and this together with the distance.
inline int direction(int head, int modifier) { return head == kRoot ? 2 : head < modifier ? 1 : 0; }
inline int reach(int head, int modifier) {
    return head == kRoot ? 63 : direction(head, modifier) * 16 + distance_bin(modifier - head);
}

// What stands between two words: the different tags, at most kMost of them, and how many tags equal those of
// the two words.
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
inline constexpr int kMostTagsBetween = 12, kMostMorphsBetween = 16;

// Four of every attribute of the two words, and one of every two attributes.
inline constexpr std::size_t kMostAttributeFeatures =
    4 * kMostAttributes + kMostAttributes * kMostAttributes + 2;

// An upper bound of the number of features of an arc: of the two words, of lemmas, of morphology, of what
// stands between the words.
inline constexpr std::size_t kMostArcFeatures =
    37 + 3 + 18 + (2 * kMostTagsBetween + kMostMorphsBetween + 4) + kMostAttributeFeatures;

// The two ends of an arc. Names are short because templates combine many of them: h and m are head and
// modifier; t, w, s, f a tag, a form, a suffix and morphology; l and r the words to the left and right.
struct ArcEnds {
    const PaddedSentence& words;
    int head, modifier;
    bool root;
    int side, span;
    Atom ht, mt, hw, mw;

    ArcEnds(const PaddedSentence& sentence, int head_, int modifier_)
        : words(sentence),
          head(head_),
          modifier(modifier_),
          root(head_ == kRoot),
          side(direction(head_, modifier_)),
          span(reach(head_, modifier_)),
          ht(of_head(words.tag(head_))),
          mt(words.tag(modifier_)),
          hw(of_head(words.word(head_))),
          mw(words.word(modifier_)) {}

    Atom of_head(Atom atom) const { return root ? Atom{kRootAtom} : atom; }

    // Conjoins a feature with the side of the modifier, and also with the distance.
    template <class Sink>
    void with_side(FeatureHash hash, Sink&& sink) const {
        sink(mix(hash, side));
    }
    template <class Sink>
    void with_both(FeatureHash hash, Sink&& sink) const {
        sink(mix(hash, side));
        sink(mix(hash, span + 256));
    }
};

template <class Sink>
void arc_word_features(const ArcEnds& arc, Sink&& sink) {
    const PaddedSentence& words = arc.words;
    const int head = arc.head, modifier = arc.modifier, span = arc.span;
    const Atom ht = arc.ht, mt = arc.mt, hw = arc.hw, mw = arc.mw;
    const Atom hl = arc.of_head(words.tag(head - 1)), hr = arc.of_head(words.tag(head + 1));
    const Atom ml = words.tag(modifier - 1), mr = words.tag(modifier + 1);
    const Atom hs = arc.of_head(words.suffix(head)), ms = words.suffix(modifier);
    int kind = kArc;
    arc.with_both(feature(kind++, ht, mt), sink);
    arc.with_both(feature(kind++, hw, mt), sink);
    arc.with_both(feature(kind++, ht, mw), sink);
    arc.with_both(feature(kind++, hw, mw), sink);
    arc.with_both(feature(kind++, ht, mw, mt), sink);
    arc.with_both(feature(kind++, hw, ht, mt), sink);
    arc.with_side(feature(kind++, hw, ht, mw, mt), sink);
    sink(feature(kind++, ht, span));
    sink(feature(kind++, mt, span));
    sink(feature(kind++, hw, span));
    sink(feature(kind++, mw, span));

    arc.with_both(feature(kind++, hl, ht, ml, mt), sink);
    arc.with_both(feature(kind++, hl, ht, mt, mr), sink);
    arc.with_both(feature(kind++, ht, hr, ml, mt), sink);
    arc.with_both(feature(kind++, ht, hr, mt, mr), sink);
    arc.with_side(feature(kind++, hl, ht, mt), sink);
    arc.with_side(feature(kind++, ht, hr, mt), sink);
    arc.with_side(feature(kind++, ht, ml, mt), sink);
    arc.with_side(feature(kind++, ht, mt, mr), sink);
    arc.with_side(feature(kind++, hl, ht, hr, mt), sink);
    arc.with_side(feature(kind++, ht, ml, mt, mr), sink);
    arc.with_side(feature(kind++, hl, ht, hr, ml, mt, mr), sink);

    arc.with_side(feature(kind++, hs, mt), sink);
    arc.with_side(feature(kind++, ht, ms), sink);
    arc.with_side(feature(kind++, hs, ms), sink);
    arc.with_side(feature(kind++, ht, words.word(modifier - 1), mt), sink);
    arc.with_side(feature(kind++, ht, mt, words.word(modifier + 1)), sink);
}

template <class Sink>
void arc_lemma_features(const ArcEnds& arc, Sink&& sink) {
    const Atom head_lemma = arc.of_head(arc.words.lemma(arc.head)), lemma = arc.words.lemma(arc.modifier);
    arc.with_side(feature(kArcLemma, head_lemma, arc.mt), sink);
    arc.with_side(feature(kArcLemma + 1, arc.ht, lemma), sink);
    arc.with_side(feature(kArcLemma + 2, head_lemma, lemma), sink);
}

template <class Sink>
void arc_morph_features(const ArcEnds& arc, Sink&& sink) {
    const PaddedSentence& words = arc.words;
    const Atom hf = arc.of_head(words.morph(arc.head)), mf = words.morph(arc.modifier);
    const Atom hfl = arc.of_head(words.morph(arc.head - 1)), hfr = arc.of_head(words.morph(arc.head + 1));
    const Atom mfl = words.morph(arc.modifier - 1), mfr = words.morph(arc.modifier + 1);
    arc.with_both(feature(kArcMorph, hf, mf), sink);
    arc.with_both(feature(kArcMorph + 1, hf, arc.mt), sink);
    arc.with_both(feature(kArcMorph + 2, arc.ht, mf), sink);
    arc.with_both(feature(kArcMorph + 3, arc.hw, mf), sink);
    arc.with_both(feature(kArcMorph + 4, hf, arc.mw), sink);
    sink(feature(kArcMorph + 5, hf, arc.span));
    sink(feature(kArcMorph + 6, mf, arc.span));
    arc.with_side(feature(kArcMorph + 7, hfl, hf, mfl, mf), sink);
    arc.with_side(feature(kArcMorph + 8, hfl, hf, mf, mfr), sink);
    arc.with_side(feature(kArcMorph + 9, hf, hfr, mfl, mf), sink);
    arc.with_side(feature(kArcMorph + 10, hf, hfr, mf, mfr), sink);
    arc.with_side(feature(kArcMorph + 11, hf, mfl, mf, mfr), sink);
    arc.with_side(feature(kArcMorph + 12, hfl, hf, hfr, mf), sink);
}

// Which of the attributes of two words are equal: one hash of them all.
inline FeatureHash shared_attributes(std::span<const Atom> one, std::span<const Atom> other) {
    FeatureHash shared = 1;
    for (const Atom first : one)
        if (std::find(other.begin(), other.end(), first) != other.end()) shared = mix(shared, first);
    return shared;
}

// Single attributes of the morphology of two words: each with the tag and the form of the other word, each
// two of them, and those that the words share. `first` is the number of the first of six templates.
template <class Sink>
void attribute_features(int first, std::span<const Atom> of_head, std::span<const Atom> of_modifier, Atom ht,
                        Atom mt, Atom hw, Atom mw, int side, Sink&& sink) {
    for (const Atom one : of_head) {
        sink(feature(first, one, mt, side));
        sink(feature(first + 1, one, mw, side));
        for (const Atom other : of_modifier) sink(feature(first + 4, one, other, side));
    }
    for (const Atom one : of_modifier) {
        sink(feature(first + 2, ht, one, side));
        sink(feature(first + 3, hw, one, side));
    }
    if (!of_head.empty() && !of_modifier.empty())
        sink(feature(first + 5, ht, mt, shared_attributes(of_head, of_modifier), side));
}

template <class Sink>
void arc_attribute_features(const ArcEnds& arc, Sink&& sink) {
    attribute_features(kArcAttributes, arc.words.attributes(arc.head), arc.words.attributes(arc.modifier),
                       arc.ht, arc.mt, arc.hw, arc.mw, arc.side, sink);
}

// Every tag between the two words, once, and how many equal those of the words; the same for morphology.
template <class Sink>
void between_features(const ArcEnds& arc, Sink&& sink) {
    const PaddedSentence& words = arc.words;
    const Atom ht = arc.ht, mt = arc.mt;
    const int side = arc.side;
    const int from = std::min(arc.head, arc.modifier) + 1, to = std::max(arc.head, arc.modifier);
    Between<kMostTagsBetween> tags;
    for (int at = from; at < to; ++at) tags.see(words.tag(at), ht, mt);
    const FeatureHash base = feature(kBetween, ht, mt, side);
    for (int at = 0; at < tags.kinds; ++at) sink(mix(base, tags.seen[at]));
    const int own = tags.own();
    sink(feature(kBetween + 1, ht, mt, own, side));
    sink(feature(kBetween + 2, arc.hw, mt, own, side));
    sink(feature(kBetween + 3, ht, arc.mw, own, side));
    if (!words.has_morphs()) return;
    const Atom hf = words.morph(arc.head), mf = words.morph(arc.modifier);
    Between<kMostMorphsBetween> morphs;
    for (int at = from; at < to; ++at) morphs.see(words.morph(at), hf, mf);
    const FeatureHash fine = feature(kBetween + 4, hf, mf, side);
    for (int at = 0; at < tags.kinds; ++at) sink(mix(fine, tags.seen[at]));
    const FeatureHash coarse = feature(kBetween + 5, ht, mt, side);
    for (int at = 0; at < morphs.kinds; ++at) sink(mix(coarse, morphs.seen[at]));
    sink(feature(kBetween + 6, hf, mf, morphs.own(), side));
}

template <class Sink>
void arc_features(const PaddedSentence& words, int head, int modifier, Sink&& sink) {
    const ArcEnds arc(words, head, modifier);
    arc_word_features(arc, sink);
    if (words.has_lemmas()) arc_lemma_features(arc, sink);
    if (words.has_morphs()) arc_morph_features(arc, sink);
    if (words.has_attributes()) arc_attribute_features(arc, sink);
    if (!arc.root) between_features(arc, sink);
}

// Two adjacent modifiers on one side of a head: `inner` (or kSideStart) is nearer than `outer` (or kSideEnd).
template <class Sink>
void sibling_features(const PaddedSentence& words, int head, int inner, int outer, bool right, Sink&& sink) {
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
void grandparent_features(const PaddedSentence& words, int grand, int head, int modifier, Sink&& sink) {
    const Atom gt = words.tag_of(grand), ht = words.tag(head), mt = words.tag(modifier);
    const Atom gw = words.word_of(grand), hw = words.word(head), mw = words.word(modifier);
    // the order of the three words
    const int order = (grand < head) + 2 * (head < modifier) + 4 * (grand < modifier) + 8 * (grand == kRoot);
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
void pair_features(const PaddedSentence& words, int head, int inner, int outer, Sink&& sink) {
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

// The heads of two adjacent words.
template <class Sink>
void bigram_features(const PaddedSentence& words, int modifier, int head_before, int head, Sink&& sink) {
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

// Adjacent siblings with the head of their head.
template <class Sink>
void grand_sibling_features(const PaddedSentence& words, int grand, int head, int inner, int outer,
                            bool right, Sink&& sink) {
    const Atom gt = words.tag_of(grand), ht = words.tag_of(head), it = words.tag_of(inner),
               ot = words.tag_of(outer);
    const int order = right + 2 * (grand < head) + 4 * (grand == kRoot);
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

// Three adjacent siblings.
template <class Sink>
void triple_features(const PaddedSentence& words, int head, int inner, int middle, int outer, bool right,
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
