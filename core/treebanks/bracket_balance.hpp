// The outline of a bracketed line: how its brackets balance, and how many trees start in it.
#pragma once

#include <string_view>

namespace spindle {

struct Outline {
    int opened;     // opening less closing brackets
    int outermost;  // opening brackets that are in no other bracket of the line
};

Outline outline(std::string_view text);

}  // namespace spindle
