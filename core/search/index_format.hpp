// The layout of an index file, which `IndexWriter` writes and `TreeIndex` reads; src/spindle/search/index.py
// says what an index is for. All numbers are little-endian.
//
//   magic, version                            16 bytes
//   trees          a record for every tree    see below
//   tree offsets   8 bytes each, one more than trees
//   symbol texts, symbol offsets              8 bytes each, one more than symbols
//   lists          for a field and a symbol: the numbers of the trees that have it, as differences
//   list entries   field, symbol, offset of the list: 4 + 4 + 8 bytes, sorted by field and symbol
//   meta           a text of the caller's
//   checksums      8 bytes for every block of kIndexBlock bytes before them
//   footer         kFooterNumbers numbers, the checksum of checksums and footer, version, magic
//
// The record of a tree consists of numbers of variable length: flags, words, nodes, the columns that the
// flags say, and the length and the bytes of what the caller adds. A checksum is verified before its block is
// used.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace spindle {

inline constexpr std::string_view kIndexMagic = "\x89SPINDX\n";
inline constexpr std::uint64_t kIndexVersion = 1;
inline constexpr std::size_t kIndexHeader = 16;
inline constexpr std::size_t kIndexBlock = std::size_t{1} << 16;
inline constexpr std::size_t kIndexEntry = 16;

// The numbers of the footer: counts, and where the sections start.
struct IndexFooter {
    std::uint64_t trees, words, symbols, entries;
    std::uint64_t tree_offsets, symbol_texts, symbol_offsets, lists, list_entries, meta, checksums;
};
inline constexpr std::size_t kFooterNumbers = sizeof(IndexFooter) / 8;
inline constexpr std::size_t kFooterBytes = 8 * (kFooterNumbers + 3);  // and checksum, version, magic

// What a list is about.
enum class IndexField : std::uint32_t {
    kLabel,  // the labels of nodes
    kTag,
    kForm,
    kLemma,
    kMorph,
    kFunction,  // the edge labels of nodes and words; of a d-tree the symbols of arcs
    kGap,       // symbol 0: a vertex has a gap
};
inline constexpr std::uint32_t kIndexFields = static_cast<std::uint32_t>(IndexField::kGap) + 1;

// The columns that a record has.
enum IndexFlags : std::uint32_t {
    kIsDTree = 1,
    kHasFunctions = 2,
    kHasHeads = 4,
    kHasLemmas = 8,
    kHasMorphs = 16,
    kHasLeafFunctions = 32,
    kHasEvents = 64,
    kAllIndexFlags = 127,
};

// An index that is cut off, damaged, or not an index.
class BadIndex : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

inline void put_fixed(std::string& bytes, std::uint64_t number, int width) {
    for (int at = 0; at < width; ++at) bytes.push_back(static_cast<char>(number >> (8 * at)));
}

inline std::uint64_t get_fixed(const std::uint8_t* bytes, int width) {
    std::uint64_t number = 0;
    for (int at = 0; at < width; ++at) number |= std::uint64_t{bytes[at]} << (8 * at);
    return number;
}

// Seven bits a byte, the lowest first; the last byte is below 128.
inline void put_number(std::string& bytes, std::uint32_t number) {
    for (; number >= 128; number >>= 7) bytes.push_back(static_cast<char>(number | 128));
    bytes.push_back(static_cast<char>(number));
}

// Reads numbers of variable length, and never past the end.
class NumberReader {
  public:
    NumberReader(const std::uint8_t* at, const std::uint8_t* end) : at_(at), end_(end) {}

    std::uint32_t next() {
        std::uint32_t number = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            if (at_ == end_) break;
            const std::uint32_t byte = *at_++;
            number |= (byte & 127) << shift;
            if (byte < 128) return number;
        }
        throw BadIndex("a number is cut off");
    }
    std::string_view bytes(std::size_t size) {
        if (size > left()) throw BadIndex("a record is cut off");
        const auto* start = reinterpret_cast<const char*>(at_);
        at_ += size;
        return {start, size};
    }
    std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  private:
    const std::uint8_t* at_;
    const std::uint8_t* end_;
};

// A checksum against damage, not against forgery: any change of one word changes it.
inline std::uint64_t checksum(const std::uint8_t* bytes, std::size_t size) {
    constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15ull;
    const auto mix = [](std::uint64_t lane, std::uint64_t word) {
        lane = (lane ^ word) * kFactor;
        return lane ^ (lane >> 29);
    };
    std::uint64_t lanes[4] = {size, 1, 2, 3};  // four, because a multiplication takes several cycles
    std::size_t at = 0;
    for (; at + 32 <= size; at += 32)
        for (std::size_t lane = 0; lane < 4; ++lane)
            lanes[lane] = mix(lanes[lane], get_fixed(bytes + at + 8 * lane, 8));
    for (; at < size; ++at) lanes[0] = mix(lanes[0], bytes[at]);
    return mix(mix(mix(lanes[0], lanes[1]), lanes[2]), lanes[3]);
}

}  // namespace spindle
