// The isomorphism between constituent trees and head-ordered d-trees, on columns: Algorithms 1 and 2 of the
// paper (section 3.2). All functions are linear in the size of the sentence.
#pragma once

#include <vector>

namespace spindle {

// What encoding says of every token (its arc) and of every node (its place on its head's spine).
struct EncodedTree {
    std::vector<int> heads;    // the head of every token, kRoot for the root of the d-tree
    std::vector<int> nodes;    // the node that attaches every token to its head, kRoot for the root
    std::vector<int> events;   // the event of every token's arc, 0 for the root
    std::vector<int> levels;   // per node: its event; per unary node: the event of the node beneath it
    std::vector<int> unaries;  // the unary nodes, from the top
};

// Unary chains to insert. Chain i has lengths[i] nodes and stands above the node that event `events[i]` of
// word `tokens[i]` made, or above the word itself where the event is 0.
struct Chains {
    std::vector<int> tokens;
    std::vector<int> events;
    std::vector<int> lengths;
};

struct DecodedTree {
    std::vector<int> parents;
    std::vector<int> leaf_parents;
    std::vector<int> heads;  // the lexical head of every node
    // Where the label of every node stands: m >= 0 on the arc of token m; below 0, chain node ~m is meant,
    // where the nodes of all chains are counted in the order of the chains, each from the top.
    std::vector<int> sources;
};

// Throws std::invalid_argument where columns do not fit together or parents stand after their children.
EncodedTree encode_tree(const std::vector<int>& parents, const std::vector<int>& leaf_parents,
                        const std::vector<int>& heads);

// Throws std::invalid_argument where the events of a head are not 1..J, or a chain stands above nothing.
DecodedTree decode_tree(const std::vector<int>& heads, const std::vector<int>& events, const Chains& chains);

// Inserts a chain of lengths[v] nodes above every vertex v, the words first and then the nodes: what
// decode_tree gives for these chains, in the order of the vertices, from a tree that it gave without any.
DecodedTree insert_chains(DecodedTree tree, const std::vector<int>& lengths);

}  // namespace spindle
