#include "evaluation/tree_scorer.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <stdexcept>

#include "trees/root.hpp"

namespace spindle {

// The words of a tree that count.
struct TreeScorer::Words {
    std::vector<const TagFacts*> tags;
    std::vector<int> kept;  // positions
    int length = 0;
};

struct TreeScorer::Bracket {
    int first, last, size;  // of the yield
    int label;
    int node;

    bool has_gap() const { return size != last - first + 1; }
};

// The brackets that count, sorted by yield, then label, then node. Yields are bit sets over the kept words.
struct TreeScorer::Brackets {
    std::vector<Bracket> found;
    std::vector<std::uint64_t> masks;  // of all nodes
    std::size_t blocks = 1;            // per mask

    const std::uint64_t* mask(const Bracket& bracket) const { return &masks[bracket.node * blocks]; }
};

// A bracket that the other tree lacks. It is unary if it has one word, or the words of another bracket.
struct TreeScorer::Unmatched {
    Bracket bracket;
    bool is_unary;
};

// All brackets of both trees that have one yield.
struct TreeScorer::SameYield {
    std::span<const Bracket> gold, pred;

    const Bracket& any() const { return gold.empty() ? pred.front() : gold.front(); }
};

// The words times the nodes of the largest tree: its yields take 5 GB.
constexpr std::size_t kMaxMaskBits = 40'000'000'000;

struct TreeScorer::ComparedTree {
    const TreeColumns& tree;
    Brackets brackets;
    std::vector<bool> joins;  // whether a conjunction hangs in a node

    bool is_coordination(int node) const {
        return joins[node] || (tree.parents[node] != kRoot && joins[tree.parents[node]]);
    }
};

namespace {

// The order of two yields: below zero, zero or above, as of memcmp.
template <typename Brackets, typename Bracket>
int compare_yields(const Brackets& in, const Bracket& one, const Brackets& others, const Bracket& other) {
    if (one.first != other.first) return one.first - other.first;
    if (one.last != other.last) return one.last - other.last;
    if (one.size != other.size) return one.size - other.size;
    if (!one.has_gap()) return 0;
    const std::uint64_t* mask = in.mask(one);
    const std::uint64_t* other_mask = others.mask(other);
    for (std::size_t block = 0; block < in.blocks; ++block)
        if (mask[block] != other_mask[block]) return mask[block] < other_mask[block] ? -1 : 1;
    return 0;
}

enum class Relation { kApart, kNested, kCrossing };

// The relation of two yields; equal ones are nested.
template <typename Brackets, typename Bracket>
Relation relation(const Brackets& in, const Bracket& one, const Brackets& others, const Bracket& other) {
    if (one.last < other.first || other.last < one.first) return Relation::kApart;
    bool shared = true;
    bool left = one.first < other.first || one.last > other.last;
    bool right = other.first < one.first || other.last > one.last;
    if (one.has_gap() || other.has_gap()) {
        shared = left = right = false;
        const std::uint64_t* mask = in.mask(one);
        const std::uint64_t* other_mask = others.mask(other);
        for (std::size_t block = 0; block < in.blocks; ++block) {
            shared |= (mask[block] & other_mask[block]) != 0;
            left |= (mask[block] & ~other_mask[block]) != 0;
            right |= (other_mask[block] & ~mask[block]) != 0;
        }
    }
    if (!shared) return Relation::kApart;
    return left && right ? Relation::kCrossing : Relation::kNested;
}

// The brackets at the beginning of a sorted list that have the yield of the first one.
template <typename Brackets, typename Bracket>
std::span<const Bracket> same_yield(const Brackets& in, std::span<const Bracket> brackets) {
    const auto end = std::find_if(brackets.begin(), brackets.end(), [&](const Bracket& bracket) {
        return compare_yields(in, bracket, in, brackets.front()) != 0;
    });
    return brackets.first(static_cast<std::size_t>(end - brackets.begin()));
}

template <typename Bracket>
std::span<const Bracket> same_label(std::span<const Bracket> brackets, int label) {
    const auto end = std::find_if(brackets.begin(), brackets.end(),
                                  [&](const Bracket& bracket) { return bracket.label != label; });
    return brackets.first(static_cast<std::size_t>(end - brackets.begin()));
}

void add(std::vector<std::int64_t>& counts, int code, std::int64_t more) {
    if (code >= static_cast<int>(counts.size())) counts.resize(code + 1);
    counts[code] += more;
}

// Which nodes a conjunction hangs in; one at the beginning of the sentence joins nothing.
std::vector<bool> joining_nodes(const TreeColumns& tree, const std::vector<const TagFacts*>& tags) {
    std::vector<bool> joins(tree.labels.size());
    for (std::size_t position = 1; position < tags.size(); ++position)
        if (tags[position]->is_conjunction && tree.leaf_parents[position] != kRoot)
            joins[tree.leaf_parents[position]] = true;
    return joins;
}

// Counts the brackets of a tree that have no bracket over the same words in the other tree, by kind of error.
template <typename Tree, typename Unmatched>
void tally_unmatched(const Tree& tree, const std::vector<Unmatched>& unmatched, const Tree& other_tree,
                     const std::vector<Unmatched>& others, std::array<std::int64_t, 4>& kinds) {
    for (const Unmatched& one : unmatched) {
        const bool has_wrong_extent = std::any_of(others.begin(), others.end(), [&](const Unmatched& other) {
            return one.bracket.label == other.bracket.label &&
                   relation(tree.brackets, one.bracket, other_tree.brackets, other.bracket) ==
                       Relation::kNested;
        });
        ErrorKind kind = ErrorKind::kAttachment;
        if (one.is_unary && !has_wrong_extent)
            kind = ErrorKind::kUnary;
        else if (tree.is_coordination(one.bracket.node))
            kind = ErrorKind::kCoordination;
        ++kinds[static_cast<int>(kind)];
    }
}

}  // namespace

TreeScorer::TreeScorer(ScoringRules rules) : rules_(std::move(rules)) {}

int TreeScorer::label_code(const std::string& label) {
    const auto known = label_codes_.find(label);
    if (known != label_codes_.end()) return known->second;
    const int code = rules_.label_code(label);
    if (code < kDeleted) throw std::invalid_argument("a label has the code " + std::to_string(code));
    return label_codes_[label] = code;
}

const TagFacts& TreeScorer::tag_facts(const std::string& tag) {
    const auto known = tag_facts_.find(tag);
    if (known != tag_facts_.end()) return known->second;
    return tag_facts_[tag] = rules_.tag_facts(tag);
}

const std::string& TreeScorer::word(const std::string& form) const {
    const auto equal = rules_.equal_words.find(form);
    return equal == rules_.equal_words.end() ? form : equal->second;
}

TreeScorer::Words TreeScorer::own_words(const TreeColumns& tree) {
    Words words;
    const int size = static_cast<int>(tree.tags.size());
    words.tags.reserve(size);
    words.kept.reserve(size);
    for (int position = 0; position < size; ++position) {
        const TagFacts& tag = tag_facts(tree.tags[position]);
        words.tags.push_back(&tag);  // references into an unordered_map stay valid
        words.length += tag.is_in_length;
        if (!tag.is_deleted &&
            (rules_.deleted_words.empty() || !rules_.deleted_words.contains(tree.forms[position])))
            words.kept.push_back(position);
    }
    return words;
}

// A predicted word is deleted if the gold word it corresponds to is deleted; deleted gold words may be
// missing. Traces are no words.
std::vector<int> TreeScorer::kept_as_in_gold(const TreeColumns& gold, const Words& gold_words,
                                             const TreeColumns& pred, const Words& pred_words) const {
    std::vector<bool> stays(gold.forms.size());
    for (const int position : gold_words.kept) stays[position] = true;
    std::vector<int> kept;
    std::size_t place = 0;
    for (std::size_t position = 0; position < pred.forms.size(); ++position) {
        if (pred_words.tags[position]->is_dropped_trace) continue;
        std::size_t match = place;
        while (match < gold.forms.size() && (gold_words.tags[match]->is_dropped_trace ||
                                             word(gold.forms[match]) != word(pred.forms[position])))
            ++match;
        if (match == gold.forms.size() || stays[match]) kept.push_back(static_cast<int>(position));
        if (match < gold.forms.size()) place = match + 1;
    }
    return kept;
}

bool TreeScorer::is_wrapped(const TreeColumns& tree) const {
    return !tree.labels.empty() && rules_.wrapper_labels.contains(tree.labels[0]) &&
           std::count(tree.parents.begin(), tree.parents.end(), 0) +
                   std::count(tree.leaf_parents.begin(), tree.leaf_parents.end(), 0) ==
               1;
}

TreeScorer::Brackets TreeScorer::brackets(const TreeColumns& tree, const std::vector<int>& kept) {
    Brackets brackets;
    const int size = static_cast<int>(tree.labels.size());
    const std::size_t blocks = brackets.blocks = kept.size() / 64 + 1;
    brackets.masks.assign(size * blocks, 0);
    for (std::size_t number = 0; number < kept.size(); ++number) {
        const int parent = tree.leaf_parents[kept[number]];
        if (parent != kRoot) brackets.masks[parent * blocks + number / 64] |= std::uint64_t{1} << number % 64;
    }
    for (int node = size - 1; node > 0; --node)
        if (tree.parents[node] != kRoot)
            for (std::size_t block = 0; block < blocks; ++block)
                brackets.masks[tree.parents[node] * blocks + block] |= brackets.masks[node * blocks + block];

    brackets.found.reserve(size);
    for (int node = is_wrapped(tree); node < size; ++node) {
        const int label = label_code(tree.labels[node]);
        if (label == kDeleted) continue;
        const std::uint64_t* mask = &brackets.masks[node * blocks];
        Bracket bracket{-1, -1, 0, label, node};
        for (std::size_t block = 0; block < blocks; ++block) {
            if (!mask[block]) continue;
            if (bracket.first < 0)
                bracket.first = static_cast<int>(block) * 64 + std::countr_zero(mask[block]);
            bracket.last = static_cast<int>(block) * 64 + 63 - std::countl_zero(mask[block]);
            bracket.size += std::popcount(mask[block]);
        }
        if (!bracket.size || (rules_.disc_only && !bracket.has_gap())) continue;
        brackets.found.push_back(bracket);
    }
    std::sort(brackets.found.begin(), brackets.found.end(), [&](const Bracket& one, const Bracket& other) {
        const int order = compare_yields(brackets, one, brackets, other);
        if (order) return order < 0;
        return one.label != other.label ? one.label < other.label : one.node < other.node;
    });
    return brackets;
}

// Walks through both lists of brackets at once, one yield after the other.
void TreeScorer::compare(const ComparedTree& gold, const ComparedTree& pred, SentenceCounts& counts) {
    std::vector<Bracket> missing, extra;  // of the current yield
    std::vector<Unmatched> all_missing, all_extra;
    std::span<const Bracket> golds = gold.brackets.found, preds = pred.brackets.found;
    while (!golds.empty() || !preds.empty()) {
        const int order = golds.empty() ? 1
                          : preds.empty()
                              ? -1
                              : compare_yields(gold.brackets, golds.front(), pred.brackets, preds.front());
        SameYield same;
        if (order <= 0) same.gold = same_yield(gold.brackets, golds);
        if (order >= 0) same.pred = same_yield(pred.brackets, preds);
        golds = golds.subspan(same.gold.size());
        preds = preds.subspan(same.pred.size());
        if (order > 0) {
            const auto crosses = [&](const Bracket& bracket) {
                return relation(pred.brackets, same.pred.front(), gold.brackets, bracket) ==
                       Relation::kCrossing;
            };
            const std::vector<Bracket>& all = gold.brackets.found;
            if (std::any_of(all.begin(), all.end(), crosses))
                counts.crossing += static_cast<int>(same.pred.size());
        }
        match_labels(same, missing, extra, counts);
        tally_confusions(missing, extra);
        const bool is_word = same.any().size == 1;
        for (const Bracket& bracket : missing)
            all_missing.push_back({bracket, is_word || same.gold.size() > 1});
        for (const Bracket& bracket : extra) all_extra.push_back({bracket, is_word || same.pred.size() > 1});
    }
    tally_unmatched(gold, all_missing, pred, all_extra, tallies_.missing);
    tally_unmatched(pred, all_extra, gold, all_missing, tallies_.extra);
}

// Counts the brackets of one yield. Writes those without a bracket of the same label to `missing` and
// `extra`.
void TreeScorer::match_labels(const SameYield& same, std::vector<Bracket>& missing,
                              std::vector<Bracket>& extra, SentenceCounts& counts) {
    missing.clear();
    extra.clear();
    const bool has_gap = same.any().has_gap();
    std::span<const Bracket> golds = same.gold, preds = same.pred;
    while (!golds.empty() || !preds.empty()) {
        const int label = golds.empty()   ? preds.front().label
                          : preds.empty() ? golds.front().label
                                          : std::min(golds.front().label, preds.front().label);
        const std::span<const Bracket> of_gold = same_label(golds, label), of_pred = same_label(preds, label);
        const std::size_t matched = std::min(of_gold.size(), of_pred.size());
        add(tallies_.gold, label, static_cast<std::int64_t>(of_gold.size()));
        add(tallies_.pred, label, static_cast<std::int64_t>(of_pred.size()));
        add(tallies_.matched, label, static_cast<std::int64_t>(matched));
        counts.matched += static_cast<int>(matched);
        if (has_gap) counts.disc_matched += static_cast<int>(matched);
        counts.distinct_gold += !of_gold.empty();
        counts.distinct_pred += !of_pred.empty();
        missing.insert(missing.end(), of_gold.begin() + matched, of_gold.end());
        extra.insert(extra.end(), of_pred.begin() + matched, of_pred.end());
        golds = golds.subspan(of_gold.size());
        preds = preds.subspan(of_pred.size());
    }
    const int gold_size = static_cast<int>(same.gold.size()), pred_size = static_cast<int>(same.pred.size());
    counts.gold += gold_size;
    counts.pred += pred_size;
    if (has_gap) counts.disc_gold += gold_size, counts.disc_pred += pred_size;
}

// Pairs missing with extra brackets of the same yield, from the top: these differ only in their labels. What
// is left has no counterpart.
void TreeScorer::tally_confusions(std::vector<Bracket>& missing, std::vector<Bracket>& extra) {
    const auto by_node = [](const Bracket& one, const Bracket& other) { return one.node < other.node; };
    std::sort(missing.begin(), missing.end(), by_node);
    std::sort(extra.begin(), extra.end(), by_node);
    const auto confused = static_cast<std::ptrdiff_t>(std::min(missing.size(), extra.size()));
    for (std::ptrdiff_t at = 0; at < confused; ++at)
        ++tallies_.confused[{missing[at].label, extra[at].label}];
    tallies_.missing[static_cast<int>(ErrorKind::kLabel)] += confused;
    tallies_.extra[static_cast<int>(ErrorKind::kLabel)] += confused;
    missing.erase(missing.begin(), missing.begin() + confused);
    extra.erase(extra.begin(), extra.begin() + confused);
}

std::optional<SentenceCounts> TreeScorer::score(const TreeColumns& gold, const TreeColumns& pred) {
    const Words gold_words = own_words(gold);
    Words pred_words = own_words(pred);
    if (rules_.deletes_by_gold)
        pred_words.kept = kept_as_in_gold(gold, gold_words, pred, pred_words);
    else if (pred_words.kept.empty())
        return std::nullopt;
    if (gold_words.kept.size() != pred_words.kept.size()) return std::nullopt;
    if (std::max(gold.labels.size(), pred.labels.size()) > kMaxMaskBits / (gold_words.kept.size() + 1))
        return std::nullopt;  // `Tree.masks` has the same limit, and says so
    SentenceCounts counts;
    counts.length = gold_words.length;
    if (rules_.longest && counts.length > *rules_.longest) return counts;
    counts.words = static_cast<int>(gold_words.kept.size());
    for (std::size_t number = 0; number < gold_words.kept.size(); ++number) {
        const int one = gold_words.kept[number], other = pred_words.kept[number];
        if (gold.forms[one] != pred.forms[other] && word(gold.forms[one]) != word(pred.forms[other]))
            return std::nullopt;
        counts.tags += gold_words.tags[one]->compared_as == pred_words.tags[other]->compared_as;
    }
    compare({gold, brackets(gold, gold_words.kept), joining_nodes(gold, gold_words.tags)},
            {pred, brackets(pred, pred_words.kept), joining_nodes(pred, pred_words.tags)}, counts);
    return counts;
}

}  // namespace spindle
