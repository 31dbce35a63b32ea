// The distinct strings of the trees that are searched, as numbers.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace spindle {

// The number of the empty string in every store: an attribute that a vertex does not have.
inline constexpr int kNothing = 0;

class SymbolTable {
  public:
    int intern(std::string_view text) {
        const auto known = numbers_.find(text);
        if (known != numbers_.end()) return known->second;
        const int number = static_cast<int>(texts_.size());
        numbers_.emplace(texts_.emplace_back(text), number);
        return number;
    }
    void reserve(std::size_t size) { numbers_.reserve(size); }
    std::size_t size() const { return texts_.size(); }
    const std::string& text(std::size_t number) const { return texts_[number]; }

  private:
    std::deque<std::string> texts_;  // a deque, because its strings never move
    std::unordered_map<std::string_view, int> numbers_;
};

}  // namespace spindle
