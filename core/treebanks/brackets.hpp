// Trees written as nested brackets. src/spindle/treebanks/bracket.py says what is read in which way, and why;
// its readable version is the reference for this one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trees/tree_columns.hpp"

namespace spindle {

// One tree of a text, or what is wrong with it. Lines count from 1.
struct ParsedTree {
    int line = 0;  // where the tree starts
    std::string fault;
    int fault_line = 0;

    TreeColumns columns;
    std::vector<std::string> lemmas, morphs;  // empty vectors if no token has any
};

struct ParsedTrees {
    std::vector<ParsedTree> trees;
    bool is_nested;  // whether leaves are (TAG (word)), as far as the last tree that shows it
};

// All trees of a UTF-8 text. `is_nested` is for trees that do not show how their leaves are written.
ParsedTrees parse_brackets(std::string_view text, bool is_nested);

// The same for leaves that state their position: (TAG 0=word).
std::vector<ParsedTree> parse_discbrackets(std::string_view text);

}  // namespace spindle
