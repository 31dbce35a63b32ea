// Two trees of one sentence compared bracket by bracket. What is counted, and why, is told in
// src/spindle/evaluation/comparison.py and breakdown.py, whose slow versions are the measure of this one.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace spindle {

inline constexpr int kDeleted = -1;  // the code of labels whose brackets do not count

// What the settings make of a part-of-speech tag.
struct TagFacts {
    int compared_as;
    bool is_deleted, is_in_length, is_dropped_trace, is_conjunction;
};

struct ScoringRules {
    // Asked once for every label and tag that comes along.
    std::function<int(const std::string&)> label_code;
    std::function<TagFacts(const std::string&)> tag_facts;
    std::unordered_map<std::string, std::string> equal_words;  // every word with the one that stands for it
    std::unordered_set<std::string> deleted_words;
    std::unordered_set<std::string> wrapper_labels;  // of outermost nodes that do not count over one child
    bool deletes_by_gold;
    bool disc_only;
    std::optional<int> longest;  // of longer sentences only the length is told, and nothing is tallied
};

// The columns of a tree, parents before their children.
struct TreeColumns {
    const std::vector<std::string>&forms, &tags, &labels;
    const std::vector<int>&parents, &leaf_parents;
};

// In the order of the fields of Sentence in src/spindle/evaluation/sentence.py.
struct SentenceCounts {
    int length = 0;
    int gold = 0, pred = 0, matched = 0, crossing = 0;
    int words = 0, tags = 0;
    int disc_gold = 0, disc_pred = 0, disc_matched = 0;
    int distinct_gold = 0, distinct_pred = 0;
};

enum class Kind { kAttachment, kUnary, kCoordination, kLabel };

// Brackets by the code of their label, and errors by kind, over all sentences.
struct Tallies {
    std::vector<std::int64_t> gold, pred, matched;
    std::map<std::pair<int, int>, std::int64_t> confused;
    std::array<std::int64_t, 4> missing{}, extra{};
};

class TreeScorer {
  public:
    explicit TreeScorer(ScoringRules rules);

    // The counts of a sentence; nothing, if the two trees do not have the same words, or none that count.
    std::optional<SentenceCounts> score(const TreeColumns& gold, const TreeColumns& pred);

    const Tallies& tallies() const { return tallies_; }

  private:
    struct Words;
    struct Brackets;
    struct LeftOver;

    int label_code(const std::string& label);
    const TagFacts& tag_facts(const std::string& tag);
    const std::string& word(const std::string& form) const;
    Words own_words(const TreeColumns& tree);
    std::vector<int> kept_as_in_gold(const TreeColumns& gold, const Words& gold_words,
                                     const TreeColumns& pred, const Words& pred_words) const;
    Brackets brackets(const TreeColumns& tree, const std::vector<int>& kept);
    void compare(const Brackets& gold, const Brackets& pred, const TreeColumns& gold_tree,
                 const Words& gold_words, const TreeColumns& pred_tree, const Words& pred_words,
                 SentenceCounts& counts);

    ScoringRules rules_;
    std::unordered_map<std::string, int> label_codes_;
    std::unordered_map<std::string, TagFacts> tag_facts_;
    Tallies tallies_;
};

}  // namespace spindle
