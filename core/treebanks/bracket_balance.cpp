#include "treebanks/bracket_balance.hpp"

namespace spindle {

Outline outline(std::string_view text) {
    Outline found{0, 0};
    for (const char character : text) {
        if (character == '(') {
            found.outermost += found.opened == 0;
            ++found.opened;
        } else if (character == ')') {
            --found.opened;
        }
    }
    return found;
}

}  // namespace spindle
