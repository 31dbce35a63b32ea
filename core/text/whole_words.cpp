#include "text/whole_words.hpp"

#include <array>
#include <string_view>

namespace spindle {

namespace {

// The characters of an emoticon: eyes, perhaps a nose, a mouth.
constexpr std::u32string_view kEyes = U":;=";
constexpr std::u32string_view kNoses = U"-'^";
constexpr std::u32string_view kMouths = U")(]DPpOo/\\|*3";
constexpr std::u32string_view kAfterAddress = U".,;:?!\"'”’»)]}>…*";

bool is_in(std::u32string_view set, std::uint32_t code) {
    return set.find(static_cast<char32_t>(code)) != std::u32string_view::npos;
}

class Finder {
  public:
    Finder(const Characters& text, std::size_t begin, std::size_t end)
        : text_(text), begin_(begin), end_(end) {}

    void find(std::vector<CharRange>& found) {
        std::size_t at = begin_;
        while (at < end_) {
            const std::size_t last = match(at);
            if (last > at) {
                found.push_back({at, last});
                at = last;
            } else {
                ++at;
            }
        }
    }

  private:
    std::uint32_t code(std::size_t at) const { return at < end_ ? text_.codes[at] : 0; }
    CharClass of(std::size_t at) const { return at < end_ ? text_.of(at) : CharClass::kBlank; }

    // The end of the word that starts here; `at` itself if there is none.
    std::size_t match(std::size_t at) {
        if (of(at) == CharClass::kPictogram) return pictogram(at);
        if (of(at) == CharClass::kRegional && of(at + 1) == CharClass::kRegional) return at + 2;
        if (const std::size_t end = keycap(at); end > at) return end;
        const bool starts_word = at == begin_ || !is_word(of(at - 1));
        if (!starts_word) return at;
        if (is_alphabetic(of(at)) && address_starts(at)) return trimmed(at, end_);
        if (is_word(of(at))) {
            if (const std::size_t end = date(at); end > at) return end;
            if (const std::size_t end = clock_time(at); end > at) return end;
            if (const std::size_t end = mail(at); end > at) return end;
            if (const std::size_t end = name(at); end > at) return end;
        }
        if (path_starts(at)) return trimmed(at, end_);
        if ((code(at) == '#' || code(at) == '@') && is_alphabetic(of(at + 1))) return tag(at);
        return emoticon(at);
    }

    std::size_t pictogram(std::size_t at) const {
        ++at;
        while (at < end_ && (of(at) == CharClass::kMark || of(at) == CharClass::kJoiner)) {
            const bool joins = of(at) == CharClass::kJoiner;
            ++at;
            if (joins && of(at) == CharClass::kPictogram) ++at;
        }
        return at;
    }

    std::size_t keycap(std::size_t at) const {  // 1️⃣ is a digit, a variation selector, U+20E3
        if (of(at) != CharClass::kDigit && code(at) != '#' && code(at) != '*') return at;
        const std::size_t cap = code(at + 1) == 0xFE0F ? at + 2 : at + 1;
        return code(cap) == 0x20E3 ? cap + 1 : at;
    }

    bool says(std::size_t at, std::u32string_view word) const {
        for (const char32_t letter : word) {
            if (at >= end_ || text_.plain[at] != letter) return false;
            ++at;
        }
        return true;
    }

    bool address_starts(std::size_t at) const {
        for (const std::u32string_view start :
             {U"http://", U"https://", U"ftp://", U"www.", U"doi:", U"mailto:"})
            if (says(at, start) && at + start.size() < end_ && is_word(of(at + start.size()))) return true;
        return false;
    }

    // Marks at the end of an address belong to the sentence, and so do brackets that it does not open.
    std::size_t trimmed(std::size_t begin, std::size_t end) const {
        for (std::size_t at = begin; at < end; ++at)
            if (is_in(U"<>\"“”»", code(at))) end = at;
        long depth = 0;
        for (std::size_t at = begin; at < end; ++at) {
            depth += of(at) == CharClass::kOpen;
            depth -= of(at) == CharClass::kClose;
        }
        while (end > begin && is_in(kAfterAddress, code(end - 1))) {
            if (of(end - 1) == CharClass::kClose && depth++ >= 0) break;
            --end;
        }
        return end;
    }

    std::size_t mail(std::size_t at) {
        if (at < no_mail_before_) return at;
        std::size_t sign = at;
        while (sign < end_ && (is_word(of(sign)) || is_in(U".+-_%", code(sign)))) ++sign;
        if (code(sign) != '@') {
            no_mail_before_ = sign;  // no word up to there starts an address, so none is tried again
            return at;
        }
        std::size_t end = sign + 1;
        std::size_t last_word = 0;
        bool has_dot = false;
        for (; end < end_ && (is_word(of(end)) || is_in(U".-_", code(end))); ++end) {
            if (!is_word(of(end))) continue;
            has_dot |= end > sign + 2 && code(end - 1) == '.';
            last_word = end + 1;
        }
        return has_dot ? last_word : at;
    }

    // A date in digits: `03/04/2022`.
    std::size_t date(std::size_t at) const {
        if (at > begin_ && of(at - 1) == CharClass::kSlash) return at;
        std::size_t end = at;
        for (int number = 0; number < 3; ++number) {
            if (number > 0 && code(end++) != '/') return at;
            const std::size_t start = end;
            while (of(end) == CharClass::kDigit) ++end;
            if (end == start || end - start > 4) return at;
        }
        return is_word(of(end)) || of(end) == CharClass::kSlash ? at : end;
    }

    // A time of the day: `8:15`, `23:59:59`. `1:50` may be a ratio, `1:10,000` is one.
    std::size_t clock_time(std::size_t at) const {
        if (at > begin_ && is_in(U":.,", code(at - 1))) return at;
        std::size_t end = at;
        while (of(end) == CharClass::kDigit) ++end;
        const std::size_t digits = end - at;
        if (digits == 0 || digits > 2 || (digits == 2 ? code(at) > '2' : code(at) == '1')) return at;
        int parts = 1;
        for (; code(end) == ':' && is_minute(end + 1); ++parts) end += 3;
        const bool goes_on = is_in(U":.,", code(end)) && of(end + 1) == CharClass::kDigit;
        return parts == 1 || parts > 3 || of(end) == CharClass::kDigit || goes_on ? at : end;
    }

    bool is_minute(std::size_t at) const {
        return code(at) >= '0' && code(at) <= '5' && of(at + 1) == CharClass::kDigit;
    }

    // The name of a file, of a site with a path, or of a variable: `old_copy.txt`, `docs/a.html`, `x.org/a`.
    std::size_t name(std::size_t at) {
        if (at < no_name_before_) return at;
        std::size_t end = at, last_word = at, slash = end_, dot = end_;
        bool has_underscore = false, has_slash = false, has_site = false;
        for (; end < end_ && (is_word(of(end)) || is_in(U"._-/", code(end))); ++end) {
            if (is_word(of(end))) {
                has_underscore |= code(end - (end > at)) == '_';
                last_word = end + 1;
                continue;
            }
            if (code(end) == '/') {
                has_site |= !has_slash && is_word(of(end + 1)) && is_suffix(dot, end) && end - dot > 2;
                has_slash = true;
                slash = end;
                dot = end_;
            } else if (code(end) == '.' && is_word(of(end + 1))) {
                dot = end;
            }
        }
        if (has_site) return trimmed(at, end_);
        const bool is_file = has_slash && dot < last_word && dot - slash > 2 && is_suffix(dot, last_word);
        if (is_file || has_underscore) return last_word;
        no_name_before_ = end;
        return at;
    }

    // Whether the text from a dot to `end` is like the `.org` of a site or the `.html` of a file.
    bool is_suffix(std::size_t dot, std::size_t end) const {
        if (dot >= end || end - dot < 2 || end - dot > 6 || of(dot + 1) != CharClass::kLower) return false;
        for (std::size_t at = dot + 1; at < end; ++at)
            if (of(at) != CharClass::kLower && of(at) != CharClass::kDigit) return false;
        return true;
    }

    // `/etc/hosts`, `~/notes`, `./run`, `../run`, `C:\notes`, after nothing or an opening mark.
    bool path_starts(std::size_t at) const {
        if (at > begin_ && !is_in(U"([{<\"'“‘`=", code(at - 1))) return false;
        if (is_alphabetic(of(at))) return code(at + 1) == ':' && code(at + 2) == '\\';
        std::size_t slash = at;
        while (slash < at + 2 && code(slash) == '.') ++slash;
        if (slash == at && code(at) == '~') ++slash;
        if (code(slash) != '/') return false;
        if (slash > at) return is_word(of(slash + 1)) || code(slash + 1) == '.';
        std::size_t end = at + 1;
        while (end < end_ && is_word(of(end))) ++end;
        return end > at + 1 && code(end) == '/' && is_word(of(end + 1));
    }

    std::size_t tag(std::size_t at) const {
        const bool has_dots = code(at) == '@';
        std::size_t end = at + 1;
        while (end < end_ && (is_word(of(end)) || code(end) == '_' ||
                              (has_dots && code(end) == '.' && of(end + 1) == CharClass::kLower)))
            ++end;
        return end;
    }

    std::size_t emoticon(std::size_t at) const {
        std::size_t end = at;
        if (code(at) == '<' && code(at + 1) == '3') {
            end = at + 2;
        } else if (is_in(kEyes, code(at))) {
            const std::size_t mouth = is_in(kNoses, code(at + 1)) ? at + 2 : at + 1;
            if (mouth >= end_ || !is_in(kMouths, code(mouth))) return at;
            end = mouth + 1;
        }
        // `:)` may follow a word; everything else must stand alone, or `a:b/c` would have a face
        const bool is_alone = at == begin_ || !is_word(of(at - 1));
        const bool ends = end == end_ || !is_word(of(end));
        return is_alone && ends ? end : at;
    }

    const Characters& text_;
    std::size_t begin_, end_;
    std::size_t no_mail_before_ = 0, no_name_before_ = 0;
};

}  // namespace

void find_whole_words(const Characters& text, std::size_t begin, std::size_t end,
                      std::vector<CharRange>& found) {
    Finder(text, begin, end).find(found);
}

}  // namespace spindle
