#include "search/tree_store.hpp"

#include <algorithm>

#include "support/parallel.hpp"
#include "treebanks/brackets.hpp"

namespace spindle {

namespace {

constexpr std::size_t kTextsPerTask = 64;

// The tree of a text, if there is exactly one and its leaves are plain.
bool parse_plain(std::string_view text, ParsedTree& tree) {
    ParsedTrees parsed = parse_brackets(text, false);
    if (parsed.is_nested || parsed.trees.size() != 1 || !parsed.trees[0].fault.empty()) return false;
    tree = std::move(parsed.trees[0]);
    return true;
}

}  // namespace

SearchTree& TreeStore::add() {
    if (count_ == trees_.size()) trees_.emplace_back();
    trees_[count_].clear();
    return trees_[count_++];
}

std::vector<char> TreeStore::add_texts(std::span<const std::string_view> texts, int threads) {
    std::vector<char> is_plain(texts.size(), false);
    std::vector<ParsedTree> parsed(texts.size());
    parallel_for((texts.size() + kTextsPerTask - 1) / kTextsPerTask, threads, [&](std::size_t task) {
        const std::size_t end = std::min(texts.size(), (task + 1) * kTextsPerTask);
        for (std::size_t at = task * kTextsPerTask; at < end; ++at)
            is_plain[at] = parse_plain(texts[at], parsed[at]);
    });
    for (std::size_t at = 0; at < texts.size(); ++at) {
        if (!is_plain[at]) continue;
        SearchTree& tree = add();
        const auto intern = [this](const std::vector<std::string>& strings, std::vector<int>& column) {
            column.reserve(strings.size());
            for (const std::string& text : strings) column.push_back(symbols_.intern(text));
        };
        TreeColumns& columns = parsed[at].columns;
        intern(columns.labels, tree.labels);
        intern(columns.forms, tree.forms);
        intern(columns.tags, tree.tags);
        intern(parsed[at].lemmas, tree.lemmas);
        intern(parsed[at].morphs, tree.morphs);
        tree.parents = std::move(columns.parents);
        tree.leaf_parents = std::move(columns.leaf_parents);
    }
    return is_plain;
}

}  // namespace spindle
