// A tree to search, as columns of symbol numbers.
#pragma once

#include <vector>

namespace spindle {

struct SearchTree {
    // Of every node of a constituent tree; all empty for a d-tree.
    std::vector<int> labels, parents;
    std::vector<int> functions;  // or empty if no node has one
    std::vector<int> heads;      // the lexical head of every node; empty if heads are not known

    // Of every word. In a d-tree `leaf_parents` are the heads and `leaf_functions` the symbols of the arcs.
    std::vector<int> forms, tags, leaf_parents;
    std::vector<int> lemmas, morphs, leaf_functions;  // or empty if no word has one
    std::vector<int> events;                          // of a d-tree

    bool is_dtree = false;

    void clear() {
        for (auto* column : {&labels, &parents, &functions, &heads, &forms, &tags, &leaf_parents, &lemmas,
                             &morphs, &leaf_functions, &events})
            column->clear();
        is_dtree = false;
    }
    // Throws std::invalid_argument unless the columns fit together and parents never lead out of them.
    void check() const;
};

}  // namespace spindle
