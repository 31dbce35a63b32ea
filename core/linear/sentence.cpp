#include "linear/sentence.hpp"

#include <iterator>
#include <stdexcept>

namespace spindle {

namespace {

// Where the characters of a UTF-8 string begin, and its end.
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

// Upper case outside ASCII, for the alphabets where it is one bit or a shift away: Latin-1 (À–Þ), Greek and
// Cyrillic. Two-byte sequences suffice for these.
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

// Runs of one kind of character shortened to two: "McDonald-1984" is "XxXxx-dd".
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

Atom atom_or_none(const std::vector<std::string>& strings, std::size_t at) {
    return strings.empty() || strings[at].empty() ? 0 : atom(strings[at]);
}

}  // namespace

Sentence::Sentence(const std::vector<std::string>& forms, const std::vector<std::string>& lemmas,
                   const std::vector<std::string>& morphs)
    : words_(forms.size()), tags_(forms.size(), 0) {
    if ((!lemmas.empty() && lemmas.size() != forms.size()) ||
        (!morphs.empty() && morphs.size() != forms.size()))
        throw std::invalid_argument("lemmas and morphology must be as many as there are words, or none");
    for (std::size_t at = 0; at < forms.size(); ++at) {
        const std::string& form = forms[at];
        WordAtoms& word = words_[at];
        const std::string low = lowered(form);
        const std::vector<std::size_t> places = boundaries(low);
        const std::size_t letters = places.size() - 1;
        word.form = atom(form);
        word.lower = atom(low);
        word.lemma = atom_or_none(lemmas, at);
        word.morph = atom_or_none(morphs, at);
        const std::string shape = shape_of(form);
        word.shape = atom(shape);
        for (std::size_t length = 1; length <= std::size(word.prefix) && length <= letters; ++length)
            word.prefix[length - 1] = atom(std::string_view(low).substr(0, places[length]));
        for (std::size_t length = 1; length <= std::size(word.suffix) && length <= letters; ++length)
            word.suffix[length - 1] = atom(std::string_view(low).substr(places[letters - length]));
        word.is_punctuation = true;
        for (const char kind : shape) {
            word.has_digit |= kind == 'd';
            word.has_upper |= kind == 'X';
            word.has_hyphen |= kind == '-';
            word.is_punctuation &= kind != 'd' && kind != 'X' && kind != 'x';
        }
    }
}

void Sentence::set_tags(const std::vector<std::string>& tags) {
    if (tags.size() != words_.size()) throw std::invalid_argument("tags must be as many as there are words");
    for (std::size_t at = 0; at < tags.size(); ++at) tags_[at] = tags[at].empty() ? 0 : atom(tags[at]);
}

}  // namespace spindle
