// Features are hashed, never spelled out: a string becomes an Atom once, when a sentence is built, and
// templates mix atoms into numbers that index a table of weights.
#pragma once

#include <cstdint>
#include <string_view>

namespace spindle {

using Atom = std::uint32_t;  // a hashed string; 0 stands for "nothing here"
using FeatureHash = std::uint64_t;

inline FeatureHash mix(FeatureHash hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 29);
}

template <class... Values>
inline FeatureHash feature(std::uint64_t kind, Values... values) {
    FeatureHash hash = (kind + 1) * 0xD6E8FEB86659FD93ull;
    ((hash = mix(hash, static_cast<std::uint64_t>(values))), ...);
    return hash;
}

// The same feature for one of many classes (a tag, a label): cheap, so that a template is mixed once and
// looked up for every class.
inline FeatureHash for_class(FeatureHash hash, std::uint64_t number) {
    return hash + (number + 1) * 0xA24BAED4963EE407ull;
}

inline Atom atom(std::string_view text) {
    std::uint64_t hash = 0xCBF29CE484222325ull;
    for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3ull;
    hash ^= hash >> 32;
    hash *= 0xD6E8FEB86659FD93ull;
    const auto folded = static_cast<Atom>(hash >> 32);
    return folded ? folded : 1;
}

}  // namespace spindle
