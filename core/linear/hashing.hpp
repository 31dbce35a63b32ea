// Feature hashing: a string becomes an Atom once, when a sentence is built; templates mix atoms into hashes
// that index a table of weights. No feature is ever written out as a string.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace spindle {

using Atom = std::uint32_t;  // a hashed string; 0 is the empty string, or nothing at all
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

// The conjunction of a feature with a class (a tag, a label): cheap, so that a template is mixed once and
// looked up for every class. The weights of the classes are scattered over the table ...
inline FeatureHash scattered_class(FeatureHash hash, std::uint64_t number) {
    return hash + (number + 1) * 0xA24BAED4963EE407ull;
}

// Tables are indexed by the high bits of a hash, because mixing moves information towards them.
inline constexpr int kIndexShift = 20;

// ... or adjacent, so that looking up all classes costs one cache miss, or a few.
inline FeatureHash adjacent_class(FeatureHash hash, std::uint64_t number) {
    return hash + (number << kIndexShift);
}

inline Atom atom(std::string_view text) {
    if (text.empty()) return 0;
    std::uint64_t hash = 0xCBF29CE484222325ull;
    for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3ull;
    hash ^= hash >> 32;
    hash *= 0xD6E8FEB86659FD93ull;
    const auto folded = static_cast<Atom>(hash >> 32);
    return folded ? folded : 1;
}

// The features of one decision. The capacity is the number of templates, known when a template is written.
template <std::size_t kCapacity>
class FeatureList {
  public:
    template <class... Values>
    void add(std::uint64_t kind, Values... values) {
        push(feature(kind, values...));
    }
    void push(FeatureHash hash) {
        if (size_ == kCapacity) overflow();
        hashes_[size_++] = hash;
    }
    void clear() { size_ = 0; }
    const FeatureHash* begin() const { return hashes_.data(); }
    const FeatureHash* end() const { return hashes_.data() + size_; }

  private:
    [[noreturn]] static void overflow() {
        throw std::length_error("a feature list is too short for its templates");
    }

    std::array<FeatureHash, kCapacity> hashes_;
    std::size_t size_ = 0;
};

}  // namespace spindle
