#include "neural/tree_context.hpp"

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
    std::vector<int> places;   // of every word: where it is among the modifiers
    std::vector<int> middles;  // of every word: where those of its modifiers begin that come after it

    // One after the other of many trees, so as not to ask for memory again for each.
    void draw(WordNumbers heads) {
        const int size = static_cast<int>(heads.size());
        starts.assign(size + 1, 0);
        for (int head : heads) {
            if (head < kRoot || head >= size) throw std::invalid_argument("a head is no word");
            if (head != kRoot) ++starts[head + 1];
        }
        for (int word = 0; word < size; ++word) starts[word + 1] += starts[word];
        modifiers.resize(starts[size]);
        middles.assign(starts.begin(), starts.end() - 1);
        ends_.assign(starts.begin(), starts.end() - 1);
        places.resize(size);
        order.clear();
        first.resize(size);
        last.resize(size);
        for (int word = 0; word < size; ++word) {
            const int head = heads[word];
            if (head == kRoot) {
                order.push_back(word);
            } else {
                places[word] = ends_[head]++;
                modifiers[places[word]] = word;
                middles[head] += word < head;
            }
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

  private:
    std::vector<int> ends_;
};

// Exact up to 4, then in powers of two; 0 is left for the root.
int distance(int difference) {
    const int length = std::abs(difference);
    const int kind =
        length <= 4 ? length
                    : std::min(2 + static_cast<int>(std::bit_width(static_cast<unsigned>(length))), kMost);
    return kind + (difference < 0 ? kMost : 0);
}

// The number of the description of a word's arc, a new one if there is none like it.
std::int64_t describe(const Arc& arc, std::int64_t start, std::int64_t nobody, std::int64_t& latest,
                      ArcContext& found) {
    std::int64_t number = latest;
    while (number >= 0 && !(found.arcs[number] == arc)) number = found.earlier[number];
    if (number >= 0) return number;
    number = static_cast<std::int64_t>(found.earlier.size());
    for (const int word : arc.roles) found.roles.push_back(word == kNobody ? nobody : start + word);
    found.counts.insert(found.counts.end(), arc.counts.begin(), arc.counts.end());
    found.arcs.push_back(arc);
    found.earlier.push_back(latest);
    return latest = number;
}

}  // namespace

void add_arc_context(WordNumbers heads, std::int64_t start, std::int64_t nobody, ArcContext& found) {
    thread_local Outline outline;
    outline.draw(heads);
    const int size = static_cast<int>(heads.size());
    if (start + size > static_cast<std::int64_t>(found.latest.size())) found.latest.resize(start + size, -1);
    for (int word = 0; word < size; ++word) {
        const int head = heads[word], first = outline.first[word], last = outline.last[word];
        Arc arc{{kNobody, word, kNobody, kNobody, kNobody, kNobody, first, last, kNobody}, {0, 0, 0}};
        if (head != kRoot) {
            const auto begin = outline.modifiers.begin() + outline.starts[head];
            const auto end = outline.modifiers.begin() + outline.starts[head + 1];
            const auto middle = outline.modifiers.begin() + outline.middles[head];
            const auto here = outline.modifiers.begin() + outline.places[word];
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
            arc = {{head, word, nearer, farther, inner, outer, first, last, heads[head]},
                   {distance(word - head), static_cast<int>(std::min<std::ptrdiff_t>(rank, kMost - 1)),
                    static_cast<int>(std::min<std::ptrdiff_t>(across, kMost - 1))}};
        }
        found.places.push_back(describe(arc, start, nobody, found.latest[start + word], found));
    }
}

void add_node_context(WordNumbers heads, WordNumbers symbols, WordNumbers events, std::int64_t start,
                      std::int64_t nobody, NodeContext& found) {
    thread_local Outline outline;
    outline.draw(heads);
    const int size = static_cast<int>(heads.size());
    std::vector<int> spine;  // of one word: the modifiers by event
    for (int word = 0; word < size; ++word) {
        spine.assign(outline.modifiers.begin() + outline.starts[word],
                     outline.modifiers.begin() + outline.starts[word + 1]);
        std::stable_sort(spine.begin(), spine.end(),
                         [&](int one, int other) { return events[one] < events[other]; });
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
