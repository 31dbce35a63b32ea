#include "linear/lexicon.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "support/checks.hpp"

namespace spindle {

namespace {

// The number of occurrences from which on a word is frequent. With less, words are bound to the few labels
// they happen to have in the training data.
constexpr int kFrequent = 30;

}  // namespace

void check_labels(const Sentences& sentences, const std::vector<Labels>& labels, int label_count) {
    check_same_length(sentences.size(), "sentences", labels.size(), "lists of labels");
    for (std::size_t number = 0; number < labels.size(); ++number) {
        check_same_length(static_cast<std::size_t>(sentences[number]->size()), "words", labels[number].size(),
                          "labels");
        for (const Label label : labels[number])
            if (label >= label_count)
                throw std::invalid_argument("there is no label " + std::to_string(label));
    }
}

Lexicon::Lexicon(Columns columns, int label_count, std::vector<Atom> tags)
    : columns_(std::move(columns)), label_count_(label_count), tags_(std::move(tags)) {
    const auto& [words, starts, labels, open] = columns_;
    const auto is_label = [&](Label label) { return label < label_count_; };
    // the number after the last label stands for the places before a sentence
    if (label_count_ < 1 || label_count_ >= std::numeric_limits<Label>::max())
        throw std::invalid_argument("a lexicon has 1 to 65534 labels, not " + std::to_string(label_count_));
    if (!tags_.empty() && static_cast<int>(tags_.size()) != label_count_)
        throw std::invalid_argument("a lexicon has a tag above every label, or no tags at all");
    if (starts.size() != words.size() + 1 || starts.front() != 0 || starts.back() != labels.size() ||
        !std::is_sorted(starts.begin(), starts.end()) || !std::is_sorted(words.begin(), words.end()) ||
        !std::all_of(labels.begin(), labels.end(), is_label) ||
        !std::all_of(open.begin(), open.end(), is_label) || open.empty())
        throw std::invalid_argument("the columns of a lexicon do not fit together");
    for (std::size_t label = 0; label < tags_.size(); ++label)
        labels_of_tag_[tags_[label]].push_back(static_cast<Label>(label));
}

Lexicon Lexicon::learn(const Sentences& sentences, const std::vector<Labels>& gold, int label_count,
                       std::vector<Atom> tags) {
    check_labels(sentences, gold, label_count);
    std::vector<std::pair<Atom, Label>> seen;
    for (std::size_t number = 0; number < sentences.size(); ++number)
        for (int at = 0; at < sentences[number]->size(); ++at)
            seen.emplace_back((*sentences[number])[at].form, gold[number][at]);
    std::sort(seen.begin(), seen.end());

    Columns columns;
    columns.starts.push_back(0);
    std::vector<bool> is_open(label_count, false);
    for (auto word = seen.begin(); word != seen.end();) {
        const auto end =
            std::find_if(word, seen.end(), [&](const auto& other) { return other.first != word->first; });
        if (end - word >= kFrequent) {
            columns.words.push_back(word->first);
            for (auto entry = word; entry != end; ++entry)
                if (entry == word || entry->second != (entry - 1)->second)
                    columns.labels.push_back(entry->second);
            columns.starts.push_back(static_cast<std::uint32_t>(columns.labels.size()));
        } else {
            for (auto entry = word; entry != end; ++entry) is_open[entry->second] = true;
        }
        word = end;
    }
    // where every word is frequent, any label is open
    const bool are_all_open = std::find(is_open.begin(), is_open.end(), true) == is_open.end();
    for (int label = 0; label < label_count; ++label)
        if (are_all_open || is_open[label]) columns.open.push_back(static_cast<Label>(label));
    return Lexicon(std::move(columns), label_count, std::move(tags));
}

std::span<const Label> Lexicon::labels_of(Atom form) const {
    const auto& [words, starts, labels, open] = columns_;
    const auto found = std::lower_bound(words.begin(), words.end(), form);
    if (found == words.end() || *found != form) return {};
    const auto word = static_cast<std::size_t>(found - words.begin());
    return std::span(labels).subspan(starts[word], starts[word + 1] - starts[word]);
}

void Lexicon::find_candidates(Atom form, Atom tag, Labels& candidates) const {
    candidates.clear();
    const std::span<const Label> known = labels_of(form);
    if (has_tags()) {
        for (const Label label : known)
            if (tags_[label] == tag) candidates.push_back(label);
        if (candidates.empty())
            if (const auto found = labels_of_tag_.find(tag); found != labels_of_tag_.end())
                candidates = found->second;
    }
    // a tag that training has not seen restricts nothing
    if (candidates.empty()) candidates.assign(known.begin(), known.end());
    if (candidates.empty()) candidates = columns_.open;
}

}  // namespace spindle
