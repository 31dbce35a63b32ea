// A sentence as the linear models see it: a few hashed strings per word, computed once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "linear/hashing.hpp"

namespace spindle {

struct WordAtoms {
    Atom form = 0;        // the form as it stands
    Atom lower = 0;       // lower-cased, all digits replaced by 0
    Atom lemma = 0;       // 0 where the treebank has none
    Atom morph = 0;       // likewise
    Atom shape = 0;       // Xxx-dd
    Atom prefix[5] = {};  // 1 to 5 characters; 0 where the word is shorter
    Atom suffix[6] = {};  // 1 to 6 characters; likewise
    bool has_digit = false, has_upper = false, has_hyphen = false;
};

// The atoms where there is no word: before the first, after the last, above the root, beside an outermost
// sibling.
enum : Atom { kStartAtom = 2, kEndAtom = 3, kRootAtom = 4, kNoSiblingAtom = 7 };

class Sentence {
  public:
    // Strings are UTF-8; lemmas and morphs may be empty vectors, or hold empty strings.
    Sentence(const std::vector<std::string>& forms, const std::vector<std::string>& lemmas,
             const std::vector<std::string>& morphs);

    int size() const { return static_cast<int>(words_.size()); }
    const WordAtoms& operator[](int position) const { return words_[position]; }

    // Tags are set later, because the tagger predicts them.
    void set_tags(const std::vector<std::string>& tags);
    Atom tag(int position) const {
        return position < 0 ? kStartAtom : position >= size() ? kEndAtom : tags_[position];
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
