#include "reduction/repairs.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <span>
#include <tuple>

#include "support/checks.hpp"
#include "trees/modifiers.hpp"

namespace spindle {

namespace {

// Every token keeps its symbol; indices below 1 become 1, and the root has no event.
RepairedEvents lift_events(const std::vector<int>& heads, const std::vector<int>& indices) {
    RepairedEvents repaired{indices, std::vector<int>(heads.size()), {}, {}, {}, {}, {}};
    std::iota(repaired.sources.begin(), repaired.sources.end(), 0);
    for (std::size_t token = 0; token < heads.size(); ++token) {
        if (heads[token] == kRoot) {
            repaired.events[token] = 0;
        } else if (indices[token] < 1) {
            repaired.events[token] = 1;
            repaired.lifted.push_back(static_cast<int>(token));
        }
    }
    return repaired;
}

// For the modifiers of one head that are on one of its sides, from the nearest to the farthest.
template <class Iterator>
void restore_nesting(Iterator begin, Iterator end, bool lower_nearer, RepairedEvents& repaired) {
    const auto set = [&](int modifier, int event) {
        if (repaired.events[modifier] == event) return;
        repaired.events[modifier] = event;
        repaired.nested.push_back(modifier);
    };
    if (begin == end) return;
    if (lower_nearer) {
        for (Iterator at = std::prev(end); at != begin; --at)
            set(*std::prev(at), std::min(repaired.events[*std::prev(at)], repaired.events[*at]));
    } else {
        for (Iterator at = std::next(begin); at != end; ++at)
            set(*at, std::max(repaired.events[*at], repaired.events[*std::prev(at)]));
    }
}

// For all modifiers of one head: the nearest modifier of an event decides on its symbol, the left one of two
// that are equally near. Then events are numbered 1, 2, ...
void agree_and_renumber(int head, std::span<int> modifiers, const std::vector<int>& symbols,
                        RepairedEvents& repaired) {
    std::sort(modifiers.begin(), modifiers.end(), [&](int one, int other) {
        return std::tuple(repaired.events[one], std::abs(one - head), one) <
               std::tuple(repaired.events[other], std::abs(other - head), other);
    });
    int event = 0, deciding = kRoot, before = 0;
    for (const int modifier : modifiers) {
        const int index = repaired.events[modifier];
        if (index != before) ++event, deciding = modifier, before = index;
        if (symbols[modifier] != symbols[deciding]) {
            repaired.sources[modifier] = deciding;
            repaired.renamed.push_back(modifier);
        }
        if (index != event) {
            repaired.events[modifier] = event;
            repaired.renumbered.push_back(modifier);
        }
    }
}

}  // namespace

std::optional<RepairedEvents> repair_events(const std::vector<int>& heads, const std::vector<int>& symbols,
                                            const std::vector<int>& indices, EventRepairs options) {
    check_same_length(heads.size(), "heads", symbols.size(), "symbols");
    check_same_length(heads.size(), "heads", indices.size(), "indices");
    if (!is_dtree(heads) || (options.continuous && !is_projective(heads))) return std::nullopt;
    const int size = static_cast<int>(heads.size());
    RepairedEvents repaired = lift_events(heads, indices);
    Modifiers modifiers(heads);
    for (int head = 0; head < size; ++head) {
        const std::span<int> of_head = modifiers.of(head);
        if (options.continuous) {
            const auto middle = std::lower_bound(of_head.begin(), of_head.end(), head);
            restore_nesting(std::make_reverse_iterator(middle), of_head.rend(), options.lower_nearer,
                            repaired);
            restore_nesting(middle, of_head.end(), options.lower_nearer, repaired);
        }
        agree_and_renumber(head, of_head, symbols, repaired);
    }
    std::vector<int> agreed(size);
    for (int token = 0; token < size; ++token) agreed[token] = symbols[repaired.sources[token]];
    repaired.is = dtree_properties(heads, agreed, repaired.events);
    return repaired;
}

}  // namespace spindle
