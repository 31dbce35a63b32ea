#include "search/vertices.hpp"

#include <algorithm>

#include "trees/root.hpp"

namespace spindle {

namespace {

// Writes the children of every row in compressed rows: those of row r are children[starts[r]] to
// children[starts[r + 1] - 1]. `each` calls its argument with every (row, child), children in order.
template <class Each>
void write_rows(std::size_t rows, std::vector<int>& starts, std::vector<int>& children,
                std::vector<int>& ends, Each&& each) {
    starts.assign(rows + 1, 0);
    each([&](int row, int) { ++starts[row + 1]; });
    for (std::size_t row = 1; row <= rows; ++row) starts[row] += starts[row - 1];
    children.resize(starts[rows]);
    ends.assign(starts.begin(), starts.end() - 1);
    each([&](int row, int child) { children[ends[row]++] = child; });
}

}  // namespace

void Vertices::add(VertexKind vertex_kind, int vertex_number, int vertex_label, int above, int vertex_rank) {
    kind.push_back(vertex_kind);
    number.push_back(vertex_number);
    label.push_back(vertex_label);
    parent.push_back(above);
    rank.push_back(vertex_rank);
    depth.push_back(above == kRoot ? 0 : depth[above] + 1);
}

void Vertices::assign(const SearchTree& tree, bool needs_gaps) {
    const int nodes = static_cast<int>(tree.labels.size()), words = static_cast<int>(tree.forms.size());
    for (auto* column : {&number, &label, &parent, &rank, &depth}) column->clear();
    kind.clear();
    int top = 0;
    if (tree.is_dtree) {
        top = static_cast<int>(std::ranges::find(tree.leaf_parents, kRoot) - tree.leaf_parents.begin());
        write_rows(words, starts_, children_, ends_, [&](auto&& found) {
            for (int word = 0; word < words; ++word)
                if (tree.leaf_parents[word] != kRoot) found(tree.leaf_parents[word], word);
        });
    } else {
        // Row and child numbers: nodes first, then words. A node joins its parent when its leftmost token is
        // reached, which keeps sisters sorted.
        write_rows(nodes + words, starts_, children_, ends_, [&](auto&& found) {
            is_reached_.assign(nodes, false);
            for (int word = 0; word < words; ++word) {
                int child = nodes + word;
                for (int node = tree.leaf_parents[word]; node != kRoot; node = tree.parents[node]) {
                    found(node, child);
                    if (is_reached_[node]) break;
                    is_reached_[node] = true;
                    child = node;
                }
            }
        });
    }
    at_word.resize(words);
    waiting_.clear();
    waiting_.push_back({top, kRoot, 0});
    while (!waiting_.empty()) {
        const Waiting next = waiting_.back();
        waiting_.pop_back();
        const int vertex = size();
        if (tree.is_dtree) {
            add(VertexKind::kPreterminal, next.vertex, tree.tags[next.vertex], next.parent, next.rank);
            at_word[next.vertex] = vertex;
        } else if (next.vertex >= nodes) {
            const int word = next.vertex - nodes;
            add(VertexKind::kPreterminal, word, tree.tags[word], next.parent, next.rank);
            add(VertexKind::kTerminal, word, tree.forms[word], vertex, 0);
            at_word[word] = vertex + 1;
            continue;
        } else {
            add(VertexKind::kNonterminal, next.vertex, tree.labels[next.vertex], next.parent, next.rank);
        }
        for (int at = starts_[next.vertex + 1] - 1; at >= starts_[next.vertex]; --at)
            waiting_.push_back({children_[at], vertex, at - starts_[next.vertex]});
    }
    const int count = size();
    end.resize(count);
    head.resize(count);
    children.assign(count, 0);
    previous.assign(count, -1);
    length.assign(count, 0);
    left.assign(count, words);
    right.assign(count, -1);
    for (int vertex = 0; vertex < count; ++vertex) {
        end[vertex] = vertex + 1;
        const bool is_node = kind[vertex] == VertexKind::kNonterminal;
        if (tree.is_dtree || kind[vertex] == VertexKind::kTerminal) {
            left[vertex] = right[vertex] = number[vertex];
            length[vertex] = 1;
        }
        head[vertex] = !is_node ? number[vertex] : tree.heads.empty() ? -1 : tree.heads[number[vertex]];
    }
    for (int vertex = count - 1; vertex > 0; --vertex) {
        const int above = parent[vertex];
        end[above] = std::max(end[above], end[vertex]);
        left[above] = std::min(left[above], left[vertex]);
        right[above] = std::max(right[above], right[vertex]);
        length[above] += length[vertex];
        ++children[above];
        if (const int next = end[vertex]; next < count && parent[next] == above) previous[next] = vertex;
    }
    begin = left;
    stop = right;
    if (tree.is_dtree) {
        begin = number;
        stop = number;
    }
    gaps.clear();
    if (needs_gaps) count_gaps(words);
}

void Vertices::count_gaps(int words) {
    gaps.assign(size(), -1);
    for (int word = 0; word < words; ++word) {
        // Every vertex above this word but not above the one before starts a contiguous part here.
        const int before = word ? at_word[word - 1] : -1;
        for (int vertex = at_word[word]; vertex != kRoot; vertex = parent[vertex]) {
            if (before != -1 && (vertex == before || is_above(vertex, before))) break;
            ++gaps[vertex];
        }
    }
}

}  // namespace spindle
