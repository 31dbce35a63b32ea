#include "reduction/isomorphism.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "support/checks.hpp"
#include "trees/dtree.hpp"
#include "trees/tree.hpp"

namespace spindle {

namespace {

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument(message); }

// Messages count words from 1.
std::string word(int position) { return "token " + std::to_string(position + 1); }

void check_encodable(const std::vector<int>& parents, const std::vector<int>& leaf_parents,
                     const std::vector<int>& heads) {
    check_same_length(heads.size(), "heads", parents.size(), "parents");
    check_canonical_parents(parents, leaf_parents);
    const int words = static_cast<int>(leaf_parents.size());
    for (const int head : heads)
        if (head < 0 || head >= words)
            fail("a node's head is word " + std::to_string(head) + " of " + std::to_string(words));
}

// The number of children of every node.
std::vector<int> count_children(const std::vector<int>& parents, const std::vector<int>& leaf_parents) {
    std::vector<int> children(parents.size(), 0);
    for (const std::vector<int>* column : {&leaf_parents, &parents})
        for (const int parent : *column)
            if (parent != kRoot) ++children[parent];
    return children;
}

// The nodes that a d-tree's events make. Those of one word, its spine, are numbered one after the other.
class Spines {
  public:
    Spines(const std::vector<int>& heads, const std::vector<int>& events)
        : words_(static_cast<int>(heads.size())), starts_(heads.size() + 1, 0) {
        std::vector<int> modifiers(heads.size(), 0), lengths(heads.size(), 0);
        for (int token = 0; token < words_; ++token) {
            if (heads[token] == kRoot) continue;
            if (events[token] < 1)
                fail(word(token) + " has event " + std::to_string(events[token]) + "; events start at 1");
            ++modifiers[heads[token]];
            lengths[heads[token]] = std::max(lengths[heads[token]], events[token]);
        }
        for (int token = 0; token < words_; ++token) {
            if (lengths[token] > modifiers[token])
                fail(word(token) + " has an event " + std::to_string(lengths[token]) +
                     " but not all before it");
            starts_[token + 1] = starts_[token] + lengths[token];
        }
    }

    int words() const { return words_; }
    int size() const { return starts_[words_]; }  // the number of nodes
    int length(int token) const { return starts_[token + 1] - starts_[token]; }
    int node(int token, int event) const { return starts_[token] + event - 1; }

  private:
    int words_;
    std::vector<int> starts_;
};

// A tree under construction: the nodes of the spines, then those of the chains.
struct Nodes {
    std::vector<int> heads, sources;
    std::vector<int> parents, leaf_parents;
};

void add_spines(const std::vector<int>& heads, const std::vector<int>& events, const Spines& spines,
                Nodes& nodes) {
    constexpr int kNoModifier = -1;
    nodes.sources.assign(spines.size(), kNoModifier);
    nodes.heads.resize(spines.size());
    // the label of a node stands on the arcs of all its modifiers: the leftmost one is named
    for (int token = spines.words() - 1; token >= 0; --token)
        if (heads[token] != kRoot) nodes.sources[spines.node(heads[token], events[token])] = token;
    for (int token = 0; token < spines.words(); ++token)
        for (int event = 1; event <= spines.length(token); ++event) {
            const int node = spines.node(token, event);
            if (nodes.sources[node] == kNoModifier)
                fail(word(token) + " has no event " + std::to_string(event) + " but a later one");
            nodes.heads[node] = token;
        }
}

// Which chain stands where. Places are the words (event 0) and the nodes of the spines.
class ChainPlaces {
  public:
    ChainPlaces(const Chains& chains, const Spines& spines, Nodes& nodes)
        : chains_(chains), spines_(spines), chain_at_(spines.words() + spines.size(), kNoChain) {
        check_same_length(chains.tokens.size(), "chain tokens", chains.events.size(), "chain events");
        check_same_length(chains.tokens.size(), "chain tokens", chains.lengths.size(), "chain lengths");
        for (std::size_t chain = 0; chain < chains.tokens.size(); ++chain) {
            const int token = chains.tokens[chain], event = chains.events[chain];
            if (token < 0 || token >= spines.words() || event < 0 || event > spines.length(token))
                fail("a unary chain stands above event " + std::to_string(event) + " of " + word(token) +
                     ", which has none");
            int& there = chain_at_[place(token, event)];
            if (there != kNoChain) fail("two unary chains stand above one node of " + word(token));
            there = static_cast<int>(chain);
            starts_.push_back(static_cast<int>(nodes.heads.size()));
            for (int node = 0; node < chains.lengths[chain]; ++node) {
                nodes.sources.push_back(~(static_cast<int>(nodes.heads.size()) - spines.size()));
                nodes.heads.push_back(token);
            }
        }
    }

    // Hangs the chain that stands above an event's node, if there is one, under `above`; returns what the
    // node itself is to hang under.
    int insert(int token, int event, int above, std::vector<int>& parents) const {
        const int chain = chain_at_[place(token, event)];
        if (chain == kNoChain) return above;
        for (int node = 0; node < chains_.lengths[chain]; ++node) {
            parents[starts_[chain] + node] = above;
            above = starts_[chain] + node;
        }
        return above;
    }

  private:
    static constexpr int kNoChain = -1;

    int place(int token, int event) const {
        return event == 0 ? token : spines_.words() + spines_.node(token, event);
    }

    const Chains& chains_;
    const Spines& spines_;
    std::vector<int> chain_at_;  // by place
    std::vector<int> starts_;    // the topmost node of every chain
};

// The tree with its nodes in canonical order.
DecodedTree arranged(const DecodedTree& tree) {
    ArrangedTree order = arrange_tree(tree.parents, tree.leaf_parents);
    DecodedTree found{std::move(order.parents), std::move(order.leaf_parents), {}, {}};
    found.heads.reserve(tree.heads.size());
    found.sources.reserve(tree.sources.size());
    for (const int node : order.order) {
        found.heads.push_back(tree.heads[node]);
        found.sources.push_back(tree.sources[node]);
    }
    return found;
}

}  // namespace

EncodedTree encode_tree(const std::vector<int>& parents, const std::vector<int>& leaf_parents,
                        const std::vector<int>& heads) {
    check_encodable(parents, leaf_parents, heads);
    const int words = static_cast<int>(leaf_parents.size());
    const int nodes = static_cast<int>(parents.size());
    const std::vector<int> children = count_children(parents, leaf_parents);
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
    check_same_length(heads.size(), "heads", events.size(), "events");
    check_heads_exist(heads);
    const Spines spines(heads, events);
    Nodes nodes;
    add_spines(heads, events, spines, nodes);
    const ChainPlaces places(chains, spines, nodes);
    nodes.parents.resize(nodes.heads.size());
    nodes.leaf_parents.resize(spines.words());
    for (int token = 0; token < spines.words(); ++token)
        for (int event = 0; event <= spines.length(token); ++event) {
            int above = kRoot;
            if (event < spines.length(token))
                above = spines.node(token, event + 1);
            else if (heads[token] != kRoot)
                above = spines.node(heads[token], events[token]);
            above = places.insert(token, event, above, nodes.parents);
            (event == 0 ? nodes.leaf_parents[token] : nodes.parents[spines.node(token, event)]) = above;
        }

    return arranged({std::move(nodes.parents), std::move(nodes.leaf_parents), std::move(nodes.heads),
                     std::move(nodes.sources)});
}

DecodedTree insert_chains(DecodedTree tree, const std::vector<int>& lengths) {
    const int words = static_cast<int>(tree.leaf_parents.size());
    const int vertices = words + static_cast<int>(tree.parents.size());
    check_same_length(lengths.size(), "chain lengths", static_cast<std::size_t>(vertices), "vertices");
    int inserted = 0;
    for (int vertex = 0; vertex < vertices; ++vertex)
        for (int place = 0; place < lengths[vertex]; ++place) {
            const bool is_word = vertex < words;
            int& above = is_word ? tree.leaf_parents[vertex] : tree.parents[vertex - words];
            const int parent = above;
            above =
                static_cast<int>(tree.parents.size());  // the next node comes between this one and the vertex
            tree.heads.push_back(is_word ? vertex : tree.heads[vertex - words]);
            tree.sources.push_back(~inserted++);
            tree.parents.push_back(parent);
        }
    return inserted == 0 ? tree : arranged(std::move(tree));
}

}  // namespace spindle
