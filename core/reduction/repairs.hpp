// The repairs of a predicted d-tree that leave its heads as they are: indices below 1, broken nesting, one
// symbol for every event, no gaps between events.
#pragma once

#include <optional>
#include <vector>

#include "reduction/isomorphism.hpp"

namespace spindle {

struct MendedEvents {
    std::vector<int> events;
    std::vector<int> sources;  // of every token: the one whose symbol it takes, itself if it keeps its own
    // the tokens that each step has touched
    std::vector<int> lifted, nested, renamed, renumbered;
    DTreeProperties is;  // what the d-tree is now
};

// Nothing if the heads are no tree, or not projective where they must be: they have to be mended first.
// Nesting is restored where the tree must be `continuous`, by lowering what is nearer to the head or by
// raising what is farther. `symbols` are numbers that are equal where the symbols are.
std::optional<MendedEvents> mend_events(const std::vector<int>& heads, const std::vector<int>& symbols,
                                        const std::vector<int>& indices, bool continuous, bool lower_nearer);

}  // namespace spindle
