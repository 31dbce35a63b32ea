#pragma once

#include <string_view>

namespace spindle {

struct BracketBalance {
    int opened;     // opening brackets minus closing ones
    int outermost;  // opening brackets that are inside no other bracket of the text
};

// How the brackets of a line balance, and how many trees start in it.
BracketBalance bracket_balance(std::string_view text);

}  // namespace spindle
