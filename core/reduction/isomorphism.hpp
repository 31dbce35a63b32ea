// The paper's Algorithms 1 and 2 on columns: constituent trees to head-ordered d-trees and back, and
// what makes a d-tree. All linear in the size of the sentence.
#pragma once

#include <vector>

namespace spindle {

// What encoding says of every token (its arc) and of every node (its place on its head's spine).
struct EncodedTree {
    std::vector<int> heads;    // the head of every token, kRoot for the root of the d-tree
    std::vector<int> nodes;    // the node that attaches every token to its head, kRoot for the root
    std::vector<int> events;   // the event of every token's arc, 0 for the root
    std::vector<int> levels;   // per node: the event of the node, or for a unary one of what is beneath it
    std::vector<int> unaries;  // the unary nodes, from the top
};

// Unary chains to put back: one entry a chain. The chain stands above the node that event `events[i]`
// of word `tokens[i]` made, or above the word itself where the event is 0.
struct Chains {
    std::vector<int> tokens;
    std::vector<int> events;
    std::vector<int> lengths;
};

struct DecodedTree {
    std::vector<int> parents;
    std::vector<int> leaf_parents;
    std::vector<int> heads;  // the lexical head of every node
    // where a node's label stands: m >= 0, on the arc of token m; else chain label ~m
    std::vector<int> sources;
};

struct DTreeProperties {
    bool projective;
    bool nested;
    bool ordered;
    bool strict;
};

EncodedTree encode_tree(const std::vector<int>& parents, const std::vector<int>& leaf_parents,
                        const std::vector<int>& heads);

// Throws std::invalid_argument where events are not 1..J or a chain has no place to stand.
DecodedTree decode_tree(const std::vector<int>& heads, const std::vector<int>& events, const Chains& chains);

// Throws std::invalid_argument unless there is one root and no cycle.
void check_dtree(const std::vector<int>& heads, const std::vector<int>& events);

// Whether there is one root and no cycle; and, of such heads, whether what depends on a word is one span with
// it.
bool is_dtree(const std::vector<int>& heads);
bool is_projective(const std::vector<int>& heads);

// `symbols` are numbers that are equal where the symbols are.
DTreeProperties dtree_properties(const std::vector<int>& heads, const std::vector<int>& symbols,
                                 const std::vector<int>& events);

}  // namespace spindle
