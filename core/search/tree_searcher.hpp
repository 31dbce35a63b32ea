// Searches the trees of a store for a pattern, on several threads.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "search/candidates.hpp"
#include "search/matcher.hpp"
#include "search/pattern.hpp"
#include "search/tree_index.hpp"
#include "search/tree_store.hpp"

namespace spindle {

struct TreeMatches {
    std::uint32_t tree;  // its number in the store or the index
    Matches matches;
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
    // Of some trees of an index, whose symbols are those of the store, the ones that match, in order.
    std::vector<TreeMatches> find(const TreeIndex& index, std::span<const std::uint32_t> numbers,
                                  int threads);
    // The trees of an index, whose symbols are those of the store, that may match.
    std::vector<std::uint32_t> candidates(const TreeIndex& index, SearchedAs form);

  private:
    // Evaluates literal predicates for new symbols; throws if others have not been evaluated.
    void update();
    // Calls `tree(at, scratch)`, which returns a tree and may use the other tree for it, for every `at`.
    template <class Tree>
    std::vector<TreeMatches> find_all(std::size_t count, int threads, Tree&& tree);

    const TreeStore& store_;
    Pattern pattern_;
    bool collects_names_;
    PredicateTable holds_;
    std::size_t evaluated_ = 0;
};

}  // namespace spindle
