#include "reduction/isomorphism.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

#include "trees/tree.hpp"

namespace spindle {

namespace {

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument(message); }

// People count words from 1.
std::string word(int position) { return "token " + std::to_string(position + 1); }

// The number of events of every head: 0 for a word without modifiers.
std::vector<int> spine_lengths(const std::vector<int>& heads, const std::vector<int>& events) {
    std::vector<int> lengths(heads.size(), 0);
    for (std::size_t token = 0; token < heads.size(); ++token)
        if (heads[token] != kRoot) lengths[heads[token]] = std::max(lengths[heads[token]], events[token]);
    return lengths;
}

// All words, heads before modifiers; shorter than the sentence if there is a cycle.
std::vector<int> top_down(const std::vector<int>& heads) {
    const int size = static_cast<int>(heads.size());
    std::vector<int> first(size, -1), next(size, -1), order;
    order.reserve(size);
    for (int token = size - 1; token >= 0; --token) {
        if (heads[token] == kRoot) {
            order.push_back(token);
        } else {
            next[token] = first[heads[token]];
            first[heads[token]] = token;
        }
    }
    for (std::size_t done = 0; done < order.size(); ++done)
        for (int modifier = first[order[done]]; modifier >= 0; modifier = next[modifier])
            order.push_back(modifier);
    return order;
}

}  // namespace

EncodedTree encode_tree(const std::vector<int>& parents, const std::vector<int>& leaf_parents,
                        const std::vector<int>& heads) {
    const int words = static_cast<int>(leaf_parents.size());
    const int nodes = static_cast<int>(parents.size());
    std::vector<int> children(nodes, 0);
    for (int parent : leaf_parents)
        if (parent != kRoot) ++children[parent];
    for (int parent : parents)
        if (parent != kRoot) ++children[parent];

    EncodedTree tree{std::vector<int>(words, kRoot),
                     std::vector<int>(words, kRoot),
                     std::vector<int>(words, 0),
                     std::vector<int>(nodes, 0),
                     {}};
    const auto attach = [&](int modifier, int parent) {
        tree.heads[modifier] = heads[parent];
        tree.nodes[modifier] = parent;
    };
    for (int token = 0; token < words; ++token) {
        const int parent = leaf_parents[token];
        if (parent != kRoot && token != heads[parent]) attach(token, parent);
    }
    // A parent's number is smaller than its children's: from the back, spines grow from the bottom.
    for (int node = nodes - 1; node >= 0; --node) {
        if (children[node] > 1) ++tree.levels[node];  // only a node that attaches modifiers is an event
        const int parent = parents[node];
        if (parent == kRoot) continue;
        if (heads[node] == heads[parent])
            tree.levels[parent] = tree.levels[node];
        else
            attach(heads[node], parent);
    }
    for (int token = 0; token < words; ++token)
        if (tree.nodes[token] != kRoot) tree.events[token] = tree.levels[tree.nodes[token]];
    for (int node = 0; node < nodes; ++node)
        if (children[node] == 1) tree.unaries.push_back(node);
    return tree;
}

DecodedTree decode_tree(const std::vector<int>& heads, const std::vector<int>& events, const Chains& chains) {
    const int words = static_cast<int>(heads.size());
    const std::vector<int> lengths = spine_lengths(heads, events);

    // The node of event j of word h has number starts[h] + j - 1; chains come after all of those.
    std::vector<int> modifiers(words, 0), starts(words + 1, 0);
    for (int head : heads)
        if (head != kRoot) ++modifiers[head];
    for (int token = 0; token < words; ++token) {
        if (lengths[token] > modifiers[token])
            fail(word(token) + " has an event " + std::to_string(lengths[token]) + " but not all before it");
        starts[token + 1] = starts[token] + lengths[token];
    }
    const int event_nodes = starts[words];
    const auto event_node = [&](int token, int event) { return starts[token] + event - 1; };

    std::vector<int> sources(event_nodes, -1);
    for (int token = words - 1; token >= 0; --token)
        if (heads[token] != kRoot) sources[event_node(heads[token], events[token])] = token;
    std::vector<int> node_heads(event_nodes);
    for (int token = 0; token < words; ++token)
        for (int node = starts[token]; node < starts[token + 1]; ++node) {
            if (sources[node] < 0)
                fail(word(token) + " has no event " + std::to_string(node - starts[token] + 1) +
                     " but a later one");
            node_heads[node] = token;
        }

    // Places are the words (event 0) and the event nodes: what a chain can stand above.
    std::vector<int> chain_at(words + event_nodes, -1);
    const auto place = [&](int token, int event) {
        return event == 0 ? token : words + event_node(token, event);
    };
    std::vector<int> chain_starts;
    int nodes = event_nodes;
    for (std::size_t chain = 0; chain < chains.tokens.size(); ++chain) {
        const int token = chains.tokens[chain], event = chains.events[chain];
        if (token < 0 || token >= words || event < 0 || event > lengths[token])
            fail("a unary chain stands above event " + std::to_string(event) + " of " + word(token) +
                 ", which has none");
        if (chain_at[place(token, event)] >= 0)
            fail("two unary chains stand above one node of " + word(token));
        chain_at[place(token, event)] = static_cast<int>(chain);
        chain_starts.push_back(nodes);
        for (int label = 0; label < chains.lengths[chain]; ++label) {
            sources.push_back(~(nodes - event_nodes));
            node_heads.push_back(token);
            ++nodes;
        }
    }

    std::vector<int> parents(nodes), leaf_parents(words);
    for (int token = 0; token < words; ++token) {
        for (int event = 0; event <= lengths[token]; ++event) {
            int above = kRoot;
            if (event < lengths[token])
                above = event_node(token, event + 1);
            else if (heads[token] != kRoot)
                above = event_node(heads[token], events[token]);
            if (const int chain = chain_at[place(token, event)]; chain >= 0) {
                for (int label = 0; label < chains.lengths[chain]; ++label) {
                    parents[chain_starts[chain] + label] = above;
                    above = chain_starts[chain] + label;
                }
            }
            (event == 0 ? leaf_parents[token] : parents[event_node(token, event)]) = above;
        }
    }

    ArrangedTree arranged = arrange_tree(parents, leaf_parents);
    DecodedTree tree{std::move(arranged.parents), std::move(arranged.leaf_parents), {}, {}};
    tree.heads.reserve(nodes);
    tree.sources.reserve(nodes);
    for (int node : arranged.order) {
        tree.heads.push_back(node_heads[node]);
        tree.sources.push_back(sources[node]);
    }
    return tree;
}

void check_dtree(const std::vector<int>& heads, const std::vector<int>& events) {
    const int words = static_cast<int>(heads.size());
    if (words == 0) fail("a d-tree needs at least one token");
    int roots = 0;
    for (int token = 0; token < words; ++token) {
        if (heads[token] < kRoot || heads[token] >= words || heads[token] == token)
            fail(word(token) + " cannot have " + word(heads[token]) + " as its head");
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
    // what depends on a word fills the span it reaches over
    const int words = static_cast<int>(heads.size());
    std::vector<int> left(words), right(words), size(words, 1);
    for (int token = 0; token < words; ++token) left[token] = right[token] = token;
    const std::vector<int> order = top_down(heads);
    for (auto token = order.rbegin(); token != order.rend(); ++token) {
        if (right[*token] - left[*token] + 1 != size[*token]) return false;
        const int head = heads[*token];
        if (head == kRoot) continue;
        left[head] = std::min(left[head], left[*token]);
        right[head] = std::max(right[head], right[*token]);
        size[head] += size[*token];
    }
    return true;
}

DTreeProperties dtree_properties(const std::vector<int>& heads, const std::vector<int>& symbols,
                                 const std::vector<int>& events) {
    const int words = static_cast<int>(heads.size());
    DTreeProperties is{is_projective(heads), true, true, true};

    // Nested: going outward on each side, events never fall. Going right, the modifiers on a head's
    // right side come nearest first, and those on its left side farthest first.
    std::vector<int> last_right(words, 0), last_left(words, 0);
    for (int token = 0; token < words; ++token) {
        const int head = heads[token];
        if (head == kRoot) continue;
        if (head < token) {
            is.nested = is.nested && events[token] >= last_right[head];
            last_right[head] = events[token];
        } else {
            is.nested = is.nested && (last_left[head] == 0 || events[token] <= last_left[head]);
            last_left[head] = events[token];
        }
    }

    // Ordered: each head's events are 1, 2, ... and an event's modifiers agree on the symbol.
    std::vector<int> arcs;
    for (int token = 0; token < words; ++token)
        if (heads[token] != kRoot) arcs.push_back(token);
    std::sort(arcs.begin(), arcs.end(), [&](int one, int other) {
        return std::tie(heads[one], events[one]) < std::tie(heads[other], events[other]);
    });
    for (std::size_t arc = 0; arc < arcs.size(); ++arc) {
        const int token = arcs[arc];
        const int before = arc > 0 && heads[arcs[arc - 1]] == heads[token] ? arcs[arc - 1] : kRoot;
        const int last = before == kRoot ? 0 : events[before];
        if (events[token] == last) {
            is.strict = false;
            is.ordered = is.ordered && symbols[token] == symbols[before];
        } else {
            is.ordered = is.ordered && events[token] == last + 1;
        }
    }
    return is;
}

}  // namespace spindle
