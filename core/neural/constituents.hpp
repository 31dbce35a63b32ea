// The constituents of labelled d-trees, described for a network that has encoded the words: per constituent
// the words at the edges of its parts, its head, and a few small numbers. A gap is no special case: a
// discontinuous constituent has more than one part.
//
// src/spindle/parsers/neural/constituents.py describes the roles and has the readable version of this code.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "neural/tree_context.hpp"
#include "reduction/repairs.hpp"

namespace spindle {

// The parts of a constituent that are described; of more, the first ones and the last.
inline constexpr int kParts = 3;
inline constexpr int kConstituentRoles = 2 + 4 * kParts, kConstituentMarks = 5;

struct ConstituentDescription {
    std::array<std::int64_t, kConstituentRoles> roles;
    std::array<std::int64_t, kConstituentMarks> marks;
    std::uint64_t key;  // equal if sentence, symbol and yield are
    bool operator==(const ConstituentDescription&) const = default;
};

struct DescriptionHash {
    std::size_t operator()(const ConstituentDescription& description) const;
};

// Trees of the same sentence share most of their constituents: equal ones are described once.
struct ConstituentContext {
    std::vector<std::int64_t> counts;  // the constituents of every tree
    std::vector<std::int64_t> places;  // the description of every constituent of every tree
    std::vector<std::int64_t> roles;   // [descriptions, kConstituentRoles], rows of words
    std::vector<std::int64_t> marks;   // [descriptions, kConstituentMarks]
    std::vector<std::uint64_t> keys;   // [descriptions]
    std::unordered_map<ConstituentDescription, std::int64_t, DescriptionHash> numbers;
};

struct ConstituentOptions {
    EventRepairs repairs;
    bool differences;  // indices are differences to the next nearer modifier's: the delta encoding
};

// Appends the constituents of a labelled tree, whose indices are repaired first. A tree whose heads must be
// repaired, too, gets none.
void add_constituents(const DTreeSpans& labelled, WordRows rows, ConstituentOptions options,
                      ConstituentContext& context);

}  // namespace spindle
