#include "trees/dtree.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

#include "support/checks.hpp"
#include "trees/modifiers.hpp"

namespace spindle {

namespace {

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument(message); }

// Messages count words from 1.
std::string word(int position) { return "token " + std::to_string(position + 1); }

// All words, heads before modifiers; fewer than the sentence has if there is a cycle.
std::vector<int> top_down(const std::vector<int>& heads) {
    std::vector<int> order;
    order.reserve(heads.size());
    Modifiers(heads).top_down(order);
    return order;
}

// Going outward on each side of a head, events never fall. From left to right, the modifiers on a head's
// right side come nearest first, and those on its left side farthest first.
bool is_nested(const std::vector<int>& heads, const std::vector<int>& events) {
    std::vector<int> last_right(heads.size(), 0), last_left(heads.size(), 0);
    for (std::size_t token = 0; token < heads.size(); ++token) {
        const int head = heads[token], event = events[token];
        if (head == kRoot) continue;
        if (head < static_cast<int>(token)) {
            if (event < last_right[head]) return false;
            last_right[head] = event;
        } else {
            if (last_left[head] != 0 && event > last_left[head]) return false;
            last_left[head] = event;
        }
    }
    return true;
}

// Ordered: the events of each head are 1, 2, ... and the modifiers of an event agree on the symbol. Strict:
// no event has several modifiers.
void check_order(const std::vector<int>& heads, const std::vector<int>& symbols,
                 const std::vector<int>& events, DTreeProperties& is) {
    std::vector<int> arcs;
    for (std::size_t token = 0; token < heads.size(); ++token)
        if (heads[token] != kRoot) arcs.push_back(static_cast<int>(token));
    std::sort(arcs.begin(), arcs.end(), [&](int one, int other) {
        return std::tie(heads[one], events[one]) < std::tie(heads[other], events[other]);
    });
    for (std::size_t arc = 0; arc < arcs.size(); ++arc) {
        const int token = arcs[arc];
        const int before = arc > 0 && heads[arcs[arc - 1]] == heads[token] ? arcs[arc - 1] : kRoot;
        const int last = before == kRoot ? 0 : events[before];
        if (before != kRoot && events[token] == last) {
            is.strict = false;
            is.ordered = is.ordered && symbols[token] == symbols[before];
        } else {
            is.ordered = is.ordered && events[token] == last + 1;
        }
    }
}

}  // namespace

void check_heads_exist(const std::vector<int>& heads) {
    const int words = static_cast<int>(heads.size());
    for (int token = 0; token < words; ++token)
        if (heads[token] < kRoot || heads[token] >= words || heads[token] == token)
            fail(word(token) + " cannot have " + word(heads[token]) + " as its head");
}

void check_dtree(const std::vector<int>& heads, const std::vector<int>& events) {
    const int words = static_cast<int>(heads.size());
    if (words == 0) fail("a d-tree needs at least one token");
    check_same_length(heads.size(), "heads", events.size(), "events");
    check_heads_exist(heads);
    int roots = 0;
    for (int token = 0; token < words; ++token) {
        if (heads[token] == kRoot) {
            ++roots;
            if (events[token] != 0) fail(word(token) + " is the root and cannot have an event");
        } else if (events[token] < 1) {
            fail(word(token) + " has event " + std::to_string(events[token]) + "; events start at 1");
        }
    }
    if (roots != 1) fail("a d-tree has one root, not " + std::to_string(roots));
    const std::vector<int> order = top_down(heads);
    if (static_cast<int>(order.size()) != words) {
        std::vector<bool> reached(words, false);
        for (int token : order) reached[token] = true;
        const auto stray = std::find(reached.begin(), reached.end(), false) - reached.begin();
        fail(word(static_cast<int>(stray)) + " is its own ancestor, or depends on one that is");
    }
}

bool is_dtree(const std::vector<int>& heads) {
    const int words = static_cast<int>(heads.size());
    const bool all_exist =
        std::all_of(heads.begin(), heads.end(), [&](int head) { return kRoot <= head && head < words; });
    return all_exist && std::count(heads.begin(), heads.end(), kRoot) == 1 &&
           static_cast<int>(top_down(heads).size()) == words;
}

bool is_projective(const std::vector<int>& heads) {
    std::vector<int> first, last, size(heads.size(), 1);
    const std::vector<int> order = top_down(heads);
    find_yields(heads, order, first, last);
    for (auto token = order.rbegin(); token != order.rend(); ++token) {
        if (last[*token] - first[*token] + 1 != size[*token]) return false;
        if (heads[*token] != kRoot) size[heads[*token]] += size[*token];
    }
    return true;
}

DTreeProperties dtree_properties(const std::vector<int>& heads, const std::vector<int>& symbols,
                                 const std::vector<int>& events) {
    check_same_length(heads.size(), "heads", symbols.size(), "symbols");
    check_same_length(heads.size(), "heads", events.size(), "events");
    check_heads_exist(heads);
    DTreeProperties is{is_projective(heads), is_nested(heads, events), true, true};
    check_order(heads, symbols, events, is);
    return is;
}

}  // namespace spindle
