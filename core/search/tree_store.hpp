// Trees to search, with the strings that they share.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "search/search_tree.hpp"
#include "search/symbols.hpp"

namespace spindle {

class TreeStore {
  public:
    TreeStore() { symbols_.intern(""); }  // as symbol kNothing

    // A new tree, empty; its symbols must be numbers of `symbols`.
    SearchTree& add();
    // Takes back the tree that was added last.
    void drop() { --count_; }
    // Removes all trees; symbols are kept.
    void clear() { count_ = 0; }

    // Adds one tree for each text that is exactly one tree in brackets with leaves (TAG word); returns which
    // texts are. Others must be read with more care.
    std::vector<char> add_texts(std::span<const std::string_view> texts, int threads);

    std::span<const SearchTree> trees() const { return {trees_.data(), count_}; }
    const SymbolTable& symbols() const { return symbols_; }
    SymbolTable& symbols() { return symbols_; }

  private:
    SymbolTable symbols_;
    std::vector<SearchTree> trees_;  // those that were removed are kept, so that their memory is reused
    std::size_t count_ = 0;
};

}  // namespace spindle
