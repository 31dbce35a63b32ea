#include "tree_context.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <stdexcept>

namespace spindle {

namespace {

constexpr int kRoot = -1, kNobody = -1;
constexpr int kMost = 8;  // counts are the same from here on

// The modifiers of every word from left to right, one word's after the other's, and an order in which heads
// come before what hangs on them.
struct Outline {
    std::vector<int> starts, modifiers, order, first, last;

    explicit Outline(WordNumbers heads)
        : starts(heads.size() + 1, 0), first(heads.size()), last(heads.size()) {
        const int size = static_cast<int>(heads.size());
        for (int head : heads) {
            if (head < kRoot || head >= size) throw std::invalid_argument("a head is no word");
            if (head != kRoot) ++starts[head + 1];
        }
        for (int word = 0; word < size; ++word) starts[word + 1] += starts[word];
        modifiers.resize(starts[size]);
        std::vector<int> free(starts.begin(), starts.end() - 1);
        for (int word = 0; word < size; ++word) {
            if (heads[word] == kRoot)
                order.push_back(word);
            else
                modifiers[free[heads[word]]++] = word;
            first[word] = last[word] = word;
        }
        for (std::size_t at = 0; at < order.size(); ++at)
            order.insert(order.end(), modifiers.begin() + starts[order[at]],
                         modifiers.begin() + starts[order[at] + 1]);
        if (static_cast<int>(order.size()) != size) throw std::invalid_argument("the heads are no tree");
        for (std::size_t at = order.size(); at-- > 0;) {
            const int word = order[at], head = heads[word];
            if (head == kRoot) continue;
            first[head] = std::min(first[head], first[word]);
            last[head] = std::max(last[head], last[word]);
        }
    }
};

// Exact up to 4, then in powers of two; 0 is left for the root.
int distance(int difference) {
    const int length = std::abs(difference);
    const int kind = length <= 4 ? length : std::min(2 + static_cast<int>(std::bit_width(static_cast<unsigned>(length))), kMost);
    return kind + (difference < 0 ? kMost : 0);
}

using Roles = std::array<std::int64_t, kArcRoles>;
using Counts = std::array<std::int64_t, kArcCounts>;

// Adds the arc of a word, described so.
void add_arc(std::int64_t word, const Roles& roles, const Counts& counts, ArcContext& found) {
    if (word >= static_cast<std::int64_t>(found.latest.size())) found.latest.resize(word + 1, -1);
    const auto is_same = [&](std::int64_t other) {
        return std::equal(roles.begin(), roles.end(), found.roles.begin() + other * kArcRoles) &&
               std::equal(counts.begin(), counts.end(), found.counts.begin() + other * kArcCounts);
    };
    std::int64_t number = found.latest[word];
    while (number >= 0 && !is_same(number)) number = found.earlier[number];
    if (number < 0) {
        number = static_cast<std::int64_t>(found.earlier.size());
        found.roles.insert(found.roles.end(), roles.begin(), roles.end());
        found.counts.insert(found.counts.end(), counts.begin(), counts.end());
        found.earlier.push_back(found.latest[word]);
        found.latest[word] = number;
    }
    found.places.push_back(number);
}

}  // namespace

void add_arc_context(WordNumbers heads, std::int64_t start, std::int64_t nobody, ArcContext& found) {
    const Outline outline(heads);
    const auto row = [&](int word) { return word == kNobody ? nobody : start + word; };
    for (int word = 0; word < static_cast<int>(heads.size()); ++word) {
        const int head = heads[word];
        if (head == kRoot) {
            add_arc(start + word,
                    {nobody, start + word, nobody, nobody, nobody, nobody, row(outline.first[word]),
                     row(outline.last[word]), nobody},
                    {0, 0, 0}, found);
            continue;
        }
        const auto begin = outline.modifiers.begin() + outline.starts[head];
        const auto end = outline.modifiers.begin() + outline.starts[head + 1];
        const auto middle = std::lower_bound(begin, end, head);
        const auto here = std::lower_bound(begin, end, word);
        int nearer = kNobody, farther = kNobody, inner = kNobody, outer = kNobody;
        std::ptrdiff_t rank, across;
        if (word < head) {
            if (here + 1 != middle) nearer = here[1];
            if (here != begin) farther = here[-1];
            if (middle != end) inner = *middle, outer = end[-1];
            rank = middle - here - 1, across = end - middle;
        } else {
            if (here != middle) nearer = here[-1];
            if (here + 1 != end) farther = here[1];
            if (middle != begin) inner = middle[-1], outer = *begin;
            rank = here - middle, across = middle - begin;
        }
        add_arc(start + word,
                {row(head), row(word), row(nearer), row(farther), row(inner), row(outer),
                 row(outline.first[word]), row(outline.last[word]), row(heads[head])},
                {distance(word - head), std::min<std::ptrdiff_t>(rank, kMost - 1),
                 std::min<std::ptrdiff_t>(across, kMost - 1)},
                found);
    }
}

void add_node_context(WordNumbers heads, WordNumbers symbols, WordNumbers events, std::int64_t start, std::int64_t nobody,
                      NodeContext& found) {
    const Outline outline(heads);
    const int size = static_cast<int>(heads.size());
    std::vector<int> spine;  // of one word: the modifiers by event
    for (int word = 0; word < size; ++word) {
        spine.assign(outline.modifiers.begin() + outline.starts[word],
                     outline.modifiers.begin() + outline.starts[word + 1]);
        std::stable_sort(spine.begin(), spine.end(), [&](int one, int other) { return events[one] < events[other]; });
        const int levels = spine.empty() ? 0 : events[spine.back()];
        const int head = heads[word];
        int left = word, right = word, symbol = 0;
        auto next = spine.begin();
        for (int event = 0; event <= levels; ++event) {
            for (; next != spine.end() && events[*next] <= event; ++next) {
                left = std::min(left, outline.first[*next]);
                right = std::max(right, outline.last[*next]);
                symbol = symbols[*next];
            }
            const int above = next != spine.end() ? symbols[*next] : head == kRoot ? 0 : symbols[word];
            found.words.push_back(word);
            found.events.push_back(event);
            const int before = left - 1, after = right + 1 < size ? right + 1 : kNobody;
            for (int role : {word, head, left, right, before, after})
                found.roles.push_back(role == kNobody ? nobody : start + role);
            found.marks.insert(found.marks.end(), {symbol, above, std::min(levels - event, kMost - 1)});
        }
    }
}

}  // namespace spindle
