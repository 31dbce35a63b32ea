// Repairs of a predicted d-tree that do not change its heads: indices below 1, broken nesting, modifiers of
// an event that disagree on its symbol, gaps between events.
#pragma once

#include <optional>
#include <vector>

#include "trees/dtree.hpp"

namespace spindle {

struct RepairedEvents {
    std::vector<int> events;
    std::vector<int> sources;  // the token whose symbol every token takes, itself if it keeps its own
    // the tokens that each step has changed
    std::vector<int> lifted, nested, renamed, renumbered;
    DTreeProperties is;  // of the repaired d-tree
};

struct EventRepairs {
    // The tree must be continuous: nesting is restored, and heads must be projective.
    bool continuous;
    // How nesting is restored: by lowering the events nearer to the head, or by raising those farther away.
    bool lower_nearer;
};

// Returns nothing if the heads must be repaired first: they are no tree, or cross in a continuous one.
// `symbols` are numbers that are equal where the symbols are.
std::optional<RepairedEvents> repair_events(const std::vector<int>& heads, const std::vector<int>& symbols,
                                            const std::vector<int>& indices, EventRepairs options);

}  // namespace spindle
