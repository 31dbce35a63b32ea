// Compares two trees of one sentence bracket by bracket. src/spindle/evaluation/comparison.py and
// breakdown.py say what is counted, and why; their readable versions are the reference for this one.
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

#include "trees/tree_columns.hpp"

namespace spindle {

inline constexpr int kDeleted = -1;  // the code of labels whose brackets do not count

// What the settings say of a part-of-speech tag.
struct TagFacts {
    int compared_as;
    bool is_deleted, is_in_length, is_dropped_trace, is_conjunction;
};

struct ScoringRules {
    // Called once for every different label and tag.
    std::function<int(const std::string&)> label_code;
    std::function<TagFacts(const std::string&)> tag_facts;
    std::unordered_map<std::string, std::string> equal_words;  // maps a word to the one that represents it
    std::unordered_set<std::string> deleted_words;
    std::unordered_set<std::string>
        wrapper_labels;  // outermost nodes with one child and such a label do not count
    bool deletes_by_gold;
    bool disc_only;
    std::optional<int> longest;  // of longer sentences only the length is counted
};

// In the order of the fields of Sentence in src/spindle/evaluation/sentence.py.
struct SentenceCounts {
    int length = 0;
    int gold = 0, pred = 0, matched = 0, crossing = 0;
    int words = 0, tags = 0;
    int disc_gold = 0, disc_pred = 0, disc_matched = 0;
    int distinct_gold = 0, distinct_pred = 0;
};

enum class ErrorKind { kAttachment, kUnary, kCoordination, kLabel };

// Brackets by the code of their label, and errors by kind, over all sentences.
struct Tallies {
    std::vector<std::int64_t> gold, pred, matched;
    std::map<std::pair<int, int>, std::int64_t> confused;
    std::array<std::int64_t, 4> missing{}, extra{};
};

class TreeScorer {
  public:
    explicit TreeScorer(ScoringRules rules);

    // The counts of a sentence. Returns nothing if the two trees do not have the same words, or none that
    // count.
    std::optional<SentenceCounts> score(const TreeColumns& gold, const TreeColumns& pred);

    const Tallies& tallies() const { return tallies_; }

  private:
    struct Words;
    struct Bracket;
    struct Brackets;
    struct Unmatched;
    struct SameYield;
    struct ComparedTree;

    int label_code(const std::string& label);
    const TagFacts& tag_facts(const std::string& tag);
    const std::string& word(const std::string& form) const;
    Words own_words(const TreeColumns& tree);
    std::vector<int> kept_as_in_gold(const TreeColumns& gold, const Words& gold_words,
                                     const TreeColumns& pred, const Words& pred_words) const;
    bool is_wrapped(const TreeColumns& tree) const;
    Brackets brackets(const TreeColumns& tree, const std::vector<int>& kept);
    void compare(const ComparedTree& gold, const ComparedTree& pred, SentenceCounts& counts);
    void match_labels(const SameYield& same, std::vector<Bracket>& missing, std::vector<Bracket>& extra,
                      SentenceCounts& counts);
    void tally_confusions(std::vector<Bracket>& missing, std::vector<Bracket>& extra);

    ScoringRules rules_;
    std::unordered_map<std::string, int> label_codes_;
    std::unordered_map<std::string, TagFacts> tag_facts_;
    Tallies tallies_;
};

}  // namespace spindle
