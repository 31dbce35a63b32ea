#include "search/tree_index.hpp"

#include <algorithm>
#include <bit>
#include <string>

namespace spindle {

std::vector<std::uint32_t> TreeSet::numbers() const {
    std::vector<std::uint32_t> found;
    for (std::size_t at = 0; at < bits_.size(); ++at)
        for (std::uint64_t left = bits_[at]; left; left &= left - 1)
            found.push_back(static_cast<std::uint32_t>(64 * at) +
                            static_cast<std::uint32_t>(std::countr_zero(left)));
    return found;
}

TreeIndex::TreeIndex(std::span<const std::uint8_t> bytes) : bytes_(bytes) {
    const auto is_magic = [&](std::size_t at) {
        return std::string_view(reinterpret_cast<const char*>(bytes.data()) + at, kIndexMagic.size()) ==
               kIndexMagic;
    };
    if (bytes.size() < kIndexHeader + kFooterBytes || !is_magic(0)) throw BadIndex("this is not an index");
    if (number_at(8) != kIndexVersion)
        throw BadIndex("it has version " + std::to_string(number_at(8)) + ", this program reads version " +
                       std::to_string(kIndexVersion));
    const std::uint64_t footer = bytes.size() - kFooterBytes;
    if (!is_magic(bytes.size() - kIndexMagic.size())) throw BadIndex("its end is missing");
    std::uint64_t numbers[kFooterNumbers];
    for (std::size_t at = 0; at < kFooterNumbers; ++at) numbers[at] = number_at(footer + 8 * at);
    static_assert(sizeof numbers == sizeof footer_);
    std::memcpy(&footer_, numbers, sizeof numbers);
    const std::uint64_t start = footer_.checksums;
    const std::uint64_t blocks = start / kIndexBlock + (start % kIndexBlock != 0);
    if (start > footer || footer - start != 8 * blocks ||
        checksum(bytes.data() + start, footer - start + 8 * kFooterNumbers) !=
            number_at(footer + 8 * kFooterNumbers) ||
        number_at(footer + 8 * (kFooterNumbers + 1)) != kIndexVersion)
        throw BadIndex("its footer is damaged");
    const auto fits = [](std::uint64_t from, std::uint64_t count, std::uint64_t width, std::uint64_t to) {
        return from <= to && count <= (to - from) / width;
    };
    if (!fits(footer_.tree_offsets, footer_.trees + 1, 8, footer_.symbol_texts) ||
        footer_.symbol_texts > footer_.symbol_offsets ||
        !fits(footer_.symbol_offsets, footer_.symbols + 1, 8, footer_.lists) ||
        footer_.lists > footer_.list_entries ||
        !fits(footer_.list_entries, footer_.entries, kIndexEntry, footer_.meta) || footer_.meta > start ||
        footer_.tree_offsets < kIndexHeader || footer_.trees >= UINT32_MAX || footer_.symbols >= INT32_MAX)
        throw BadIndex("its sections do not fit together");
    is_verified_ = std::make_unique<std::atomic<bool>[]>(blocks);
}

void TreeIndex::verify(std::uint64_t from, std::uint64_t to) const {
    if (from >= to) return;
    for (std::uint64_t block = from / kIndexBlock; block <= (to - 1) / kIndexBlock; ++block) {
        if (is_verified_[block].load(std::memory_order_relaxed)) continue;
        const std::uint64_t start = block * kIndexBlock;
        const std::size_t size = std::min<std::uint64_t>(kIndexBlock, footer_.checksums - start);
        if (checksum(bytes_.data() + start, size) != number_at(footer_.checksums + 8 * block))
            throw BadIndex("it is damaged between byte " + std::to_string(start) + " and byte " +
                           std::to_string(start + size));
        is_verified_[block].store(true, std::memory_order_relaxed);
    }
}

std::span<const std::uint8_t> TreeIndex::between(std::uint64_t offset, std::uint64_t first,
                                                 std::uint64_t last) const {
    verify(offset, offset + 16);
    const std::uint64_t from = number_at(offset), to = number_at(offset + 8);
    if (from < first || to < from || last < to) throw BadIndex("an offset leads out of its section");
    return bytes_.subspan(from, to - from);
}

std::string_view TreeIndex::meta() const {
    verify(footer_.meta, footer_.checksums);
    return {reinterpret_cast<const char*>(bytes_.data()) + footer_.meta, footer_.checksums - footer_.meta};
}

void TreeIndex::fill(SymbolTable& symbols) const {
    verify(footer_.symbol_texts, footer_.lists);
    symbols.reserve(footer_.symbols);
    for (std::uint64_t symbol = 0; symbol < footer_.symbols; ++symbol) {
        const auto text =
            between(footer_.symbol_offsets + 8 * symbol, footer_.symbol_texts, footer_.symbol_offsets);
        const auto number = symbols.intern({reinterpret_cast<const char*>(text.data()), text.size()});
        if (static_cast<std::uint64_t>(number) != symbol) throw BadIndex("a symbol is there twice");
    }
}

void TreeIndex::verify(std::span<const std::uint32_t> trees) const {
    for (const std::uint32_t tree : trees) {
        if (tree >= footer_.trees) throw BadIndex("there are fewer trees");
        const auto record = between(footer_.tree_offsets + 8 * tree, kIndexHeader, footer_.tree_offsets);
        const auto from = static_cast<std::uint64_t>(record.data() - bytes_.data());
        verify(from, from + record.size());
    }
}

std::string_view TreeIndex::read(std::uint32_t number, SearchTree& tree) const {
    verify({&number, 1});
    const auto record =
        between(footer_.tree_offsets + 8 * std::uint64_t{number}, kIndexHeader, footer_.tree_offsets);
    NumberReader in(record.data(), record.data() + record.size());
    const std::uint32_t flags = in.next(), words = in.next(), nodes = in.next();
    if (flags > kAllIndexFlags) throw BadIndex("a tree has unknown columns");
    const auto read_column = [&](std::vector<int>& column, std::uint32_t size, std::uint64_t limit,
                                 int offset) {
        if (size > in.left()) throw BadIndex("a record is cut off");
        column.resize(size);
        for (int& value : column) {
            const std::uint32_t found = in.next();
            if (found >= limit) throw BadIndex("a number is too large");
            value = static_cast<int>(found) - offset;
        }
    };
    const auto read_if = [&](IndexFlags flag, std::vector<int>& column, std::uint32_t size,
                             std::uint64_t limit) { read_column(column, flags & flag ? size : 0, limit, 0); };
    tree.is_dtree = flags & kIsDTree;
    read_column(tree.forms, words, footer_.symbols, 0);
    read_column(tree.tags, words, footer_.symbols, 0);
    read_if(kHasLemmas, tree.lemmas, words, footer_.symbols);
    read_if(kHasMorphs, tree.morphs, words, footer_.symbols);
    read_if(kHasLeafFunctions, tree.leaf_functions, words, footer_.symbols);
    read_if(kHasEvents, tree.events, words, INT32_MAX);
    read_column(tree.labels, nodes, footer_.symbols, 0);
    read_if(kHasFunctions, tree.functions, nodes, footer_.symbols);
    read_if(kHasHeads, tree.heads, nodes, words);
    read_column(tree.leaf_parents, words, std::uint64_t{tree.is_dtree ? words : nodes} + 1, 1);
    read_column(tree.parents, nodes, std::uint64_t{nodes} + 1, 1);
    const std::string_view details = in.bytes(in.next());
    if (in.left()) throw BadIndex("a record is too long");
    try {
        tree.check();
    } catch (const std::invalid_argument& error) {
        throw BadIndex(error.what());
    }
    return details;
}

void TreeIndex::collect(IndexField field, const std::function<bool(std::uint32_t)>& is_wanted,
                        TreeSet& found) const {
    verify(footer_.list_entries, footer_.meta);
    const auto entry = [&](std::uint64_t at) {
        return bytes_.data() + footer_.list_entries + kIndexEntry * at;
    };
    const auto first_of = [&](std::uint64_t wanted) {
        std::uint64_t low = 0, high = footer_.entries;
        while (low < high) {
            const std::uint64_t middle = low + (high - low) / 2;
            if (get_fixed(entry(middle), 4) < wanted)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    };
    const auto number = static_cast<std::uint64_t>(field);
    const std::uint64_t end = first_of(number + 1);
    for (std::uint64_t at = first_of(number); at < end; ++at) {
        const auto symbol = static_cast<std::uint32_t>(get_fixed(entry(at) + 4, 4));
        if (field != IndexField::kGap && symbol >= footer_.symbols) throw BadIndex("a number is too large");
        if (!is_wanted(symbol)) continue;
        const std::uint64_t from = get_fixed(entry(at) + 8, 8);
        const std::uint64_t to =
            at + 1 < footer_.entries ? get_fixed(entry(at + 1) + 8, 8) : footer_.list_entries;
        if (from < footer_.lists || to < from || footer_.list_entries < to)
            throw BadIndex("an offset leads out of its section");
        verify(from, to);
        NumberReader in(bytes_.data() + from, bytes_.data() + to);
        for (std::uint64_t next = 0; in.left();) {
            const std::uint64_t tree = next + in.next();
            if (tree >= footer_.trees) throw BadIndex("a number is too large");
            found.add(static_cast<std::uint32_t>(tree));
            next = tree + 1;
        }
    }
}

}  // namespace spindle
