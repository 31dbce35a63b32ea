#include "linear/sentence.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "support/checks.hpp"

namespace spindle {

namespace {

// The offsets at which the characters of a UTF-8 string begin, and its length.
std::vector<std::size_t> boundaries(const std::string& text) {
    std::vector<std::size_t> places;
    for (std::size_t at = 0; at < text.size(); ++at)
        if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80) places.push_back(at);
    places.push_back(text.size());
    return places;
}

bool is_digit(unsigned char letter) { return letter >= '0' && letter <= '9'; }
bool is_upper(unsigned char letter) { return letter >= 'A' && letter <= 'Z'; }
bool is_lower(unsigned char letter) { return letter >= 'a' && letter <= 'z'; }

// Whether a two-byte sequence is an upper-case letter of Latin-1 (À–Þ), Greek or Cyrillic.
bool is_upper_pair(unsigned char first, unsigned char second) {
    if (first == 0xC3) return second >= 0x80 && second <= 0x9E && second != 0x97;
    if (first == 0xCE) return second >= 0x91 && second <= 0xA9;
    if (first == 0xD0) return second >= 0x80 && second <= 0xAF;
    return false;
}

std::string lowered(const std::string& form) {
    std::string text = form;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto letter = static_cast<unsigned char>(text[at]);
        if (is_upper(letter)) {
            text[at] = static_cast<char>(letter + 32);
        } else if (is_digit(letter)) {
            text[at] = '0';
        } else if (letter == 0xC3 && at + 1 < text.size() &&
                   is_upper_pair(letter, static_cast<unsigned char>(text[at + 1]))) {
            text[at + 1] = static_cast<char>(text[at + 1] + 0x20);
            ++at;
        }
    }
    return text;
}

// The kinds of characters, runs of one kind shortened to two: the shape of "McDonald-1984" is "XxXxx-dd".
std::string shape_of(const std::string& form) {
    std::string shape;
    char last = 0;
    int run = 0;
    for (std::size_t at = 0; at < form.size(); ++at) {
        const auto letter = static_cast<unsigned char>(form[at]);
        if ((letter & 0xC0) == 0x80) continue;
        char kind = form[at];
        if (is_digit(letter)) {
            kind = 'd';
        } else if (is_upper(letter)) {
            kind = 'X';
        } else if (is_lower(letter)) {
            kind = 'x';
        } else if (letter >= 0x80) {
            const auto next = at + 1 < form.size() ? static_cast<unsigned char>(form[at + 1]) : 0;
            kind = is_upper_pair(letter, next) ? 'X' : 'x';
        }
        run = kind == last ? run + 1 : 1;
        last = kind;
        if (run <= 2) shape.push_back(kind);
    }
    return shape;
}

void check_column(std::size_t size, const char* name, std::size_t words) {
    if (size > 0) check_same_length(size, name, words, "words");
}

WordAtoms hashed_word(const std::string& form) {
    WordAtoms word;
    const std::string low = lowered(form), shape = shape_of(form);
    const std::vector<std::size_t> places = boundaries(low);
    const std::size_t letters = places.size() - 1;
    word.form = atom(form);
    word.lower = atom(low);
    word.shape = atom(shape);
    for (std::size_t length = 1; length <= std::size(word.prefix) && length <= letters; ++length)
        word.prefix[length - 1] = atom(std::string_view(low).substr(0, places[length]));
    for (std::size_t length = 1; length <= std::size(word.suffix) && length <= letters; ++length)
        word.suffix[length - 1] = atom(std::string_view(low).substr(places[letters - length]));
    for (const char kind : shape) {
        word.has_digit |= kind == 'd';
        word.has_upper |= kind == 'X';
        word.has_hyphen |= kind == '-';
    }
    return word;
}

}  // namespace

Attributes split_attributes(std::string_view text) {
    const bool has_bar = text.find('|') != std::string_view::npos;
    const std::string_view separators = has_bar ? "|" : "-.,:;()[]";
    Attributes found;
    for (std::size_t start = 0; start < text.size() && found.count < kMostAttributes;) {
        const std::size_t end = std::min(text.find_first_of(separators, start), text.size());
        if (end > start) found.atoms[found.count++] = atom(text.substr(start, end - start));
        start = end + 1;
    }
    return found;
}

Sentence::Sentence(const std::vector<std::string>& forms, const std::vector<std::string>& lemmas,
                   const std::vector<std::string>& morphs, bool with_attributes)
    : tags_(forms.size(), 0) {
    check_column(lemmas.size(), "lemmas", forms.size());
    check_column(morphs.size(), "morphs", forms.size());
    words_.reserve(forms.size());
    for (std::size_t at = 0; at < forms.size(); ++at) {
        words_.push_back(hashed_word(forms[at]));
        if (!lemmas.empty()) words_[at].lemma = atom(lemmas[at]);
        if (!morphs.empty()) words_[at].morph = atom(morphs[at]);
        if (with_attributes && !morphs.empty()) words_[at].attributes = split_attributes(morphs[at]);
    }
}

void Sentence::set_tags(const std::vector<std::string>& tags) {
    check_same_length(tags.size(), "tags", words_.size(), "words");
    for (std::size_t at = 0; at < tags.size(); ++at) tags_[at] = atom(tags[at]);
}

}  // namespace spindle
