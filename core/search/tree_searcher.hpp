// Searches the trees of a store for a pattern, on several threads.
#pragma once

#include <string_view>
#include <vector>

#include "search/matcher.hpp"
#include "search/pattern.hpp"
#include "search/tree_store.hpp"

namespace spindle {

struct TreeMatches {
    int tree;  // its number in the store
    std::vector<Match> matches;
    bool has_too_many_steps = false;
};

class TreeSearcher {
  public:
    // The store must outlive the searcher.
    TreeSearcher(const TreeStore& store, Pattern pattern, bool collects_names);

    const TreeStore& store() const { return store_; }
    // The first symbol for which a predicate of Python's has not been evaluated yet.
    std::size_t first_new_symbol() const { return evaluated_; }
    // Says of which of the new symbols a predicate of Python's holds.
    void extend(int predicate, std::string_view holds);

    // The trees of the store that match, in order.
    std::vector<TreeMatches> find(int threads);

  private:
    const TreeStore& store_;
    Pattern pattern_;
    bool collects_names_;
    PredicateTable holds_;
    std::size_t evaluated_ = 0;
};

}  // namespace spindle
