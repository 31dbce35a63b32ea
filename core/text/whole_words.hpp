// What is one word in any language: addresses, e-mail, paths, file names, dates and times in digits,
// hashtags, mentions, emoticons, pictograms, flags.
#pragma once

#include <cstddef>
#include <vector>

#include "text/characters.hpp"

namespace spindle {

struct CharRange {
    std::size_t begin, end;
};

// The words in the piece [begin, end), which has no blanks, in ascending order. The time is linear.
void find_whole_words(const Characters& text, std::size_t begin, std::size_t end,
                      std::vector<CharRange>& found);

}  // namespace spindle
