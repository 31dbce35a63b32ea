#include "trees/tree.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "support/checks.hpp"

namespace spindle {

namespace {

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument(message); }

std::string number(int node) { return std::to_string(node); }

[[noreturn]] void fail_no_parent(const std::string& child, int parent) {
    fail(child + " hangs under node " + number(parent) + ", which does not exist");
}

std::string token(std::size_t position) { return "token " + std::to_string(position + 1); }

void check_parents(const std::vector<int>& parents) {
    const int size = static_cast<int>(parents.size());
    int roots = 0;
    for (int node = 0; node < size; ++node) {
        if (parents[node] < kRoot || parents[node] >= size)
            fail_no_parent("node " + number(node), parents[node]);
        roots += parents[node] == kRoot;
    }
    if (roots > 1) fail("there are " + number(roots) + " roots");
}

void check_leaf_parents(const std::vector<int>& leaf_parents, int nodes) {
    for (std::size_t position = 0; position < leaf_parents.size(); ++position)
        if (leaf_parents[position] < 0 || leaf_parents[position] >= nodes)
            fail_no_parent(token(position), leaf_parents[position]);
}

// The nodes in canonical order. From every token, walks up to the first node that an earlier token has
// reached: the new nodes on the way start at this token. A walk that meets itself has found a cycle.
// `rank` becomes the place of every node in that order.
std::vector<int> canonical_order(const std::vector<int>& parents, const std::vector<int>& leaf_parents,
                                 std::vector<int>& rank) {
    constexpr int kUnreached = -1, kOnWalk = -2;
    rank.assign(parents.size(), kUnreached);
    std::vector<int> order, walk;
    order.reserve(parents.size());
    for (const int leaf_parent : leaf_parents) {
        walk.clear();
        for (int node = leaf_parent; node != kRoot && rank[node] < 0; node = parents[node]) {
            if (rank[node] == kOnWalk) fail("node " + number(node) + " is its own ancestor");
            rank[node] = kOnWalk;
            walk.push_back(node);
        }
        for (auto node = walk.rbegin(); node != walk.rend(); ++node) {
            rank[*node] = static_cast<int>(order.size());
            order.push_back(*node);
        }
    }
    if (order.size() != parents.size()) {
        const auto bare = std::find(rank.begin(), rank.end(), kUnreached);
        fail("node " + number(static_cast<int>(bare - rank.begin())) + " has no words beneath it");
    }
    return order;
}

}  // namespace

ArrangedTree arrange_tree(const std::vector<int>& parents, const std::vector<int>& leaf_parents) {
    if (leaf_parents.empty()) fail("a tree needs at least one token");
    if (parents.empty()) {
        if (leaf_parents.size() > 1) fail("several tokens need a node above them");
        if (leaf_parents[0] != kRoot) fail_no_parent("token 1", leaf_parents[0]);
        return {{}, {}, leaf_parents};
    }
    check_parents(parents);
    check_leaf_parents(leaf_parents, static_cast<int>(parents.size()));
    std::vector<int> rank;
    ArrangedTree tree{canonical_order(parents, leaf_parents, rank), {}, {}};
    tree.parents.reserve(parents.size());
    for (const int node : tree.order)
        tree.parents.push_back(parents[node] == kRoot ? kRoot : rank[parents[node]]);
    tree.leaf_parents.reserve(leaf_parents.size());
    for (const int parent : leaf_parents) tree.leaf_parents.push_back(rank[parent]);
    return tree;
}

void check_tree(const std::vector<int>& parents, const std::vector<int>& leaf_parents) {
    const ArrangedTree tree = arrange_tree(parents, leaf_parents);
    for (std::size_t node = 0; node < tree.order.size(); ++node)
        if (tree.order[node] != static_cast<int>(node))
            fail("nodes are not numbered by their leftmost tokens, from the top down; use Tree.build");
}

void check_canonical_parents(const std::vector<int>& parents, const std::vector<int>& leaf_parents) {
    const int size = static_cast<int>(parents.size());
    for (int node = 0; node < size; ++node)
        if (parents[node] < kRoot || parents[node] >= node)
            fail("node " + number(node) + " does not stand after its parent, node " + number(parents[node]));
    for (std::size_t position = 0; position < leaf_parents.size(); ++position)
        if (leaf_parents[position] < kRoot || leaf_parents[position] >= size)
            fail_no_parent(token(position), leaf_parents[position]);
}

std::vector<std::vector<int>> tree_children(const std::vector<int>& parents,
                                            const std::vector<int>& leaf_parents) {
    check_canonical_parents(parents, leaf_parents);
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
    check_canonical_parents(parents, leaf_parents);
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

void TreeColumns::check() const {
    check_same_length(forms.size(), "forms", tags.size(), "tags");
    check_same_length(forms.size(), "forms", leaf_parents.size(), "leaf parents");
    check_same_length(labels.size(), "labels", parents.size(), "parents");
    check_canonical_parents(parents, leaf_parents);
}

}  // namespace spindle
