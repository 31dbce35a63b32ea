#include "search/search_tree.hpp"

#include <stdexcept>

#include "support/checks.hpp"
#include "trees/dtree.hpp"
#include "trees/tree.hpp"

namespace spindle {

void SearchTree::check() const {
    const auto check_words = [this](const std::vector<int>& column, const char* name) {
        if (!column.empty()) check_same_length(forms.size(), "forms", column.size(), name);
    };
    check_same_length(forms.size(), "forms", tags.size(), "tags");
    check_same_length(forms.size(), "forms", leaf_parents.size(), "leaf parents");
    check_words(lemmas, "lemmas");
    check_words(morphs, "morphs");
    check_words(leaf_functions, "leaf functions");
    check_words(events, "events");
    if (is_dtree) {
        check_heads_exist(leaf_parents);
        if (!spindle::is_dtree(leaf_parents)) throw std::invalid_argument("the heads do not form one tree");
        return;
    }
    check_same_length(labels.size(), "labels", parents.size(), "parents");
    if (!functions.empty()) check_same_length(labels.size(), "labels", functions.size(), "functions");
    check_tree(parents, leaf_parents);
    if (!heads.empty()) check_heads(parents, leaf_parents, heads);
}

}  // namespace spindle
