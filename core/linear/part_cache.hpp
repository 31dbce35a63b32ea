// The scores of all parts of a sentence that have been computed: a hash table with open addressing.
#pragma once

#include <cstdint>
#include <vector>

namespace spindle {

class PartCache {
  public:
    // Keys have 13 bits for a position, which is shifted so that the negative ones fit.
    static constexpr int kLongest = 8000;  // words of a sentence

    PartCache() : keys_(1 << 12, 0), values_(1 << 12) {}

    void clear() {
        for (const std::size_t place : used_) keys_[place] = 0;
        used_.clear();
    }

    // The score of a part of up to four words; compute() is called if it is not known.
    template <class Compute>
    float get(int kind, int a, int b, int c, int d, Compute&& compute) {
        std::uint64_t key = static_cast<std::uint64_t>(kind);
        for (const int position : {a, b, c, d})
            key = key << kPositionBits | static_cast<unsigned>(position + kShift);
        std::size_t place = first_place(key, keys_.size());
        while (keys_[place] != 0) {
            if (keys_[place] == key) return values_[place];
            place = (place + 1) & (keys_.size() - 1);
        }
        const float value = compute();
        if (used_.size() * 2 > keys_.size()) {
            grow();
            place = free_place(key, keys_);
        }
        keys_[place] = key;
        values_[place] = value;
        used_.push_back(place);
        return value;
    }

  private:
    static constexpr int kPositionBits = 13, kShift = 4;
    static_assert(kLongest + kShift <= 1 << kPositionBits);

    static std::size_t first_place(std::uint64_t key, std::size_t size) {
        return (key * 0x9E3779B97F4A7C15ull) >> 20 & (size - 1);
    }
    static std::size_t free_place(std::uint64_t key, const std::vector<std::uint64_t>& keys) {
        std::size_t place = first_place(key, keys.size());
        while (keys[place] != 0) place = (place + 1) & (keys.size() - 1);
        return place;
    }

    void grow() {
        std::vector<std::uint64_t> keys(keys_.size() * 4, 0);
        std::vector<float> values(keys.size());
        for (std::size_t& place : used_) {
            const std::size_t goal = free_place(keys_[place], keys);
            keys[goal] = keys_[place];
            values[goal] = values_[place];
            place = goal;
        }
        keys_.swap(keys);
        values_.swap(values);
    }

    std::vector<std::uint64_t> keys_;  // 0 where a place is free
    std::vector<float> values_;
    std::vector<std::size_t> used_;  // the places that are not free
};

}  // namespace spindle
