#include "linear/arc_dictionary.hpp"

#include <algorithm>
#include <cstdlib>

#include "support/checks.hpp"

namespace spindle {

ArcDictionary::ArcDictionary(const std::vector<std::uint64_t>& keys,
                             const std::vector<std::int32_t>& distances) {
    check_same_length(keys.size(), "keys of the arc dictionary", distances.size(), "distances");
    for (std::size_t at = 0; at < keys.size(); ++at) farthest_[keys[at]] = distances[at];
}

std::uint64_t ArcDictionary::key(const PaddedSentence& words, int head, int modifier) {
    return feature(1000, words.tag_of(head), words.tag(modifier), direction(head, modifier));
}

void ArcDictionary::see(const PaddedSentence& words, const std::vector<int>& heads) {
    for (int word = 0; word < words.size(); ++word) {
        std::int32_t& farthest = farthest_[key(words, heads[word], word)];
        farthest = std::max(farthest, heads[word] == kRoot ? 1 : std::abs(heads[word] - word));
    }
}

bool ArcDictionary::allows(const PaddedSentence& words, int head, int modifier) const {
    const auto found = farthest_.find(key(words, head, modifier));
    return found != farthest_.end() && (head == kRoot || std::abs(head - modifier) <= found->second);
}

std::vector<std::uint64_t> ArcDictionary::keys() const {
    std::vector<std::uint64_t> keys;
    for (const auto& [key, distance] : farthest_) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    return keys;
}

std::vector<std::int32_t> ArcDictionary::distances(const std::vector<std::uint64_t>& keys) const {
    std::vector<std::int32_t> distances;
    for (const std::uint64_t key : keys) distances.push_back(farthest_.at(key));
    return distances;
}

}  // namespace spindle
