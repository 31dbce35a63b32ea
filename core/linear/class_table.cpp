#include "linear/class_table.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace spindle {

ClassTable::ClassTable(std::vector<FeatureHash> keys, std::vector<std::int32_t> starts,
                       std::vector<Class> classes, int count)
    : keys_(std::move(keys)), starts_(std::move(starts)), classes_(std::move(classes)) {
    if (starts_.size() != keys_.size() + 1 || starts_.front() != 0 ||
        starts_.back() != static_cast<std::int32_t>(classes_.size()) ||
        !std::is_sorted(starts_.begin(), starts_.end()))
        throw std::invalid_argument("a table of classes is damaged: its rows do not fit together");
    if (!std::is_sorted(keys_.begin(), keys_.end()))
        throw std::invalid_argument("a table of classes is damaged: its keys are not in order");
    for (const Class seen : classes_)
        if (seen < 0 || seen >= count)
            throw std::invalid_argument("a table of classes is damaged: there is no class " +
                                        std::to_string(seen));
}

std::span<const Class> ClassTable::find(FeatureHash key) const {
    const auto place = std::lower_bound(keys_.begin(), keys_.end(), key);
    if (place == keys_.end() || *place != key) return {};
    const auto row = place - keys_.begin();
    return {classes_.data() + starts_[row], static_cast<std::size_t>(starts_[row + 1] - starts_[row])};
}

ClassTable ClassTableBuilder::table(int count) const {
    std::vector<FeatureHash> keys;
    std::vector<std::int32_t> starts;
    std::vector<Class> classes;
    for (const auto& [key, seen] : seen_) {
        if (keys.empty() || keys.back() != key) {
            keys.push_back(key);
            starts.push_back(static_cast<std::int32_t>(classes.size()));
        }
        classes.push_back(seen);
    }
    starts.push_back(static_cast<std::int32_t>(classes.size()));
    return ClassTable(std::move(keys), std::move(starts), std::move(classes), count);
}

}  // namespace spindle
