// Trees written as nested brackets: what the text holds, as the columns of a tree. What is read in which
// way, and why, is told in src/spindle/treebanks/bracket.py, whose slow version is the measure of this one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spindle {

// One tree of a text, or what is wrong with it. Lines count from 1.
struct ParsedBracket {
    int line = 0;  // where the tree starts
    std::string fault;
    int fault_line = 0;

    std::vector<std::string> forms, tags;
    std::vector<std::string> lemmas, morphs;  // nothing at all if no token has any
    std::vector<std::string> labels;
    std::vector<int> parents, leaf_parents;
};

struct ParsedBrackets {
    std::vector<ParsedBracket> trees;
    bool is_nested;  // whether the last tree that told wrote its leaves as (TAG (word))
};

// All trees of a UTF-8 text. `is_nested` is for trees that do not tell how they write their leaves.
ParsedBrackets parse_brackets(std::string_view text, bool is_nested);

// The same for leaves that say their position: (TAG 0=word).
std::vector<ParsedBracket> parse_discbrackets(std::string_view text);

}  // namespace spindle
