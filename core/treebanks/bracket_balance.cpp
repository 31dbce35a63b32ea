#include "treebanks/bracket_balance.hpp"

namespace spindle {

BracketBalance bracket_balance(std::string_view text) {
    BracketBalance balance{0, 0};
    for (const char character : text) {
        if (character == '(') {
            balance.outermost += balance.opened == 0;
            ++balance.opened;
        } else if (character == ')') {
            --balance.opened;
        }
    }
    return balance;
}

}  // namespace spindle
