// A sentence as the statistical models see it: per word a few hashed strings, computed once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "linear/hashing.hpp"

namespace spindle {

struct WordAtoms {
    Atom form = 0;        // the form as it stands
    Atom lower = 0;       // lower-cased, digits all alike
    Atom lemma = 0;       // 0 where the treebank has none
    Atom morph = 0;       // likewise
    Atom shape = 0;       // Xxx-dd
    Atom prefix[5] = {};  // 1 to 5 characters
    Atom suffix[6] = {};  // 1 to 6 characters
    bool has_digit = false, has_upper = false, has_hyphen = false, is_punctuation = false;
};

// What stands where there is no word: before the first, after the last, above the root.
enum : Atom { kStart = 2, kEnd = 3, kAbove = 4 };

class Sentence {
  public:
    // Strings are UTF-8; lemmas and morphs may be empty vectors, or hold empty strings.
    Sentence(const std::vector<std::string>& forms, const std::vector<std::string>& lemmas,
             const std::vector<std::string>& morphs);

    int size() const { return static_cast<int>(words_.size()); }
    const WordAtoms& operator[](int position) const { return words_[position]; }

    // Tags are set apart, because the tagger predicts them: hashed strings, one a word.
    void set_tags(const std::vector<std::string>& tags);
    Atom tag(int position) const {
        return position < 0 ? kStart : position >= size() ? kEnd : tags_[position];
    }
    Atom form(int position) const {
        return position < 0 ? kStart : position >= size() ? kEnd : words_[position].form;
    }
    Atom lower(int position) const {
        return position < 0 ? kStart : position >= size() ? kEnd : words_[position].lower;
    }

  private:
    std::vector<WordAtoms> words_;
    std::vector<Atom> tags_;
};

}  // namespace spindle
