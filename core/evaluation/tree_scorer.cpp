#include "evaluation/tree_scorer.hpp"

#include <algorithm>
#include <bit>

#include "trees/tree.hpp"

namespace spindle {

// What the settings make of a sentence's own words.
struct TreeScorer::Words {
    std::vector<const TagFacts*> tags;
    std::vector<int> kept;  // positions
    int length = 0;
};

// The brackets that count, sorted by yield, then label, then node. Yields are bit sets over the kept words.
struct TreeScorer::Brackets {
    struct Bracket {
        int first, last, size;  // of the yield
        int label;
        int node;

        bool has_gap() const { return size != last - first + 1; }
    };
    std::vector<Bracket> found;
    std::vector<std::uint64_t> masks;  // of all nodes
    std::size_t blocks = 1;            // that a mask takes

    const std::uint64_t* mask(const Bracket& bracket) const { return &masks[bracket.node * blocks]; }
};

// A bracket that the other tree lacks; a unary one is over one word, or over the words of another bracket.
struct TreeScorer::LeftOver {
    Brackets::Bracket bracket;
    bool is_unary;
};

namespace {

// Which of two yields comes first: below zero, zero or above it, as memcmp does.
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

// How two yields lie to each other; equal ones are nested.
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

void add(std::vector<std::int64_t>& counts, int code, std::int64_t more) {
    if (code >= static_cast<int>(counts.size())) counts.resize(code + 1);
    counts[code] += more;
}

// Which nodes a conjunction hangs in; one that opens the sentence joins nothing.
std::vector<bool> joining_nodes(const TreeColumns& tree, const std::vector<const TagFacts*>& tags) {
    std::vector<bool> joins(tree.labels.size());
    for (std::size_t position = 1; position < tags.size(); ++position)
        if (tags[position]->is_conjunction && tree.leaf_parents[position] != kRoot)
            joins[tree.leaf_parents[position]] = true;
    return joins;
}

bool is_coordination(int node, const TreeColumns& tree, const std::vector<bool>& joins) {
    return joins[node] || (tree.parents[node] != kRoot && joins[tree.parents[node]]);
}

}  // namespace

TreeScorer::TreeScorer(ScoringRules rules) : rules_(std::move(rules)) {}

int TreeScorer::label_code(const std::string& label) {
    const auto known = label_codes_.find(label);
    if (known != label_codes_.end()) return known->second;
    return label_codes_[label] = rules_.label_code(label);
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

// A predicted word goes if the gold word it stands for goes; gold words that go may be missing. Traces
// are no words.
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
        for (std::size_t block = 0; block < blocks; ++block)
            brackets.masks[tree.parents[node] * blocks + block] |= brackets.masks[node * blocks + block];

    const bool is_wrapped = size && rules_.wrapper_labels.contains(tree.labels[0]) &&
                            std::count(tree.parents.begin(), tree.parents.end(), 0) +
                                    std::count(tree.leaf_parents.begin(), tree.leaf_parents.end(), 0) ==
                                1;
    brackets.found.reserve(size);
    for (int node = is_wrapped; node < size; ++node) {
        const int label = label_code(tree.labels[node]);
        if (label == kDeleted) continue;
        const std::uint64_t* mask = &brackets.masks[node * blocks];
        Brackets::Bracket bracket{-1, -1, 0, label, node};
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
    std::sort(brackets.found.begin(), brackets.found.end(),
              [&](const Brackets::Bracket& one, const Brackets::Bracket& other) {
                  const int order = compare_yields(brackets, one, brackets, other);
                  if (order) return order < 0;
                  return one.label != other.label ? one.label < other.label : one.node < other.node;
              });
    return brackets;
}

// Walks through both lists of brackets at once, one yield after the other.
void TreeScorer::compare(const Brackets& gold, const Brackets& pred, const TreeColumns& gold_tree,
                         const Words& gold_words, const TreeColumns& pred_tree, const Words& pred_words,
                         SentenceCounts& counts) {
    const std::vector<bool> gold_joins = joining_nodes(gold_tree, gold_words.tags);
    const std::vector<bool> pred_joins = joining_nodes(pred_tree, pred_words.tags);
    std::vector<Brackets::Bracket> missing, extra;  // with the yield that is looked at
    // that have no bracket over the same words on the other side
    std::vector<LeftOver> all_missing, all_extra;
    const auto by_node = [](const Brackets::Bracket& one, const Brackets::Bracket& other) {
        return one.node < other.node;
    };
    auto one = gold.found.begin();
    auto other = pred.found.begin();
    while (one != gold.found.end() || other != pred.found.end()) {
        const int order = one == gold.found.end()     ? 1
                          : other == pred.found.end() ? -1
                                                      : compare_yields(gold, *one, pred, *other);
        const auto gold_end = order > 0 ? one : std::find_if(one, gold.found.end(), [&](const auto& bracket) {
            return compare_yields(gold, bracket, gold, *one) != 0;
        });
        const auto is_elsewhere = [&](const auto& bracket) {
            return compare_yields(pred, bracket, pred, *other) != 0;
        };
        const auto pred_end = order < 0 ? other : std::find_if(other, pred.found.end(), is_elsewhere);
        const int gold_size = static_cast<int>(gold_end - one);
        const int pred_size = static_cast<int>(pred_end - other);
        const bool has_gap = order <= 0 ? one->has_gap() : other->has_gap();
        const bool is_word = (order <= 0 ? one->size : other->size) == 1;
        if (order > 0)
            counts.crossing +=
                pred_size * std::any_of(gold.found.begin(), gold.found.end(), [&](const auto& bracket) {
                    return relation(pred, *other, gold, bracket) == Relation::kCrossing;
                });
        missing.clear();
        extra.clear();
        while (one != gold_end || other != pred_end) {
            const int label = one == gold_end     ? other->label
                              : other == pred_end ? one->label
                                                  : std::min(one->label, other->label);
            const auto has_other_label = [&](const auto& bracket) { return bracket.label != label; };
            const auto gold_run = std::find_if(one, gold_end, has_other_label);
            const auto pred_run = std::find_if(other, pred_end, has_other_label);
            const int matched = static_cast<int>(std::min(gold_run - one, pred_run - other));
            add(tallies_.gold, label, gold_run - one);
            add(tallies_.pred, label, pred_run - other);
            add(tallies_.matched, label, matched);
            counts.matched += matched;
            counts.disc_matched += has_gap * matched;
            counts.distinct_gold += gold_run != one;
            counts.distinct_pred += pred_run != other;
            missing.insert(missing.end(), one + matched, gold_run);
            extra.insert(extra.end(), other + matched, pred_run);
            one = gold_run;
            other = pred_run;
        }
        counts.gold += gold_size;
        counts.pred += pred_size;
        counts.disc_gold += has_gap * gold_size;
        counts.disc_pred += has_gap * pred_size;

        std::sort(missing.begin(), missing.end(), by_node);
        std::sort(extra.begin(), extra.end(), by_node);
        const std::size_t confused = std::min(missing.size(), extra.size());
        for (std::size_t at = 0; at < confused; ++at)
            ++tallies_.confused[{missing[at].label, extra[at].label}];
        tallies_.missing[static_cast<int>(Kind::kLabel)] += static_cast<std::int64_t>(confused);
        tallies_.extra[static_cast<int>(Kind::kLabel)] += static_cast<std::int64_t>(confused);
        for (std::size_t at = confused; at < missing.size(); ++at)
            all_missing.push_back({missing[at], is_word || gold_size > 1});
        for (std::size_t at = confused; at < extra.size(); ++at)
            all_extra.push_back({extra[at], is_word || pred_size > 1});
    }
    const auto tally = [](std::array<std::int64_t, 4>& kinds, const std::vector<LeftOver>& left,
                          const Brackets& in, const std::vector<LeftOver>& others, const Brackets& other_in,
                          const TreeColumns& tree, const std::vector<bool>& joins) {
        for (const LeftOver& one : left) {
            const bool has_wrong_extent =
                std::any_of(others.begin(), others.end(), [&](const LeftOver& other) {
                    return one.bracket.label == other.bracket.label &&
                           relation(in, one.bracket, other_in, other.bracket) == Relation::kNested;
                });
            Kind kind = Kind::kAttachment;
            if (one.is_unary && !has_wrong_extent)
                kind = Kind::kUnary;
            else if (is_coordination(one.bracket.node, tree, joins))
                kind = Kind::kCoordination;
            ++kinds[static_cast<int>(kind)];
        }
    };
    tally(tallies_.missing, all_missing, gold, all_extra, pred, gold_tree, gold_joins);
    tally(tallies_.extra, all_extra, pred, all_missing, gold, pred_tree, pred_joins);
}

std::optional<SentenceCounts> TreeScorer::score(const TreeColumns& gold, const TreeColumns& pred) {
    const Words gold_words = own_words(gold);
    Words pred_words = own_words(pred);
    if (rules_.deletes_by_gold)
        pred_words.kept = kept_as_in_gold(gold, gold_words, pred, pred_words);
    else if (pred_words.kept.empty())
        return std::nullopt;
    if (gold_words.kept.size() != pred_words.kept.size()) return std::nullopt;
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
    compare(brackets(gold, gold_words.kept), brackets(pred, pred_words.kept), gold, gold_words, pred,
            pred_words, counts);
    return counts;
}

}  // namespace spindle
