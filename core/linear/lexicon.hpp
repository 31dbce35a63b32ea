// Which labels a word may get: a frequent word those that it was seen with, any other word the open ones.
// Where labels stand beneath tags, a word with a tag gets labels beneath this tag only.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "linear/sentence.hpp"

namespace spindle {

using Label = std::uint16_t;
using Labels = std::vector<Label>;

// Throws std::invalid_argument unless every word has one label, below `label_count`.
void check_labels(const Sentences& sentences, const std::vector<Labels>& labels, int label_count);

class Lexicon {
  public:
    struct Columns {
        std::vector<Atom> words;            // the frequent ones, ascending
        std::vector<std::uint32_t> starts;  // where the labels of each begin, and where all end
        Labels labels;
        Labels open;
    };

    // `tags` holds the tag above each label; it is empty if the labels are tags themselves.
    Lexicon(Columns columns, int label_count, std::vector<Atom> tags);
    static Lexicon learn(const Sentences& sentences, const std::vector<Labels>& gold, int label_count,
                         std::vector<Atom> tags);

    const Columns& columns() const { return columns_; }
    int label_count() const { return label_count_; }
    bool has_tags() const { return !tags_.empty(); }

    bool is_frequent(Atom form) const { return !labels_of(form).empty(); }
    // Writes the labels that a word with this form and tag may get: at least one.
    void find_candidates(Atom form, Atom tag, Labels& candidates) const;

  private:
    std::span<const Label> labels_of(Atom form) const;  // empty for a word that is not frequent

    Columns columns_;
    int label_count_;
    std::vector<Atom> tags_;
    std::unordered_map<Atom, Labels> labels_of_tag_;
};

}  // namespace spindle
