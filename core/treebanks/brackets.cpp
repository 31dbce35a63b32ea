#include "treebanks/brackets.hpp"

#include <algorithm>
#include <optional>

#include "trees/tree.hpp"

namespace spindle {

namespace {

constexpr std::string_view kTrace = "-NONE-";

// ── finding the brackets ────────────────────────────────────────────────────────────────────────────

// A pair of brackets and what is directly inside it: a label, then words and other brackets.
struct Bracket {
    int parent;
    int line;
    std::size_t start;
    std::string_view label{};
    bool is_spaced = false;  // "( label": the label does not follow the bracket at once
    int words = 0;
    int inner = 0;

    int size() const { return words + inner; }
    bool is_bare() const { return size() == 0; }
    bool is_text() const { return words > 0 && inner == 0; }
};

// A bracket where it opens, or one of its words.
struct Piece {
    int bracket;
    bool is_word;
    std::string_view word{};
};

// An outermost bracket with all that is inside.
struct Nest {
    int line = 0;
    std::vector<Bracket> brackets;  // in the order in which they open
    std::vector<Piece> pieces;      // in the order of the text

    const Bracket* around(const Bracket& bracket) const {
        return bracket.parent == kRoot ? nullptr : &brackets[bracket.parent];
    }
};

struct Fault {
    int line;
    std::string cause;
    int fault_line;
};

bool is_blank(char character) {
    return character == ' ' || character == '\t' || character == '\n' || character == '\r';
}

// A word for a message, cut to 40 characters.
std::string quoted(std::string_view word) {
    std::size_t end = 0;
    for (std::size_t characters = 0; end < word.size(); ++end)
        if ((word[end] & 0xC0) != 0x80 && ++characters > 40) break;
    std::string text = "\"";
    text += word.substr(0, end);
    text += end < word.size() ? "…\"" : "\"";
    return text;
}

// Calls `found` with every outermost bracket, and `failed` with every fault of and between them.
template <typename Found, typename Failed>
class NestScanner {
  public:
    NestScanner(std::string_view text, Found found, Failed failed)
        : text_(text), found_(std::move(found)), failed_(std::move(failed)) {
        // what a usual text holds: growing takes longer than reading
        nest_.brackets.reserve(text.size() / 8);
        nest_.pieces.reserve(text.size() / 5);
    }

    void scan() {
        while (at_ < text_.size()) {
            const char character = text_[at_];
            if (is_blank(character)) {
                line_ += character == '\n';
                ++at_;
            } else if (character == '(') {
                open();
            } else if (character == ')') {
                close();
            } else {
                read_word();
            }
        }
        if (!stack_.empty())
            failed_(Fault{nest_.line, std::to_string(stack_.size()) + " \"(\" not closed", nest_.line});
    }

  private:
    void open() {
        is_outside_ = false;
        if (stack_.empty()) {
            nest_.line = line_;
            nest_.brackets.clear();
            nest_.pieces.clear();
        } else {
            ++nest_.brackets[stack_.back()].inner;
        }
        const int number = static_cast<int>(nest_.brackets.size());
        nest_.pieces.push_back({number, false});
        nest_.brackets.push_back({stack_.empty() ? kRoot : stack_.back(), line_, at_});
        stack_.push_back(number);
        ++at_;
    }

    void close() {
        is_outside_ = false;
        ++at_;
        if (stack_.empty()) return failed_(Fault{line_, "\")\" closes nothing", line_});
        Bracket& bracket = nest_.brackets[stack_.back()];
        if (bracket.is_spaced && bracket.is_bare()) {
            nest_.pieces.push_back({stack_.back(), true, bracket.label});
            bracket.words = 1;
            bracket.label = {};
        }
        stack_.pop_back();
        if (stack_.empty()) found_(nest_);
    }

    void read_word() {
        const std::size_t start = at_;
        while (at_ < text_.size() && text_[at_] != '(' && text_[at_] != ')' && !is_blank(text_[at_])) ++at_;
        const std::string_view word = text_.substr(start, at_ - start);
        if (!stack_.empty()) {
            Bracket& bracket = nest_.brackets[stack_.back()];
            if (bracket.is_bare() && bracket.label.empty()) {
                bracket.label = word;
                bracket.is_spaced = start != bracket.start + 1;
            } else {
                nest_.pieces.push_back({stack_.back(), true, word});
                ++bracket.words;
            }
        } else if (!is_outside_) {
            is_outside_ = true;  // reported once
            failed_(Fault{line_, quoted(word) + " stands outside the brackets", line_});
        }
    }

    std::string_view text_;
    Found found_;
    Failed failed_;
    Nest nest_;
    std::vector<int> stack_;  // the brackets that are open
    std::size_t at_ = 0;
    int line_ = 1;
    bool is_outside_ = false;
};

// ── what words and labels mean: see escapes.py ──────────────────────────────────────────────────────

// The bracket that an escape such as -LRB- stands for; 0 if it is none.
char bracket_meant(std::string_view escape) {
    if (escape.size() != 5 || escape[0] != '-' || escape[4] != '-' || escape[3] != 'B') return 0;
    const bool is_left = escape[1] == 'L';
    if (!is_left && escape[1] != 'R') return 0;
    switch (escape[2]) {
        case 'R': return is_left ? '(' : ')';
        case 'C': return is_left ? '{' : '}';
        case 'S': return is_left ? '[' : ']';
        default: return 0;
    }
}

std::string restored(std::string_view text, bool is_form) {
    std::string result;
    if (text.find_first_of(is_form ? "-#\\" : "-#") == std::string_view::npos) return result = text;
    result.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view rest = text.substr(at);
        if (const char bracket = bracket_meant(rest.substr(0, 5))) {
            result += bracket;
            at += 5;
        } else if (rest.starts_with("#LRB#") || rest.starts_with("#RRB#")) {
            result += rest[1] == 'L' ? '(' : ')';
            at += 5;
        } else if (rest.starts_with("#SP#")) {
            result += ' ';
            at += 4;
        } else if (is_form && rest.size() > 1 && rest[0] == '\\' && (rest[1] == '/' || rest[1] == '*')) {
            result += rest[1];
            at += 2;
        } else {
            result += text[at++];
        }
    }
    return result;
}

std::string restored_form(std::string_view text) { return restored(text, true); }

std::string restored_label(std::string_view text) {
    return bracket_meant(text) ? std::string(text) : restored(text, false);
}

// The offset at which the features of TAG##feature=value## start, if there are any.
std::optional<std::size_t> features_start(std::string_view tag) {
    if (!tag.ends_with("##")) return std::nullopt;
    for (std::size_t at = tag.find("##"); at != std::string_view::npos && at + 4 < tag.size(); ++at) {
        if (tag[at] != '#' || tag[at + 1] != '#') continue;
        if (tag[at + 2] == '#') continue;
        const std::string_view features = tag.substr(at + 2, tag.size() - at - 4);
        if (features.find('=') == std::string_view::npos) return std::nullopt;
        return at + 2;
    }
    return std::nullopt;
}

// The lemma among the features: lem=…, up to the next |.
std::string lemma_in(std::string_view features) {
    constexpr std::string_view kKey = "lem=";
    for (std::size_t start = 0; start <= features.size();) {
        const std::size_t end = std::min(features.find('|', start), features.size());
        const std::string_view feature = features.substr(start, end - start);
        if (feature.starts_with(kKey)) return std::string(feature.substr(kKey.size()));
        start = end + 1;
    }
    return {};
}

void add_leaf(ParsedTree& tree, int parent, std::string_view tag, std::string form) {
    if (const auto start = features_start(tag)) {
        // these columns have an entry for every token, or none at all
        tree.lemmas.resize(tree.columns.forms.size());
        tree.morphs.resize(tree.columns.forms.size());
        tree.morphs.push_back(restored_label(tag.substr(*start, tag.size() - *start - 2)));
        tree.lemmas.push_back(lemma_in(tree.morphs.back()));
        tag = tag.substr(0, *start - 2);
    } else if (!tree.morphs.empty()) {
        tree.lemmas.emplace_back();
        tree.morphs.emplace_back();
    }
    tree.columns.forms.push_back(std::move(form));
    tree.columns.tags.push_back(restored_label(tag));
    tree.columns.leaf_parents.push_back(parent);
}

// The words of the bracket that opens with piece `at`, separated by spaces.
std::string words(const Nest& nest, std::size_t at) {
    const Bracket& bracket = nest.brackets[nest.pieces[at].bracket];
    std::string text;
    for (int word = 0; word < bracket.words; ++word) {
        if (word) text += ' ';
        text += nest.pieces[at + 1 + word].word;
    }
    return text;
}

[[noreturn]] void fail_bare(const Nest& nest, const Bracket& bracket) {
    throw Fault{
        nest.line,
        bracket.label.empty() ? "() is empty" : quoted(bracket.label) + " alone in brackets is no leaf",
        bracket.line};
}

void check_not_empty(const Nest& nest) {
    for (const Bracket& bracket : nest.brackets)
        if (!bracket.label.empty() || bracket.words) return;
    throw Fault{nest.line, "empty tree (an unparsed sentence)", nest.line};
}

ParsedTree failure(Fault fault) {
    ParsedTree parsed;
    parsed.line = fault.line;
    parsed.fault = std::move(fault.cause);
    parsed.fault_line = fault.fault_line;
    return parsed;
}

// ── plain brackets ──────────────────────────────────────────────────────────────────────────────────

bool is_empty_element(std::string_view word) { return word == "0" || word.starts_with('*'); }

// Whether a lone 0 or * beneath this label is a trace, not a word.
bool is_phrase(std::string_view label) {
    std::size_t length = 0;
    while (length < label.size() && label[length] >= 'A' && label[length] <= 'Z') ++length;
    if (length < label.size() && label[length] >= 'a' && label[length] <= 'z') return false;
    const std::string_view start = label.substr(0, length);
    if (start.ends_with('P')) return !start.starts_with("NNP");
    return start == "S" || start == "SBAR" || start == "SBARQ" || start == "SINV" || start == "SQ" ||
           start == "FRAG";
}

// Whether this is the (word) of a (TAG (word)).
bool is_nested_word(const Bracket& bracket, const Bracket& around) {
    if (!bracket.is_bare() || bracket.label.empty() || around.size() != 1 || around.label.empty())
        return false;
    if (bracket.label == "0" || bracket.label == "*") return !is_phrase(around.label);
    return !is_empty_element(bracket.label);
}

// Whether leaves are (TAG (word)) in this tree.
bool has_nested_leaves(const Nest& nest, bool otherwise) {
    const Bracket* plain = nullptr;
    const Bracket* nested = nullptr;
    for (const Bracket& bracket : nest.brackets) {
        const Bracket* around = nest.around(bracket);
        if (bracket.is_text() && !bracket.label.empty() && (!around || around->size() > 1)) {
            if (!plain) plain = &bracket;
        } else if (around && !nested && is_nested_word(bracket, *around)) {
            nested = &bracket;
        }
    }
    if (plain && nested)
        throw Fault{nest.line,
                    "some leaves are written like (TAG word), others like (TAG (word)), as is " +
                        quoted(nested->label),
                    nested->line};
    return nested || (otherwise && !plain);
}

ParsedTree read_nest(const Nest& nest, bool is_nested) {
    check_not_empty(nest);
    ParsedTree tree;
    tree.line = nest.line;
    for (auto* column : {&tree.columns.forms, &tree.columns.tags, &tree.columns.labels})
        column->reserve(nest.brackets.size());
    for (auto* column : {&tree.columns.parents, &tree.columns.leaf_parents})
        column->reserve(nest.brackets.size());
    std::vector<int> node_of(nest.brackets.size(), kRoot);  // the node that a bracket is
    const auto parent_of = [&](const Bracket& bracket) {
        return bracket.parent == kRoot ? kRoot : node_of[bracket.parent];
    };
    for (std::size_t at = 0; at < nest.pieces.size(); ++at) {
        const Piece& piece = nest.pieces[at];
        const Bracket& bracket = nest.brackets[piece.bracket];
        if (piece.is_word) {
            if (!is_empty_element(piece.word))
                throw Fault{nest.line, quoted(piece.word) + " has no tag", bracket.line};
            add_leaf(tree, node_of[piece.bracket], kTrace, restored_form(piece.word));
        } else if (bracket.is_text()) {
            add_leaf(tree, parent_of(bracket), bracket.label,
                     bracket.words == 1 ? restored_form(nest.pieces[at + 1].word)
                                        : restored_form(words(nest, at)));
            at += bracket.words;
        } else if (bracket.is_bare()) {
            if (bracket.parent == kRoot || !is_empty_element(bracket.label)) fail_bare(nest, bracket);
            add_leaf(tree, parent_of(bracket), kTrace, restored_form(bracket.label));
        } else {
            // its child is the next bracket
            const Bracket* only =
                bracket.inner == 1 && !bracket.words ? &nest.brackets[piece.bracket + 1] : nullptr;
            if (only && !bracket.label.empty() &&
                (is_nested_word(*only, bracket) || (is_nested && only->is_text() && !only->label.empty()))) {
                std::string word(only->label);
                if (only->words) word += ' ' + words(nest, at + 1);
                add_leaf(tree, parent_of(bracket), bracket.label, restored_form(word));
                at += 1 + only->words;
            } else {
                node_of[piece.bracket] = static_cast<int>(tree.columns.labels.size());
                tree.columns.labels.push_back(restored_label(bracket.label));
                tree.columns.parents.push_back(parent_of(bracket));
            }
        }
    }
    return tree;
}

// ── discontinuous brackets ──────────────────────────────────────────────────────────────────────────

// Takes the position off "3=word". Positions are capped: one that is too large for any sentence leaves a gap
// below it in any case.
std::size_t take_position(const Nest& nest, const Bracket& bracket, std::string& text) {
    const std::size_t length = text.find('=');
    const std::string_view digits = std::string_view(text).substr(0, length);
    if (length == std::string::npos || digits.empty() ||
        digits.find_first_not_of("0123456789") != std::string_view::npos)
        throw Fault{nest.line, quoted(text) + " does not say its position, as 0=word does", bracket.line};
    if (length + 1 == text.size()) throw Fault{nest.line, quoted(text) + " has no word", bracket.line};
    std::size_t position = 0;
    for (const char digit : digits)
        position = std::min<std::size_t>(position * 10 + (digit - '0'), 1'000'000'000);
    text.erase(0, length + 1);
    return position;
}

// The leaf that stands at every position. Throws a Fault unless the positions are 0, 1, ... in any order.
std::vector<int> leaves_by_position(const Nest& nest, const std::vector<std::size_t>& positions) {
    const std::size_t size = positions.size();
    std::vector<int> leaf_at(size, -1);
    for (std::size_t leaf = 0; leaf < size; ++leaf) {
        const std::size_t position = positions[leaf];
        if (position >= size) continue;
        if (leaf_at[position] >= 0)
            throw Fault{nest.line, "position " + std::to_string(position) + " occurs twice", nest.line};
        leaf_at[position] = static_cast<int>(leaf);
    }
    const auto gap = std::find(leaf_at.begin(), leaf_at.end(), -1);
    if (gap != leaf_at.end())
        throw Fault{nest.line, "position " + std::to_string(gap - leaf_at.begin()) + " is missing",
                    nest.line};
    return leaf_at;
}

// The tree with its leaves sorted by position, and its nodes in canonical order.
ParsedTree sorted_by_position(const Nest& nest, ParsedTree tree, const std::vector<std::size_t>& positions) {
    ParsedTree sorted;
    sorted.line = tree.line;
    for (const int leaf : leaves_by_position(nest, positions)) {
        sorted.columns.forms.push_back(std::move(tree.columns.forms[leaf]));
        sorted.columns.tags.push_back(std::move(tree.columns.tags[leaf]));
        if (!tree.morphs.empty()) {
            sorted.lemmas.push_back(std::move(tree.lemmas[leaf]));
            sorted.morphs.push_back(std::move(tree.morphs[leaf]));
        }
        sorted.columns.leaf_parents.push_back(tree.columns.leaf_parents[leaf]);
    }
    ArrangedTree arranged = arrange_tree(tree.columns.parents, sorted.columns.leaf_parents);
    for (const int node : arranged.order)
        sorted.columns.labels.push_back(std::move(tree.columns.labels[node]));
    sorted.columns.parents = std::move(arranged.parents);
    sorted.columns.leaf_parents = std::move(arranged.leaf_parents);
    return sorted;
}

ParsedTree read_discontinuous_nest(const Nest& nest) {
    check_not_empty(nest);
    ParsedTree tree;
    tree.line = nest.line;
    std::vector<int> node_of(nest.brackets.size(), kRoot);
    std::vector<std::size_t> positions;
    for (std::size_t at = 0; at < nest.pieces.size(); ++at) {
        const Piece& piece = nest.pieces[at];
        const Bracket& bracket = nest.brackets[piece.bracket];
        const int parent = bracket.parent == kRoot ? kRoot : node_of[bracket.parent];
        if (piece.is_word) throw Fault{nest.line, quoted(piece.word) + " has no tag", bracket.line};
        if (bracket.is_bare()) fail_bare(nest, bracket);
        if (bracket.is_text()) {
            std::string text = words(nest, at);
            positions.push_back(take_position(nest, bracket, text));
            add_leaf(tree, parent, bracket.label, restored_form(text));
            at += bracket.words;
        } else {
            node_of[piece.bracket] = static_cast<int>(tree.columns.labels.size());
            tree.columns.labels.push_back(restored_label(bracket.label));
            tree.columns.parents.push_back(parent);
        }
    }

    return sorted_by_position(nest, std::move(tree), positions);
}

}  // namespace

ParsedTrees parse_brackets(std::string_view text, bool is_nested) {
    ParsedTrees parsed{{}, is_nested};
    const auto read = [&](const Nest& nest) {
        try {
            parsed.is_nested = has_nested_leaves(nest, parsed.is_nested);
            parsed.trees.push_back(read_nest(nest, parsed.is_nested));
        } catch (Fault& fault) {
            parsed.trees.push_back(failure(std::move(fault)));
        }
    };
    const auto fail = [&](Fault fault) { parsed.trees.push_back(failure(std::move(fault))); };
    NestScanner(text, read, fail).scan();
    return parsed;
}

std::vector<ParsedTree> parse_discbrackets(std::string_view text) {
    std::vector<ParsedTree> parsed;
    const auto read = [&](const Nest& nest) {
        try {
            parsed.push_back(read_discontinuous_nest(nest));
        } catch (Fault& fault) {
            parsed.push_back(failure(std::move(fault)));
        }
    };
    const auto fail = [&](Fault fault) { parsed.push_back(failure(std::move(fault))); };
    NestScanner(text, read, fail).scan();
    return parsed;
}

}  // namespace spindle
