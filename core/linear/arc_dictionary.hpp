#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "linear/arc_features.hpp"

namespace spindle {

// Which tags have been seen as head and modifier of each other, and how far apart at most.
class ArcDictionary {
  public:
    ArcDictionary() = default;
    // From the two columns of a model file.
    ArcDictionary(const std::vector<std::uint64_t>& keys, const std::vector<std::int32_t>& distances);

    void see(const PaddedSentence& words, const std::vector<int>& heads);
    bool allows(const PaddedSentence& words, int head, int modifier) const;

    std::vector<std::uint64_t> keys() const;
    std::vector<std::int32_t> distances(const std::vector<std::uint64_t>& keys) const;

  private:
    static std::uint64_t key(const PaddedSentence& words, int head, int modifier);
    std::unordered_map<std::uint64_t, std::int32_t> farthest_;
};

}  // namespace spindle
