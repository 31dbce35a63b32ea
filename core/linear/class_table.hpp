// Which classes (labels, unary chains, functions) are candidates: those that training has seen in the same
// context, such as between two tags. Contexts are hashed like features.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "linear/hashing.hpp"

namespace spindle {

using Class = std::int32_t;

class ClassTable {
  public:
    // `classes[starts[i]]` to `classes[starts[i + 1] - 1]` were seen in context `keys[i]`; keys ascend.
    // Throws std::invalid_argument if the columns do not fit together or a class is not below `count`.
    ClassTable(std::vector<FeatureHash> keys, std::vector<std::int32_t> starts, std::vector<Class> classes,
               int count);

    // In ascending order; empty if training has not seen the context.
    std::span<const Class> find(FeatureHash key) const;

    const std::vector<FeatureHash>& keys() const { return keys_; }
    const std::vector<std::int32_t>& starts() const { return starts_; }
    const std::vector<Class>& classes() const { return classes_; }

  private:
    std::vector<FeatureHash> keys_;
    std::vector<std::int32_t> starts_;
    std::vector<Class> classes_;
};

class ClassTableBuilder {
  public:
    void add(FeatureHash key, Class seen) { seen_.emplace(key, seen); }
    ClassTable table(int count) const;

  private:
    std::set<std::pair<FeatureHash, Class>> seen_;
};

}  // namespace spindle
