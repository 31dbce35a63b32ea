#include "neural/tree_context.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <stdexcept>

#include "trees/modifiers.hpp"

namespace spindle {

namespace {

constexpr int kNoWord = kRoot;  // the head of the root is no word either
constexpr int kMost = 8;        // larger counts are treated as kMost - 1

// The modifiers and the yield of every word. Reused from tree to tree, to spare allocations.
struct TreeShape {
    Modifiers modifiers;
    std::vector<int> order, first, last;

    void read(std::span<const int> heads) {
        const int size = static_cast<int>(heads.size());
        for (const int head : heads)
            if (head < kRoot || head >= size) throw std::invalid_argument("a head is no word");
        modifiers.assign(heads);
        modifiers.top_down(order);
        if (order.size() != heads.size()) throw std::invalid_argument("the heads are no tree");
        find_yields(heads, order, first, last);
    }
};

// The class of a signed distance: exact up to 4, then in powers of two; 0 is left for the root.
int distance_class(int difference) {
    const int length = std::abs(difference);
    const int kind =
        length <= 4 ? length
                    : std::min(2 + static_cast<int>(std::bit_width(static_cast<unsigned>(length))), kMost);
    return kind + (difference < 0 ? kMost : 0);
}

int capped(std::ptrdiff_t count) { return static_cast<int>(std::min<std::ptrdiff_t>(count, kMost - 1)); }

ArcDescription describe(std::span<const int> heads, int word, const TreeShape& shape) {
    const int head = heads[word], first = shape.first[word], last = shape.last[word];
    if (head == kRoot)
        return {{kNoWord, word, kNoWord, kNoWord, kNoWord, kNoWord, first, last, kNoWord}, {0, 0, 0}};
    const std::span<const int> siblings = shape.modifiers.of(head);
    const auto begin = siblings.begin(), end = siblings.end();
    const auto middle = std::lower_bound(begin, end, head);  // from here on they are right of the head
    const auto here = std::lower_bound(begin, end, word);
    // the siblings next to the word on its side, and the nearest and the farthest one on the other side
    int nearer = kNoWord, farther = kNoWord, inner = kNoWord, outer = kNoWord;
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
    return {{head, word, nearer, farther, inner, outer, first, last, heads[head]},
            {distance_class(word - head), capped(rank), capped(across)}};
}

// The number of an arc's description; a new one if no description of an arc to that word is equal.
std::int64_t find_or_add(const ArcDescription& arc, WordRows rows, std::int64_t& latest,
                         ArcContext& context) {
    std::int64_t number = latest;
    while (number >= 0 && !(context.arcs[number] == arc)) number = context.earlier[number];
    if (number >= 0) return number;
    number = static_cast<std::int64_t>(context.earlier.size());
    for (const int word : arc.roles)
        context.roles.push_back(word == kNoWord ? rows.padding_row : rows.start + word);
    context.counts.insert(context.counts.end(), arc.counts.begin(), arc.counts.end());
    context.arcs.push_back(arc);
    context.earlier.push_back(latest);
    return latest = number;
}

}  // namespace

void add_arc_context(std::span<const int> heads, WordRows rows, ArcContext& context) {
    thread_local TreeShape shape;
    shape.read(heads);
    const std::size_t needed = static_cast<std::size_t>(rows.start) + heads.size();
    if (needed > context.latest.size()) context.latest.resize(needed, -1);
    for (int word = 0; word < static_cast<int>(heads.size()); ++word)
        context.places.push_back(
            find_or_add(describe(heads, word, shape), rows, context.latest[rows.start + word], context));
}

void add_node_context(const DTreeSpans& dtree, WordRows rows, NodeContext& context) {
    const auto& [heads, symbols, events] = dtree;
    thread_local TreeShape shape;
    shape.read(heads);
    const int size = static_cast<int>(heads.size());
    std::vector<int> spine;  // the modifiers of one word, by event
    for (int word = 0; word < size; ++word) {
        const std::span<const int> modifiers = shape.modifiers.of(word);
        spine.assign(modifiers.begin(), modifiers.end());
        std::stable_sort(spine.begin(), spine.end(),
                         [&events = events](int one, int other) { return events[one] < events[other]; });
        const int levels = spine.empty() ? 0 : events[spine.back()];
        if (!spine.empty() && (events[spine.front()] < 1 || levels > static_cast<int>(spine.size())))
            throw std::invalid_argument("the events of a head must be between 1 and its number of modifiers");
        const int head = heads[word];
        int left = word, right = word, symbol = 0;
        auto next = spine.begin();
        for (int event = 0; event <= levels; ++event) {
            for (; next != spine.end() && events[*next] <= event; ++next) {
                left = std::min(left, shape.first[*next]);
                right = std::max(right, shape.last[*next]);
                symbol = symbols[*next];
            }
            const int above = next != spine.end() ? symbols[*next] : head == kRoot ? 0 : symbols[word];
            context.words.push_back(word);
            context.events.push_back(event);
            const int before = left > 0 ? left - 1 : kNoWord, after = right + 1 < size ? right + 1 : kNoWord;
            for (const int role : {word, head, left, right, before, after})
                context.roles.push_back(role == kNoWord ? rows.padding_row : rows.start + role);
            context.marks.insert(context.marks.end(), {symbol, above, capped(levels - event)});
        }
    }
}

}  // namespace spindle
