#include "repairs.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "tree.hpp"

namespace spindle {

namespace {

// The modifiers of one head that are on one of its sides, going outward.
void restore_nesting(const std::vector<int>& side, bool lower_nearer, MendedEvents& found) {
    std::vector<int> indices;
    for (const int modifier : side) indices.push_back(found.events[modifier]);
    if (lower_nearer)
        for (std::size_t at = indices.size(); at-- > 1;) indices[at - 1] = std::min(indices[at - 1], indices[at]);
    else
        for (std::size_t at = 1; at < indices.size(); ++at) indices[at] = std::max(indices[at], indices[at - 1]);
    for (std::size_t at = 0; at < side.size(); ++at)
        if (found.events[side[at]] != indices[at]) {
            found.events[side[at]] = indices[at];
            found.nested.push_back(side[at]);
        }
}

// All modifiers of one head. Of those of an event the nearest decides on the symbol, on a tie the left one.
void agree_and_renumber(int head, std::vector<int> modifiers, const std::vector<int>& symbols,
                        MendedEvents& found) {
    std::sort(modifiers.begin(), modifiers.end(), [&](int one, int other) {
        return std::tuple(found.events[one], std::abs(one - head), one) <
               std::tuple(found.events[other], std::abs(other - head), other);
    });
    int event = 0, deciding = kRoot, before = 0;
    for (const int modifier : modifiers) {
        const int index = found.events[modifier];
        if (index != before) ++event, deciding = modifier, before = index;
        if (symbols[modifier] != symbols[deciding]) {
            found.sources[modifier] = deciding;
            found.renamed.push_back(modifier);
        }
        if (index != event) {
            found.events[modifier] = event;
            found.renumbered.push_back(modifier);
        }
    }
}

}  // namespace

std::optional<MendedEvents> mend_events(const std::vector<int>& heads, const std::vector<int>& symbols,
                                        const std::vector<int>& indices, bool continuous, bool lower_nearer) {
    if (symbols.size() != heads.size() || indices.size() != heads.size())
        throw std::invalid_argument("heads, symbols and indices are not equally many");
    if (!is_dtree(heads) || (continuous && !is_projective(heads))) return std::nullopt;
    const int size = static_cast<int>(heads.size());
    MendedEvents found{indices, std::vector<int>(size), {}, {}, {}, {}, {}};
    std::iota(found.sources.begin(), found.sources.end(), 0);
    std::vector<std::vector<int>> modifiers_of(size);
    for (int token = 0; token < size; ++token) {
        if (heads[token] == kRoot) {
            found.events[token] = 0;
            continue;
        }
        modifiers_of[heads[token]].push_back(token);
        if (indices[token] < 1) {
            found.events[token] = 1;
            found.lifted.push_back(token);
        }
    }
    for (int head = 0; head < size; ++head) {
        const std::vector<int>& modifiers = modifiers_of[head];
        const auto middle = std::lower_bound(modifiers.begin(), modifiers.end(), head);
        if (continuous) {
            restore_nesting({std::make_reverse_iterator(middle), modifiers.rend()}, lower_nearer, found);
            restore_nesting({middle, modifiers.end()}, lower_nearer, found);
        }
        agree_and_renumber(head, modifiers, symbols, found);
    }
    std::vector<int> named(size);
    for (int token = 0; token < size; ++token) named[token] = symbols[found.sources[token]];
    found.is = dtree_properties(heads, named, found.events);
    return found;
}

}  // namespace spindle
