// Reads the index of a treebank, which is mapped into memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "search/index_format.hpp"
#include "search/search_tree.hpp"
#include "search/symbols.hpp"

namespace spindle {

// Some of the trees of an index.
class TreeSet {
  public:
    explicit TreeSet(std::size_t trees) : bits_((trees + 63) / 64) {}

    void add(std::uint32_t tree) { bits_[tree / 64] |= std::uint64_t{1} << (tree % 64); }
    void intersect(const TreeSet& other) {
        for (std::size_t at = 0; at < bits_.size(); ++at) bits_[at] &= other.bits_[at];
    }
    void unite(const TreeSet& other) {
        for (std::size_t at = 0; at < bits_.size(); ++at) bits_[at] |= other.bits_[at];
    }
    std::vector<std::uint32_t> numbers() const;

  private:
    std::vector<std::uint64_t> bits_;
};

// Every function throws BadIndex if what it needs is damaged.
class TreeIndex {
  public:
    // The bytes must outlive the index.
    explicit TreeIndex(std::span<const std::uint8_t> bytes);

    std::size_t trees() const { return footer_.trees; }
    std::uint64_t words() const { return footer_.words; }
    std::string_view meta() const;
    // All symbols of the index, under the same numbers.
    void fill(SymbolTable& symbols) const;

    // Verifies the records of trees, whose numbers ascend.
    void verify(std::span<const std::uint32_t> trees) const;
    void verify_all() const { verify(0, footer_.checksums); }
    // Reads a tree; returns the bytes that were added to it.
    std::string_view read(std::uint32_t number, SearchTree& tree) const;

    // Adds the trees that have one of some symbols in a field.
    void collect(IndexField field, const std::function<bool(std::uint32_t)>& is_wanted, TreeSet& found) const;

  private:
    void verify(std::uint64_t from, std::uint64_t to) const;
    std::uint64_t number_at(std::uint64_t offset) const { return get_fixed(bytes_.data() + offset, 8); }
    // The bytes between two numbers at an offset; throws unless they are inside a section.
    std::span<const std::uint8_t> between(std::uint64_t offset, std::uint64_t first,
                                          std::uint64_t last) const;

    std::span<const std::uint8_t> bytes_;
    IndexFooter footer_{};
    std::unique_ptr<std::atomic<bool>[]> is_verified_;  // of every block
};

}  // namespace spindle
