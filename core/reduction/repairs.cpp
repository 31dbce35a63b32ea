#include "reduction/repairs.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <span>
#include <stdexcept>
#include <tuple>

#include "trees/tree.hpp"

namespace spindle {

namespace {

// The modifiers of one head that are on one of its sides, going outward.
template <class Iterator>
void restore_nesting(Iterator begin, Iterator end, bool lower_nearer, MendedEvents& found) {
    const auto set = [&](int modifier, int event) {
        if (found.events[modifier] == event) return;
        found.events[modifier] = event;
        found.nested.push_back(modifier);
    };
    if (begin == end) return;
    if (lower_nearer) {
        for (Iterator at = std::prev(end); at != begin; --at)
            set(*std::prev(at), std::min(found.events[*std::prev(at)], found.events[*at]));
    } else {
        for (Iterator at = std::next(begin); at != end; ++at)
            set(*at, std::max(found.events[*at], found.events[*std::prev(at)]));
    }
}

// All modifiers of one head. Of those of an event the nearest decides on the symbol, on a tie the left one.
void agree_and_renumber(int head, std::span<int> modifiers, const std::vector<int>& symbols,
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
    // the modifiers of every word from left to right, one word's after the other's
    std::vector<int> starts(size + 1, 0), modifiers(size);
    for (const int head : heads)
        if (head != kRoot) ++starts[head + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<int> ends(starts.begin(), starts.end() - 1);
    for (int token = 0; token < size; ++token) {
        if (heads[token] == kRoot) {
            found.events[token] = 0;
            continue;
        }
        modifiers[ends[heads[token]]++] = token;
        if (indices[token] < 1) {
            found.events[token] = 1;
            found.lifted.push_back(token);
        }
    }
    for (int head = 0; head < size; ++head) {
        const std::span<int> its(modifiers.data() + starts[head], modifiers.data() + starts[head + 1]);
        if (continuous) {
            const auto middle = std::lower_bound(its.begin(), its.end(), head);
            restore_nesting(std::make_reverse_iterator(middle), its.rend(), lower_nearer, found);
            restore_nesting(middle, its.end(), lower_nearer, found);
        }
        agree_and_renumber(head, its, symbols, found);
    }
    std::vector<int> named(size);
    for (int token = 0; token < size; ++token) named[token] = symbols[found.sources[token]];
    found.is = dtree_properties(heads, named, found.events);
    return found;
}

}  // namespace spindle
