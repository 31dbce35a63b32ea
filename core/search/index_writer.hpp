// Writes the index of a treebank, tree by tree.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "search/index_format.hpp"
#include "search/search_tree.hpp"
#include "search/symbols.hpp"
#include "search/vertices.hpp"

namespace spindle {

// The records of trees leave through `take`; only the lists stay in memory until the end.
class IndexWriter {
  public:
    IndexWriter();

    // Adds a tree, with bytes of the caller's.
    void add(const SearchTree& tree, std::string_view details);
    // Adds all that follows the trees; nothing may be added any more.
    void finish(const SymbolTable& symbols, std::string_view meta);
    // The bytes of the file since the last call.
    std::string take();

    std::uint64_t trees() const { return offsets_.size(); }
    std::uint64_t words() const { return words_; }

  private:
    // The trees that have a symbol, as differences of their numbers.
    struct List {
        std::uint32_t symbol;
        std::uint32_t next = 0;  // one more than the last tree
        std::string bytes{};
    };
    struct Field {
        std::vector<std::uint32_t> places;  // of the list of every symbol, from 1; 0 if there is none
        std::vector<List> lists;
    };

    void put(std::string_view bytes);
    void put_column(std::string& record, const std::vector<int>& column, int offset) const;
    void note(IndexField field, int symbol);
    void note_all(IndexField field, const std::vector<int>& column);
    bool has_gap(const SearchTree& tree);

    std::string buffer_;         // not taken yet
    std::string block_;          // the part of a block that has no checksum yet
    std::uint64_t written_ = 0;  // all bytes so far
    std::uint64_t words_ = 0;
    std::vector<std::uint64_t> checksums_, offsets_;
    std::array<Field, kIndexFields> fields_;
    Vertices vertices_;
    std::vector<int> first_, last_, count_;  // of the words below every node
};

}  // namespace spindle
