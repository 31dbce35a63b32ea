#include "trees/tree.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace spindle {

namespace {

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument(message); }

std::string number(int node) { return std::to_string(node); }

}  // namespace

ArrangedTree arrange_tree(const std::vector<int>& parents, const std::vector<int>& leaf_parents) {
    const int size = static_cast<int>(parents.size());
    if (leaf_parents.empty()) fail("a tree needs at least one token");
    if (size == 0) {
        if (leaf_parents.size() > 1) fail("several tokens need a node above them");
        if (leaf_parents[0] != kRoot)
            fail("token 1 hangs under node " + number(leaf_parents[0]) + ", which does not exist");
        return {{}, {}, leaf_parents};
    }
    int roots = 0;
    for (int node = 0; node < size; ++node) {
        if (parents[node] < kRoot || parents[node] >= size)
            fail("node " + number(node) + " hangs under node " + number(parents[node]) +
                 ", which does not exist");
        roots += parents[node] == kRoot;
    }
    if (roots > 1) fail("there are " + number(roots) + " roots");

    // From every token walk up to the first node that an earlier token has reached: what is new on
    // the way starts at this token, and a walk that meets itself has found a cycle.
    std::vector<int> rank(size, -1);  // the new number of every node
    std::vector<int> order;
    order.reserve(size);
    std::vector<int> walk;
    constexpr int kOnWalk = -2;
    for (std::size_t position = 0; position < leaf_parents.size(); ++position) {
        if (leaf_parents[position] < 0 || leaf_parents[position] >= size)
            fail("token " + number(static_cast<int>(position) + 1) + " hangs under node " +
                 number(leaf_parents[position]) + ", which does not exist");
        walk.clear();
        for (int node = leaf_parents[position]; node != kRoot && rank[node] < 0; node = parents[node]) {
            if (rank[node] == kOnWalk) fail("node " + number(node) + " is its own ancestor");
            rank[node] = kOnWalk;
            walk.push_back(node);
        }
        for (auto node = walk.rbegin(); node != walk.rend(); ++node) {
            rank[*node] = static_cast<int>(order.size());
            order.push_back(*node);
        }
    }
    if (static_cast<int>(order.size()) != size) {
        const auto bare = std::find(rank.begin(), rank.end(), -1);
        fail("node " + number(static_cast<int>(bare - rank.begin())) + " has no words beneath it");
    }

    ArrangedTree tree{std::move(order), std::vector<int>(size), std::vector<int>(leaf_parents.size())};
    for (int node = 0; node < size; ++node) {
        const int parent = parents[tree.order[node]];
        tree.parents[node] = parent == kRoot ? kRoot : rank[parent];
    }
    for (std::size_t position = 0; position < leaf_parents.size(); ++position)
        tree.leaf_parents[position] = rank[leaf_parents[position]];
    return tree;
}

void check_tree(const std::vector<int>& parents, const std::vector<int>& leaf_parents) {
    const ArrangedTree tree = arrange_tree(parents, leaf_parents);
    for (std::size_t node = 0; node < tree.order.size(); ++node)
        if (tree.order[node] != static_cast<int>(node))
            fail("nodes are not numbered by their leftmost tokens, from the top down; use Tree.build");
}

std::vector<std::vector<int>> tree_children(const std::vector<int>& parents,
                                            const std::vector<int>& leaf_parents) {
    const int words = static_cast<int>(leaf_parents.size());
    std::vector<std::vector<int>> children(parents.size());
    for (int position = 0; position < words; ++position) {
        // A vertex joins its parent when its leftmost token is reached, which keeps siblings sorted.
        int vertex = position;
        for (int node = leaf_parents[position]; node != kRoot; node = parents[node]) {
            children[node].push_back(vertex);
            if (children[node].size() > 1) break;
            vertex = words + node;
        }
    }
    return children;
}

void check_heads(const std::vector<int>& parents, const std::vector<int>& leaf_parents,
                 const std::vector<int>& heads) {
    if (heads.size() != parents.size())
        fail(std::to_string(heads.size()) + " heads for " + std::to_string(parents.size()) + " nodes");
    std::vector<bool> headed(parents.size(), false);
    for (std::size_t node = 0; node < parents.size(); ++node)
        if (parents[node] != kRoot && heads[node] == heads[parents[node]]) headed[parents[node]] = true;
    for (std::size_t position = 0; position < leaf_parents.size(); ++position)
        if (leaf_parents[position] != kRoot && heads[leaf_parents[position]] == static_cast<int>(position))
            headed[leaf_parents[position]] = true;
    const auto stray = std::find(headed.begin(), headed.end(), false);
    if (stray != headed.end())
        fail("the head of node " + number(static_cast<int>(stray - headed.begin())) +
             " heads none of its children");
}

}  // namespace spindle
