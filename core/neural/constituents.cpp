#include "neural/constituents.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "trees/modifiers.hpp"

namespace spindle {

namespace {

constexpr int kMost = 8;  // larger counts are treated as kMost - 1

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

// A set of the words of a sentence.
using Words = std::vector<std::uint64_t>;

void insert(Words& words, int word) { words[word / 64] |= std::uint64_t{1} << (word % 64); }
void insert_all(Words& words, const Words& others) {
    for (std::size_t at = 0; at < words.size(); ++at) words[at] |= others[at];
}

// The first and the last word of every part of a yield.
void find_parts(const Words& words, int size, std::vector<std::pair<int, int>>& parts) {
    parts.clear();
    bool inside = false;
    for (int word = 0; word < size; ++word) {
        const bool now = words[word / 64] >> (word % 64) & 1;
        if (now && !inside) parts.emplace_back(word, word);
        if (now) parts.back().second = word;
        inside = now;
    }
}

// On each side of a head, going outward, an index is the sum of the differences so far.
std::vector<int> sum_differences(std::span<const int> heads, std::span<const int> differences) {
    std::vector<int> indices(differences.begin(), differences.end()), sums(heads.size(), 0);
    const int size = static_cast<int>(heads.size());
    for (int word = 0; word < size; ++word)
        if (const int head = heads[word]; head != kRoot && head < word)
            indices[word] = sums[head] += differences[word];
    std::fill(sums.begin(), sums.end(), 0);
    for (int word = size; word-- > 0;)
        if (const int head = heads[word]; head > word) indices[word] = sums[head] += differences[word];
    return indices;
}

int length_class(int length) {
    return std::min(static_cast<int>(std::bit_width(static_cast<unsigned>(length))), kMost - 1);
}

}  // namespace

std::size_t DescriptionHash::operator()(const ConstituentDescription& description) const {
    std::uint64_t hash = description.key;
    for (const std::int64_t role : description.roles) hash = mix(hash, static_cast<std::uint64_t>(role));
    for (const std::int64_t mark : description.marks) hash = mix(hash, static_cast<std::uint64_t>(mark));
    return hash;
}

void add_constituents(const DTreeSpans& labelled, WordRows rows, ConstituentOptions options,
                      ConstituentContext& context) {
    const std::vector<int> heads(labelled.heads.begin(), labelled.heads.end());
    const std::vector<int> given(labelled.symbols.begin(), labelled.symbols.end());
    const std::vector<int> indices = options.differences
                                         ? sum_differences(heads, labelled.events)
                                         : std::vector<int>(labelled.events.begin(), labelled.events.end());
    const auto repaired = repair_events(heads, given, indices, options.repairs);
    context.counts.push_back(0);
    if (!repaired) return;
    const int size = static_cast<int>(heads.size());
    const auto symbol_of = [&](int word) { return given[repaired->sources[word]]; };
    const Modifiers modifiers(heads);
    std::vector<int> order, spine;
    modifiers.top_down(order);
    std::vector<Words> yields(size, Words((size + 63) / 64, 0));
    std::vector<std::pair<int, int>> parts;
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        const int head = *at;
        Words& yield = yields[head];
        insert(yield, head);
        const std::span<const int> of_head = modifiers.of(head);
        spine.assign(of_head.begin(), of_head.end());
        std::stable_sort(spine.begin(), spine.end(),
                         [&](int one, int other) { return repaired->events[one] < repaired->events[other]; });
        int length = 1;
        for (auto next = spine.begin(); next != spine.end();) {
            const int event = repaired->events[*next], symbol = symbol_of(*next);
            const auto begin = next;
            for (; next != spine.end() && repaired->events[*next] == event; ++next)
                insert_all(yield, yields[*next]);
            find_parts(yield, size, parts);
            const int above = next != spine.end()    ? symbol_of(*next)
                              : heads[head] == kRoot ? 0
                                                     : symbol_of(head);
            length = 0;
            for (const auto& [first, last] : parts) length += last - first + 1;
            ConstituentDescription found{
                {},
                {symbol, above, length_class(length), std::min<std::int64_t>(next - begin, kMost - 1),
                 std::min<std::int64_t>(static_cast<std::int64_t>(parts.size()) - 1, kMost - 1)},
                mix(mix(0, static_cast<std::uint64_t>(rows.start)), symbol)};
            found.roles.fill(rows.padding_row);
            const auto row = [&](int word) {
                return word < 0 || word >= size ? rows.padding_row : rows.start + word;
            };
            found.roles[0] = row(head);
            found.roles[1] = heads[head] == kRoot ? rows.padding_row : row(heads[head]);
            for (int part = 0; part < static_cast<int>(parts.size()); ++part) {
                const auto [first, last] = parts[part];
                found.key = mix(mix(found.key, first), last);
                const bool is_last = part + 1 == static_cast<int>(parts.size());
                if (part >= kParts - 1 && !is_last) continue;
                std::int64_t* roles = found.roles.data() + 2 + 4 * std::min(part, kParts - 1);
                roles[0] = row(first), roles[1] = row(last);
                roles[2] = row(first - 1), roles[3] = row(last + 1);
            }
            const auto [place, is_new] =
                context.numbers.try_emplace(found, static_cast<std::int64_t>(context.keys.size()));
            if (is_new) {
                context.roles.insert(context.roles.end(), found.roles.begin(), found.roles.end());
                context.marks.insert(context.marks.end(), found.marks.begin(), found.marks.end());
                context.keys.push_back(found.key);
            }
            context.places.push_back(place->second);
            ++context.counts.back();
        }
    }
}

}  // namespace spindle
