#pragma once

#include <string>
#include <vector>

namespace spindle {

// A constituent tree as columns, nodes in canonical order: see src/spindle/trees/tree.py for the
// representation. Strings are UTF-8.
struct TreeColumns {
    std::vector<std::string> forms, tags;  // of every word
    std::vector<std::string> labels;       // of every node
    std::vector<int> parents;              // the parent of every node
    std::vector<int> leaf_parents;         // the parent of every word

    // Throws std::invalid_argument unless the columns fit together and parents stand before their children.
    void check() const;
};

}  // namespace spindle
