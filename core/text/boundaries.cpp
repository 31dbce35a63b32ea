#include "text/boundaries.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "support/random.hpp"
#include "text/whole_words.hpp"

namespace spindle {

namespace {

using Hash = std::uint64_t;
constexpr std::size_t kMostFeatures = 80;
using Features = FeatureList<kMostFeatures>;
constexpr std::uint64_t kTokenFeatures = 1000, kSentenceFeatures = 2000;

std::uint64_t number(CharClass one) { return static_cast<std::uint64_t>(one); }
std::uint64_t number(bool one) { return one ? 1 : 0; }

std::uint64_t bucket(std::size_t count) {
    if (count < 4) return count;
    return count < 7 ? 4 : count < 16 ? 5 : count < 31 ? 6 : 7;
}

// ── tokens ───────────────────────────────────────────────────────────────────────────────────────────

// The hashes of the stretches that end before, or begin at, every place of a piece.
struct PieceHashes {
    std::vector<Hash> run_before, prefix, run_after, suffix;

    void fill(const Characters& text, std::size_t begin, std::size_t end) {
        const std::size_t size = end - begin;
        for (auto* one : {&run_before, &prefix, &run_after, &suffix}) one->assign(size + 1, 0);
        bool in_core = false;  // opening marks are no part of the prefix
        for (std::size_t at = 0; at < size; ++at) {
            const bool word = is_word(text.of(begin + at));
            in_core |= word;
            const std::uint32_t letter = text.plain[begin + at];
            run_before[at + 1] = word ? mix(run_before[at], letter) : 0;
            prefix[at + 1] = in_core ? mix(prefix[at], letter) : 0;
        }
        for (std::size_t at = size; at-- > 0;) {
            const std::uint32_t letter = text.plain[begin + at];
            run_after[at] = is_word(text.of(begin + at)) ? mix(run_after[at + 1], letter) : 0;
            suffix[at] = mix(suffix[at + 1], letter);
        }
    }
};

class Tokenizer {
  public:
    Tokenizer(const Characters& text, const WordKinds& kinds) : text_(text), kinds_(kinds) {}

    // Calls decide(place, features) for every possible token boundary inside a piece.
    template <class Decide>
    Boundaries run(Decide&& decide) {
        Boundaries found;
        std::size_t at = 0;
        while (at < text_.size()) {
            if (is_blank(text_.of(at))) {
                ++at;
                continue;
            }
            std::size_t end = at;
            bool is_plain = true;
            for (; end < text_.size() && !is_blank(text_.of(end)); ++end)
                is_plain &= is_alphabetic(text_.of(end));
            cut(at, end, is_plain, decide, found);
            at = end;
        }
        return found;
    }

  private:
    template <class Decide>
    void cut(std::size_t begin, std::size_t end, bool is_plain, Decide&& decide, Boundaries& found) {
        begin_ = begin, end_ = end, token_begin_ = begin;
        found.begins.push_back(static_cast<std::uint32_t>(begin));
        const auto split = [&](std::size_t at) {
            found.ends.push_back(static_cast<std::uint32_t>(at));
            found.begins.push_back(static_cast<std::uint32_t>(at));
            token_begin_ = at;
        };
        if (is_plain) {
            const std::uint32_t place = split_place(begin, end);
            if (place && begin + place < end) split(begin + place);
        } else {
            hashes_.fill(text_, begin, end);
            look_ahead();
            whole_.clear();
            find_whole_words(text_, begin, end, whole_);
            auto whole = whole_.begin();
            std::size_t planned = 0;  // where the run of letters at hand is split, by the list of words
            for (std::size_t at = begin; at < end; ++at) {
                while (whole != whole_.end() && whole->end < at) ++whole;
                if (at > begin) {
                    if (whole != whole_.end() && (whole->begin == at || whole->end == at)) {
                        split(at);
                    } else if (whole != whole_.end() && whole->begin < at && at < whole->end) {
                        continue;
                    } else if (at == planned || (is_candidate(at) && decide(at, features(at)))) {
                        split(at);
                    }
                }
                const bool starts_run =
                    is_alphabetic(text_.of(at)) && (at == begin || !is_word(text_.of(at - 1)));
                if (starts_run) planned = at + run_split(at);
            }
        }
        found.ends.push_back(static_cast<std::uint32_t>(end));
    }

    std::uint32_t split_place(std::size_t begin, std::size_t end) const {
        if (end - begin > WordKinds::kSplitMask + 8) return 0;
        return kinds_.of(WordKinds::key(text_.plain.subspan(begin, end - begin))) & WordKinds::kSplitMask;
    }

    std::size_t run_split(std::size_t begin) const {
        std::size_t end = begin;
        while (end < end_ && end - begin < 24 && is_alphabetic(text_.of(end))) ++end;
        if (end < end_ && (is_word(text_.of(end)) || text_.of(end) == CharClass::kApostrophe)) return 0;
        const std::uint32_t place = split_place(begin, end);
        return place < end - begin ? place : 0;
    }

    std::uint32_t letter(std::size_t at) const { return at >= begin_ && at < end_ ? text_.plain[at] : 0; }
    CharClass of(std::size_t at) const {
        return at >= begin_ && at < end_ ? text_.of(at) : CharClass::kBlank;
    }

    bool is_candidate(std::size_t at) const {
        const CharClass left = of(at - 1), right = of(at);
        if (right == CharClass::kMark || right == CharClass::kJoiner || left == CharClass::kJoiner)
            return false;
        if (!is_word(left) || !is_word(right)) return true;
        if (is_alphabetic(left) && is_alphabetic(right)) return of(at + 1) == CharClass::kApostrophe;
        return (left == CharClass::kDigit) != (right == CharClass::kDigit);
    }

    // How many letters at its start the piece shares with the next one, as a cut-off word does: `th- they`.
    std::uint64_t shared_start() const {
        std::uint64_t count = 0;
        while (count < 3 && begin_ + count < end_ && next_begin_ + count < text_.size() &&
               is_word(text_.of(begin_ + count)) &&
               text_.plain[begin_ + count] == text_.plain[next_begin_ + count])
            ++count;
        return count;
    }

    // What follows the piece.
    void look_ahead() {
        std::size_t at = end_;
        while (at < text_.size() && text_.of(at) == CharClass::kBlank) ++at;
        next_class_ = CharClass::kBreak;
        next_run_ = 0;
        next_begin_ = text_.size();
        if (at == text_.size() || text_.of(at) == CharClass::kBreak) return;
        next_class_ = text_.of(at);
        next_begin_ = at;
        const std::size_t most = std::min(text_.size(), at + 20);
        Hash run = 0;
        for (; at < most && is_word(text_.of(at)); ++at) run = mix(run, text_.plain[at]);
        next_run_ = run;
    }

    const Features& features(std::size_t at) {
        const std::uint64_t a = letter(at - 1), b = letter(at), z = letter(at - 2), c = letter(at + 1);
        const std::uint64_t y = letter(at - 3), d = letter(at + 2);
        const std::uint64_t A = number(of(at - 1)), B = number(of(at)), Z = number(of(at - 2));
        const std::uint64_t C = number(of(at + 1)), Y = number(of(at - 3)), D = number(of(at + 2));
        const std::size_t place = at - begin_, size = end_ - begin_;
        const Hash left =
            hashes_.run_before[place] ? hashes_.run_before[place] : hashes_.run_before[place - 1];
        const Hash right = hashes_.run_after[place] ? hashes_.run_after[place] : hashes_.run_after[place + 1];
        const Hash prefix = hashes_.prefix[place], suffix = hashes_.suffix[place];
        const std::uint64_t kinds = kinds_.of(prefix) >> WordKinds::kSplitBits;
        const std::uint64_t next = number(next_class_),
                            next_kinds = kinds_.of(next_run_) >> WordKinds::kSplitBits;
        const std::uint64_t before = bucket(place), after = bucket(size - place);
        const bool starts_upper = of(begin_) == CharClass::kUpper;
        std::uint64_t kind = kTokenFeatures;
        list_.clear();
        const auto add = [&](auto... values) { list_.add(kind++, values...); };
        add(a, b);
        add(A, B);
        add(a, B);
        add(A, b);
        add(z, a, b);
        add(a, b, c);
        add(z, a, b, c);
        add(y, z, a, b);
        add(a, b, c, d);
        add(Z, A, B, C);
        add(Y, Z, A, B, C, D);
        add(Z, a, b, C);
        add(left, b);
        add(left, a, b);
        add(a, right);
        add(a, b, right);
        add(left, right, a, b);
        add(left, b, C);
        add(Z, a, right);
        add(prefix, b);
        add(a, suffix);
        add(prefix, suffix);
        add(prefix, b, after);
        add(suffix, before, A);
        add(kinds, b, after);
        add(kinds, b, after, next, number(starts_upper));
        add(before, after, A, B);
        add(a, b, before);
        add(a, b, after);
        add(b, after, next);
        add(A, b, after, next, next_kinds);
        add(left, b, after, next);
        add(b, after, next_run_);
        add(a, b, next, after, number(starts_upper), before);
        add(A, B, C, before, after);
        // The latest decision: both sides of a hyphen are boundaries, or none of them.
        const std::uint64_t since = std::min<std::size_t>(at - token_begin_, 2);
        const bool starts_line =
            begin_ == 0 || text_.of(begin_ - 1) == CharClass::kBreak || text_.codes[begin_ - 1] == '\n';
        add(since, a, B);
        add(since, a, b, C);
        add(since, a, right);
        add(since, z, a, b);
        add(a, b, after, next, shared_start());
        add(A, B, before, after, number(starts_line));
        // Words that the training texts have often: `th-` is cut off, `two-` is not.
        const std::uint64_t known = kinds_.frequent(left) | kinds_.frequent(right) << 2 |
                                    kinds_.frequent(prefix) << 4 | kinds_.frequent(next_run_) << 6;
        add(known, a, b, after, next);
        add(known, A, B, C, std::min<std::size_t>(after, 2));
        add(known, z, a, b, after);
        return list_;
    }

    const Characters& text_;
    const WordKinds& kinds_;
    std::size_t begin_ = 0, end_ = 0, token_begin_ = 0, next_begin_ = 0;
    PieceHashes hashes_;
    std::vector<CharRange> whole_;
    CharClass next_class_ = CharClass::kBreak;
    Hash next_run_ = 0;
    Features list_;
};

// ── sentences ────────────────────────────────────────────────────────────────────────────────────────

enum class Gap : std::uint8_t { kNone, kBlank, kWide, kBreak };

struct TokenShape {
    Hash word = 0, bare = 0;  // `bare` is without a full stop at the end
    CharClass first = CharClass::kBreak, last = CharClass::kBreak;
    std::uint32_t code = 0, last_code = 0;
    std::uint8_t length = 0;
    bool all_upper = false;

    std::uint64_t shape() const {
        return number(first) | number(last) << 5 | static_cast<std::uint64_t>(length) << 10 |
               number(all_upper) << 14;
    }
    bool ends_with_stop() const { return last == CharClass::kStop && length > 1; }
};

class SentenceSplitter {
  public:
    SentenceSplitter(const Characters& text, const WordKinds& kinds, const Boundaries& tokens)
        : text_(text), kinds_(kinds), tokens_(tokens) {
        const std::size_t count = tokens.begins.size();
        shapes_.reserve(count);
        gaps_.reserve(count);
        for (std::size_t at = 0; at < count; ++at) {
            shapes_.push_back(shape_of(tokens.begins[at], tokens.ends[at]));
            gaps_.push_back(at + 1 < count ? gap_of(tokens.ends[at], tokens.begins[at + 1]) : Gap::kBreak);
        }
    }

    // Calls decide(token, features) for every token before which a sentence may start.
    template <class Decide>
    std::vector<std::uint32_t> run(Decide&& decide) {
        std::vector<std::uint32_t> starts;
        const std::size_t count = shapes_.size();
        for (std::size_t at = 0; at < count; ++at) {
            const bool is_start = at == 0 || gaps_[at - 1] == Gap::kBreak ||
                                  (is_candidate(at - 1) && decide(at, features(at - 1)));
            if (is_start) {
                starts.push_back(static_cast<std::uint32_t>(at));
                start_ = at;
            }
            if (at == 0 || gaps_[at - 1] == Gap::kBreak) start_paragraph(at);
            quotes_ ^= shapes_[at].code == '"' && shapes_[at].length == 1;
            depth_ += shapes_[at].first == CharClass::kOpen;
            depth_ -= depth_ > 0 && shapes_[at].last == CharClass::kClose;
        }
        return starts;
    }

  private:
    void start_paragraph(std::size_t at) {
        quotes_ = 0, depth_ = 0;
        paragraph_ = at, next_stop_ = at;
        paragraph_end_ = at;
        while (paragraph_end_ + 1 < shapes_.size() && gaps_[paragraph_end_] != Gap::kBreak) ++paragraph_end_;
    }

    // The number of tokens from `at` to the next full stop, question or exclamation mark of the paragraph.
    std::size_t distance_to_stop(std::size_t at) {
        next_stop_ = std::max(next_stop_, at);
        while (next_stop_ < paragraph_end_ && shapes_[next_stop_].last != CharClass::kStop &&
               shapes_[next_stop_].last != CharClass::kFinal)
            ++next_stop_;
        return next_stop_ - at;
    }

    TokenShape shape_of(std::size_t begin, std::size_t end) const {
        TokenShape one;
        one.first = text_.of(begin);
        one.last = text_.of(end - 1);
        one.code = text_.plain[begin];
        one.last_code = text_.plain[end - 1];
        one.length = static_cast<std::uint8_t>(std::min<std::size_t>(end - begin, 7));
        one.all_upper = true;
        for (std::size_t at = begin; at < end; ++at) {
            one.bare = one.word;
            one.word = mix(one.word, text_.plain[at]);
            one.all_upper &= text_.of(at) == CharClass::kUpper || text_.of(at) == CharClass::kStop;
        }
        if (!one.ends_with_stop()) one.bare = one.word;
        return one;
    }

    Gap gap_of(std::size_t begin, std::size_t end) const {
        if (begin == end) return Gap::kNone;
        const Gap gap = end - begin > 1 ? Gap::kWide : Gap::kBlank;
        bool is_line = false;
        for (std::size_t at = begin; at < end; ++at) {
            if (text_.of(at) == CharClass::kBreak) return Gap::kBreak;
            // the end of a line in a paragraph is like a blank, also if the next line is indented
            if (text_.codes[at] == '\n' || text_.codes[at] == '\r') is_line = true;
        }
        return is_line ? Gap::kBlank : gap;
    }

    static bool closes(CharClass one) {
        return one == CharClass::kClose || one == CharClass::kQuote || one == CharClass::kApostrophe;
    }
    static bool opens(CharClass one) {
        return one == CharClass::kOpen || one == CharClass::kQuote || one == CharClass::kApostrophe ||
               one == CharClass::kDash;
    }

    bool is_candidate(std::size_t at) const {
        const CharClass left = shapes_[at].last, right = shapes_[at + 1].first;
        if (gaps_[at] != Gap::kNone) return !is_word(left) || right != CharClass::kLower;
        if (is_word(left) || left == CharClass::kDash || left == CharClass::kSlash ||
            left == CharClass::kOpen)
            return false;
        return right == CharClass::kUpper || right == CharClass::kLetter || right == CharClass::kQuote ||
               right == CharClass::kOpen || right == CharClass::kPictogram;
    }

    const TokenShape& token(std::size_t at) const { return shapes_[at]; }

    const Features& features(std::size_t at) {
        static const TokenShape kNothing;
        const auto before = [&](std::size_t steps) -> const TokenShape& {
            return at >= start_ + steps ? shapes_[at - steps] : kNothing;
        };
        const auto after = [&](std::size_t steps) -> const TokenShape& {
            for (std::size_t step = 1; step < steps; ++step)
                if (at + step >= shapes_.size() || gaps_[at + step] == Gap::kBreak) return kNothing;
            return at + steps < shapes_.size() ? shapes_[at + steps] : kNothing;
        };
        std::size_t closers = 0;
        while (closers < 3 && closes(before(closers).last) && before(closers).length == 1) ++closers;
        const TokenShape& mark = before(closers);
        const bool attached = mark.ends_with_stop();
        const TokenShape& word = attached ? mark : before(closers + 1);
        std::size_t openers = 1;
        while (openers < 4 && opens(after(openers).first) && after(openers).length == 1) ++openers;
        const TokenShape& next = after(openers);
        const TokenShape& next2 = after(openers + 1);
        const std::uint64_t end = mark.last_code + (attached ? 1u << 24 : 0u) + (closers << 25);
        const std::uint64_t start = number(next.first) + (number(next.all_upper && next.length > 1) << 5) +
                                    (number(openers > 1) << 6);
        const std::uint64_t word_kinds = kinds_.of(word.bare) >> WordKinds::kSplitBits;
        const std::uint64_t next_kinds = kinds_.of(next.bare) >> WordKinds::kSplitBits;
        const std::uint64_t gap = static_cast<std::uint64_t>(gaps_[at]);
        const std::uint64_t length = bucket(at + 1 - start_);
        const std::uint64_t inside = quotes_ | (depth_ > 0 ? 2 : 0);
        const std::uint64_t last = before(0).last_code, first = after(1).code;
        std::uint64_t kind = kSentenceFeatures;
        list_.clear();
        const auto add = [&](auto... values) { list_.add(kind++, values...); };
        add(1);
        add(end);
        add(start);
        add(end, start);
        add(end, start, gap);
        add(end, start, gap, length);
        add(end, length);
        add(end, start, inside);
        add(last, first, inside);
        add(last, first);
        add(number(before(1).last), last, first, number(after(2).first));
        add(word.bare);
        add(word.bare, end);
        add(word.bare, end, start);
        add(word.shape(), end, start);
        add(word.shape(), next.shape(), end);
        add(number(word.first), number(word.last), static_cast<std::uint64_t>(word.length), end, start);
        add(word_kinds, end, start);
        add(word_kinds, next_kinds, end, start);
        add(next_kinds, end, start);
        add(next_kinds, start, gap, length);
        add(next.word);
        add(next.word, end);
        add(next.word, start, end);
        add(next.word, word.bare, end);
        add(next.word, next2.word);
        add(next.shape(), next2.shape(), end);
        add(start, number(next2.first), end, word_kinds);
        add(start, next2.last_code, end);
        add(before(0).word);
        add(before(0).word, start);
        add(before(0).word, after(1).word);
        add(before(1).word, before(0).word);
        add(before(1).word, before(0).word, start);
        add(before(2).shape(), before(1).shape(), before(0).shape(), start);
        add(before(0).shape(), start, gap);
        add(before(0).shape(), after(1).shape(), after(2).shape());
        add(token(start_).word, end);
        add(token(start_).shape(), end, start, length);
        add(length, start, gap, inside);
        add(number(token(start_).first), length, before(0).shape());
        const std::uint64_t begun = bucket(at + 1 - paragraph_), left = bucket(paragraph_end_ - at);
        const std::uint64_t to_stop = bucket(distance_to_stop(at + 1));
        const std::uint64_t final_code = shapes_[paragraph_end_].last_code;
        add(end, begun, start);
        add(end, left, start);
        add(end, to_stop, start, length);
        add(end, start, final_code);
        // A clause after direct speech: `"Oh!" Ann said`.
        const TokenShape& next3 = after(openers + 2);
        add(next2.word, end);
        add(next2.word, end, start);
        add(next3.word, next2.shape(), end);
        add(next2.word, next3.word, end);
        add(number(next.first), number(next2.first), number(next3.first), end);
        // A speaker who starts again: `I — I think`.
        std::uint64_t again = 0;
        for (std::size_t step = 1; step <= 5 && again == 0; ++step)
            if (before(closers + step).word == next.word) again = step;
        add(again, end, start);
        add(again, before(0).word, start);
        // A capital may start a name.
        const std::uint64_t follows = kinds_.frequent(next.bare);
        const std::uint64_t known = kinds_.frequent(word.bare) | follows << 2;
        add(follows, end, start);
        add(follows, end, start, gap, length);
        add(follows, word_kinds, next_kinds, end, start);
        add(follows, kinds_.frequent(next2.bare), number(next2.first), end, start);
        add(known, end, start);
        add(known, word.shape(), end, start);
        add(known, word.shape(), next.shape(), end);
        return list_;
    }

    const Characters& text_;
    const WordKinds& kinds_;
    const Boundaries& tokens_;
    std::vector<TokenShape> shapes_;
    std::vector<Gap> gaps_;
    std::size_t start_ = 0, paragraph_ = 0, paragraph_end_ = 0, next_stop_ = 0;
    std::uint64_t quotes_ = 0, depth_ = 0;
    Features list_;
};

template <class Weights>
float score(const Weights& weights, std::span<const FeatureHash> features) {
    float sum = 0;
    for (const FeatureHash hash : features) sum += weights[hash];
    return sum;
}

}  // namespace

Vocabulary::Vocabulary(std::span<const std::uint64_t> words, std::span<const std::uint64_t> names, int bits) {
    if (bits < 3 || bits > 30) throw std::invalid_argument("a vocabulary has 3 to 30 bits");
    table_.resize(std::size_t{1} << (bits - 3));
    for (const std::uint64_t key : words) add(key);
    for (const std::uint64_t key : names) add(as_name(key));
}

void Vocabulary::add(std::uint64_t key) {
    const std::size_t place = place_of(key);
    table_[place >> 3] = static_cast<std::uint8_t>(table_[place >> 3] | 1u << (place & 7));
}

Vocabulary::Vocabulary(std::span<const std::uint8_t> table) : table_(table.begin(), table.end()) {
    if (!std::has_single_bit(table.size()))
        throw std::invalid_argument("the size of a vocabulary must be a power of two, not " +
                                    std::to_string(table.size()));
}

WordKinds::WordKinds(std::span<const std::uint64_t> keys, std::span<const std::uint32_t> kinds,
                     Vocabulary vocabulary)
    : vocabulary_(std::move(vocabulary)) {
    if (keys.size() != kinds.size()) throw std::invalid_argument("words and their kinds differ in number");
    kinds_.reserve(keys.size());
    for (std::size_t at = 0; at < keys.size(); ++at) kinds_[keys[at]] = kinds[at];
}

std::uint64_t WordKinds::key(std::span<const std::uint32_t> plain) {
    Hash hash = 0;
    for (const std::uint32_t letter : plain) hash = mix(hash, letter);
    return hash;
}

Boundaries find_boundaries(const Characters& text, const WordKinds& kinds,
                           const QuantizedWeights& token_weights, const QuantizedWeights& sentence_weights) {
    text.check();
    const auto decide_with = [](const QuantizedWeights& weights) {
        return [&weights](std::size_t, const Features& features) {
            return score(weights, {features.begin(), features.end()}) > 0;
        };
    };
    Boundaries found = Tokenizer(text, kinds).run(decide_with(token_weights));
    found.sentence_starts = SentenceSplitter(text, kinds, found).run(decide_with(sentence_weights));
    return found;
}

BoundaryTrainer::BoundaryTrainer(WordKinds kinds, int bits, std::uint64_t seed)
    : kinds_(std::move(kinds)), token_weights_(bits), sentence_weights_(bits), seed_(seed) {}

void BoundaryTrainer::add(const Characters& text, const Boundaries& gold) {
    text.check();
    const auto record = [&](Decision decision, const Features& features, bool is_boundary) {
        kinds_of_decisions_.push_back(decision);
        features_.insert(features_.end(), features.begin(), features.end());
        starts_.push_back(features_.size());
        gold_.push_back(is_boundary);
        return is_boundary;
    };
    std::vector<bool> starts_token(text.size() + 1), starts_sentence(gold.begins.size() + 1);
    for (const std::uint32_t begin : gold.begins)
        if (begin < text.size()) starts_token[begin] = true;
    for (const std::uint32_t token : gold.sentence_starts)
        if (token < gold.begins.size()) starts_sentence[token] = true;
    if (gold.begins.size() != gold.ends.size())
        throw std::invalid_argument("begins and ends differ in number");
    for (std::size_t at = 0; at < gold.begins.size(); ++at)
        if (gold.begins[at] >= gold.ends[at] || gold.ends[at] > text.size())
            throw std::invalid_argument("a token is empty or outside the text");
    Tokenizer(text, kinds_).run([&](std::size_t at, const Features& features) {
        return record(Decision::kToken, features, starts_token[at]);
    });
    SentenceSplitter(text, kinds_, gold).run([&](std::size_t token, const Features& features) {
        return record(Decision::kSentence, features, starts_sentence[token]);
    });
}

int BoundaryTrainer::run_epoch(float rate) {
    constexpr float kMinGradient = 0.002f;  // smaller errors are not worth an update
    int wrong = 0;
    for (const std::uint32_t number : shuffled_epoch(gold_.size(), seed_, done_++)) {
        const std::span<const FeatureHash> features{features_.data() + starts_[number],
                                                    starts_[number + 1] - starts_[number]};
        const bool is_token = kinds_of_decisions_[number] == Decision::kToken;
        AdaGradWeights& weights = is_token ? token_weights_ : sentence_weights_;
        const float sum = score(weights, features);
        wrong += (sum > 0) != (gold_[number] != 0);
        const float gradient = static_cast<float>(gold_[number]) - 1.0f / (1.0f + std::exp(-sum));
        if (std::abs(gradient) >= kMinGradient)
            for (const FeatureHash hash : features) weights.step_along(hash, gradient, rate);
        weights.next_step();
    }
    return wrong;
}

}  // namespace spindle
