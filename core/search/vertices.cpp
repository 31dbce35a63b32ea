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

template <class Number>
void make_room(std::vector<Number>& column, int size) {
    if (column.size() < static_cast<std::size_t>(size)) column.resize(static_cast<std::size_t>(size));
}

}  // namespace

void Vertices::assign(const SearchTree& tree, const VertexNeeds& needs) {
    words_ = static_cast<int>(tree.forms.size());
    is_dtree_ = tree.is_dtree;
    const int size = is_dtree_ ? words_ : static_cast<int>(tree.labels.size()) + 2 * words_;
    make_room(kind, size);
    make_room(at_word, words_);
    for (auto* column : {&number, &label, &parent, &end}) make_room(*column, size);
    count_ = 0;
    if (is_dtree_) {
        arrange_dtree(tree);
    } else if (!arrange_continuous(tree)) {
        count_ = 0;
        arrange_discontinuous(tree);
    }
    if (needs.sisters) find_sisters();
    if (needs.depth) find_depths();
    if (needs.spans) find_spans();
    if (needs.heads) find_heads(tree);
    if (needs.gaps) count_gaps();
}

void Vertices::arrange_dtree(const SearchTree& tree) {
    write_rows(words_, starts_, children_, ends_, [&](auto&& found) {
        for (int word = 0; word < words_; ++word)
            if (tree.leaf_parents[word] != kRoot) found(tree.leaf_parents[word], word);
    });
    const auto top = std::ranges::find(tree.leaf_parents, kRoot) - tree.leaf_parents.begin();
    waiting_.assign(1, {static_cast<int>(top), kRoot});
    while (!waiting_.empty()) {
        const auto [word, above] = waiting_.back();
        waiting_.pop_back();
        const int vertex = at_word[word] = add(VertexKind::kPreterminal, word, tree.tags[word], above);
        for (int at = starts_[word + 1] - 1; at >= starts_[word]; --at)
            waiting_.push_back({children_[at], vertex});
    }
    find_ends();
}

// The nodes of a continuous tree are numbered in preorder, so one pass over the words suffices.
bool Vertices::arrange_continuous(const SearchTree& tree) {
    make_room(at_node_, static_cast<int>(tree.labels.size()));
    const int* parents = tree.parents.data();
    int next = 0;      // the first node that has no vertex yet
    int open = kRoot;  // the vertex of the lowest open node
    for (int word = 0; word < words_; ++word) {
        const int above = tree.leaf_parents[word];
        const int joint = above >= next ? parents[next] : above;
        const int at_joint = joint == kRoot ? kRoot : at_node_[joint];
        for (; open != at_joint; open = parent[open]) {  // close what does not contain this word
            if (open == kRoot) return false;
            end[open] = count_;
        }
        for (; next <= above; ++next) {
            if ((parents[next] == kRoot ? kRoot : at_node_[parents[next]]) != open) return false;
            open = at_node_[next] = add(VertexKind::kNonterminal, next, tree.labels[next], open);
        }
        add_word(tree, word, open);
    }
    for (; open != kRoot; open = parent[open]) end[open] = count_;
    return true;
}

void Vertices::arrange_discontinuous(const SearchTree& tree) {
    const int nodes = static_cast<int>(tree.labels.size());
    // Row and child numbers: nodes first, then words. A node joins its parent when its leftmost token is
    // reached, which keeps sisters sorted.
    write_rows(nodes + words_, starts_, children_, ends_, [&](auto&& found) {
        is_reached_.assign(nodes, false);
        for (int word = 0; word < words_; ++word) {
            int child = nodes + word;
            for (int node = tree.leaf_parents[word]; node != kRoot; node = tree.parents[node]) {
                found(node, child);
                if (is_reached_[node]) break;
                is_reached_[node] = true;
                child = node;
            }
        }
    });
    waiting_.assign(1, {0, kRoot});
    while (!waiting_.empty()) {
        const auto [child, above] = waiting_.back();
        waiting_.pop_back();
        if (child >= nodes) {
            add_word(tree, child - nodes, above);
            continue;
        }
        const int vertex = add(VertexKind::kNonterminal, child, tree.labels[child], above);
        for (int at = starts_[child + 1] - 1; at >= starts_[child]; --at)
            waiting_.push_back({children_[at], vertex});
    }
    find_ends();
}

void Vertices::find_ends() {
    for (int vertex = 0; vertex < count_; ++vertex) end[vertex] = vertex + 1;
    for (int vertex = count_ - 1; vertex > 0; --vertex)
        end[parent[vertex]] = std::max(end[parent[vertex]], end[vertex]);
}

void Vertices::find_sisters() {
    for (auto* column : {&rank, &children, &previous, &last_child_}) make_room(*column, count_);
    std::fill_n(children.begin(), count_, 0);
    std::fill_n(last_child_.begin(), count_, -1);
    for (int vertex = 0; vertex < count_; ++vertex) {
        const int above = parent[vertex];
        rank[vertex] = above == kRoot ? 0 : children[above]++;
        previous[vertex] = above == kRoot ? -1 : last_child_[above];
        if (above != kRoot) last_child_[above] = vertex;
    }
}

void Vertices::find_depths() {
    make_room(depth, count_);
    for (int vertex = 0; vertex < count_; ++vertex)
        depth[vertex] = parent[vertex] == kRoot ? 0 : depth[parent[vertex]] + 1;
}

void Vertices::find_spans() {
    for (auto* column : {&left, &right, &length}) make_room(*column, count_);
    for (int vertex = 0; vertex < count_; ++vertex) {
        const bool is_word = is_dtree_ || kind[vertex] == VertexKind::kTerminal;
        left[vertex] = is_word ? number[vertex] : words_;
        right[vertex] = is_word ? number[vertex] : -1;
        length[vertex] = is_word;
    }
    for (int vertex = count_ - 1; vertex > 0; --vertex) {
        const int above = parent[vertex];
        left[above] = std::min(left[above], left[vertex]);
        right[above] = std::max(right[above], right[vertex]);
        length[above] += length[vertex];
    }
}

void Vertices::find_heads(const SearchTree& tree) {
    make_room(head, count_);
    for (int vertex = 0; vertex < count_; ++vertex) {
        const bool is_node = kind[vertex] == VertexKind::kNonterminal;
        head[vertex] = !is_node ? number[vertex] : tree.heads.empty() ? -1 : tree.heads[number[vertex]];
    }
}

void Vertices::count_gaps() {
    make_room(gaps, count_);
    std::fill_n(gaps.begin(), count_, -1);
    for (int word = 0; word < words_; ++word) {
        // Every vertex above this word but not above the one before starts a contiguous part here.
        const int before = word ? at_word[word - 1] : -1;
        for (int vertex = at_word[word]; vertex != kRoot; vertex = parent[vertex]) {
            if (before != -1 && (vertex == before || is_above(vertex, before))) break;
            ++gaps[vertex];
        }
    }
}

}  // namespace spindle
