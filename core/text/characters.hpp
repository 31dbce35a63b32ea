// A text as the boundary models see it: its characters, a normalized copy, and the class of every character.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

namespace spindle {

// The numbers are those of spindle.text.characters, which derives them from Unicode's categories.
enum class CharClass : std::uint8_t {
    kOther,
    kBlank,
    kBreak,  // a blank at which a sentence always ends
    kUpper,
    kLower,
    kLetter,  // a letter without case
    kMark,    // belongs to the character before it: combining marks, joiners, variation selectors
    kDigit,
    kOpen,
    kClose,
    kQuote,
    kApostrophe,
    kStop,
    kFinal,  // ? ! …
    kComma,
    kDash,
    kSlash,
    kCurrency,
    kMath,
    kPictogram,
    kRegional,  // letters of flags
    kJoiner,    // joins the pictograms beside it
};

inline bool is_blank(CharClass one) { return one == CharClass::kBlank || one == CharClass::kBreak; }

inline bool is_alphabetic(CharClass one) {
    return one == CharClass::kUpper || one == CharClass::kLower || one == CharClass::kLetter;
}

inline bool is_word(CharClass one) {
    return is_alphabetic(one) || one == CharClass::kDigit || one == CharClass::kMark;
}

struct Characters {
    std::span<const std::uint32_t> codes;
    std::span<const std::uint32_t> plain;  // lower case, digits as 0, straight apostrophes
    std::span<const std::uint8_t> classes;

    std::size_t size() const { return codes.size(); }
    CharClass of(std::size_t at) const { return static_cast<CharClass>(classes[at]); }

    void check() const {
        if (plain.size() != codes.size() || classes.size() != codes.size())
            throw std::invalid_argument("characters, plain characters and classes differ in number");
    }
};

}  // namespace spindle
