// A sentence as the linear models see it: a few hashed strings per word, computed once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linear/hashing.hpp"

namespace spindle {

// More are left out; no treebank that we know has more.
inline constexpr int kMostAttributes = 8;

// The attributes of a word's morphology: `case=nom` and `num=sg` of `case=nom|num=sg`.
struct Attributes {
    Atom atoms[kMostAttributes] = {};
    int count = 0;
};

// Splits morphology into its attributes: at `|` if it has one, else at other punctuation, as in
// `N(soort,ev,basis)` and `3.Sg.Pres.Ind`.
Attributes split_attributes(std::string_view text);

struct WordAtoms {
    Atom form = 0;        // the form as it stands
    Atom lower = 0;       // lower-cased, all digits replaced by 0
    Atom lemma = 0;       // 0 where the treebank has none
    Atom morph = 0;       // likewise
    Atom shape = 0;       // Xxx-dd
    Atom prefix[5] = {};  // 1 to 5 characters; 0 where the word is shorter
    Atom suffix[6] = {};  // 1 to 6 characters; likewise
    bool has_digit = false, has_upper = false, has_hyphen = false;
    Attributes attributes;  // of the morphology, if the sentence was made with attributes
};

// The atoms where there is no word: before the first, after the last, above the root, beside an outermost
// sibling.
enum : Atom { kStartAtom = 2, kEndAtom = 3, kRootAtom = 4, kNoSiblingAtom = 7 };

class Sentence {
  public:
    // Strings are UTF-8; lemmas and morphs may be empty vectors, or hold empty strings. Models that were
    // trained without attributes need sentences without them.
    Sentence(const std::vector<std::string>& forms, const std::vector<std::string>& lemmas,
             const std::vector<std::string>& morphs, bool with_attributes);

    int size() const { return static_cast<int>(words_.size()); }
    const WordAtoms& operator[](int position) const { return words_[position]; }

    // Tags are set later, because the tagger predicts them.
    void set_tags(const std::vector<std::string>& tags);
    Atom tag(int position) const {
        return position < 0 ? kStartAtom : position >= size() ? kEndAtom : tags_[position];
    }
    std::span<const Atom> attributes(int position) const {
        if (position < 0 || position >= size()) return {};
        const Attributes& found = words_[position].attributes;
        return {found.atoms, static_cast<std::size_t>(found.count)};
    }
    Atom lower(int position) const {
        return position < 0 ? kStartAtom : position >= size() ? kEndAtom : words_[position].lower;
    }

  private:
    std::vector<WordAtoms> words_;
    std::vector<Atom> tags_;
};

using Sentences = std::vector<const Sentence*>;

}  // namespace spindle
