#include "linear/arc_features.hpp"

namespace spindle {

PaddedSentence::PaddedSentence(const Sentence& sentence)
    : sentence_(sentence),
      size_(sentence.size()),
      tags_(size_ + 2 * kPad, kStartAtom),
      words_(size_ + 2 * kPad, kStartAtom),
      suffixes_(size_ + 2 * kPad, kStartAtom),
      lemmas_(size_ + 2 * kPad, kStartAtom),
      morphs_(size_ + 2 * kPad, kStartAtom) {
    for (int at = 0; at < size_; ++at) {
        tags_[at + kPad] = sentence.tag(at);
        words_[at + kPad] = sentence[at].lower;
        suffixes_[at + kPad] = sentence[at].suffix[2] ? sentence[at].suffix[2] : sentence[at].lower;
        lemmas_[at + kPad] = sentence[at].lemma;
        morphs_[at + kPad] = sentence[at].morph;
        has_lemmas_ |= sentence[at].lemma != 0;
        has_morphs_ |= sentence[at].morph != 0;
        has_attributes_ |= !sentence.attributes(at).empty();
    }
    for (int at = 0; at < kPad; ++at) {
        tags_[size_ + kPad + at] = kEndAtom;
        words_[size_ + kPad + at] = kEndAtom;
    }
}

}  // namespace spindle
