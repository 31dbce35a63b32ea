#include "decoding/chu_liu_edmonds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/interrupt.hpp"

namespace spindle {

namespace {

// The algorithm contracts cycles of best incoming arcs, one after the other, until none is left. A contracted
// cycle lives on as one of its vertices. Vertex 0 is above the root, word i is vertex i + 1.
class Contractor {
  public:
    Contractor(const ArcScores& scores, ArcLosses* losses)
        : scores_(scores),
          losses_(losses),
          vertices_(scores.size() + 1),
          weights_(static_cast<std::size_t>(vertices_) * vertices_, 0),
          arcs_(weights_.size()),
          alive_(vertices_, true),
          best_(vertices_, kNone),
          words_of_(vertices_),
          paid_(losses ? vertices_ : 0, 0) {
        set_penalties();
        for (int head = 0; head < vertices_; ++head)
            for (int word = 0; word < vertices_; ++word) {
                if (word > 0) weight(head, word) = original(head, word);
                arc(head, word) = {word, head};
            }
        for (int vertex = 0; vertex < vertices_; ++vertex) words_of_[vertex] = {vertex};
    }

    std::vector<int> heads() {
        for (int word = 1; word < vertices_; ++word) {
            poll_interrupt(vertices_);
            best_[word] = best_head(word);
        }
        for (std::vector<int> cycle = find_cycle(); !cycle.empty(); cycle = find_cycle()) {
            poll_interrupt(static_cast<std::size_t>(vertices_) * cycle.size());
            if (losses_) pay(cycle);
            contract(cycle);
        }
        if (losses_)
            for (int word = 1; word < vertices_; ++word)
                for (int head = 0; head < vertices_; ++head)
                    if (alive_[word] && alive_[head] && head != word) note_losses(word, head);
        return expand();
    }

  private:
    static constexpr int kNone = -1;

    struct Arc {
        int word, head;
    };
    struct Contraction {
        std::vector<int> words, heads;         // the arcs of the cycle
        std::vector<std::vector<int>> inside;  // the words that each vertex of the cycle stood for
    };

    // The weight of the best arc between two vertices, of all that run between the words they stand for.
    double& weight(int head, int word) { return weights_[at(head, word)]; }
    Arc& arc(int head, int word) { return arcs_[at(head, word)]; }
    std::size_t at(int head, int word) const { return static_cast<std::size_t>(head) * vertices_ + word; }

    // Forbidden arcs cost more than any tree, a second root more than any number of forbidden arcs: so the
    // best tree has one arc from vertex 0.
    void set_penalties() {
        double largest = 0;
        for (int head = kRoot; head < scores_.size(); ++head)
            for (int word = 0; word < scores_.size(); ++word)
                if (head != word && scores_(head, word) > kForbidden)
                    largest = std::max(largest, static_cast<double>(std::abs(scores_(head, word))));
        forbidden_ = -(2 * largest + 1) * vertices_;
        toll_ = (-forbidden_ + largest) * 2 * vertices_;
    }

    double original(int head, int word) const {
        const float score = head == word ? kForbidden : scores_(head - 1, word - 1);
        return (score > kForbidden ? score : forbidden_) - (head == 0 ? toll_ : 0);
    }

    // The head of the best arc into a vertex; the first of several.
    int best_head(int word) {
        int best = kNone;
        for (int head = 0; head < vertices_; ++head)
            if (alive_[head] && head != word && (best == kNone || weight(head, word) > weight(best, word)))
                best = head;
        return best;
    }

    // The same for all vertices, after a contraction: the best head of most is what it was.
    void update_best(int contracted, const std::vector<bool>& in_cycle) {
        for (int word = 1; word < vertices_; ++word) {
            if (!alive_[word]) continue;
            if (word == contracted || in_cycle[best_[word]]) {
                poll_interrupt(vertices_);
                best_[word] = best_head(word);
            } else if (contracted < best_[word] && weight(contracted, word) == weight(best_[word], word))
                best_[word] = contracted;
        }
    }

    // The vertices of a cycle of best arcs; none if there is no cycle.
    std::vector<int> find_cycle() const {
        std::vector<int> mark(vertices_, 0), cycle;
        for (int start = 1; start < vertices_ && cycle.empty(); ++start) {
            if (!alive_[start]) continue;
            int vertex = start;
            while (vertex != 0 && mark[vertex] == 0) mark[vertex] = start, vertex = best_[vertex];
            if (vertex == 0 || mark[vertex] != start) continue;
            int member = vertex;
            do {
                cycle.push_back(member);
                member = best_[member];
            } while (member != vertex);
        }
        return cycle;
    }

    void contract(const std::vector<int>& cycle) {
        const int keep = cycle[0];
        std::vector<bool> in_cycle(vertices_, false);
        Contraction contraction;
        for (const int member : cycle) {
            in_cycle[member] = true;
            contraction.inside.push_back(words_of_[member]);
        }
        for (int other = 0; other < vertices_; ++other)
            if (alive_[other] && !in_cycle[other]) join(other, cycle);
        for (const int member : cycle) {
            const Arc& inside = arc(best_[member], member);
            contraction.words.push_back(inside.word);
            contraction.heads.push_back(inside.head);
        }
        for (std::size_t member = 1; member < cycle.size(); ++member) {
            const std::vector<int>& joined = words_of_[cycle[member]];
            alive_[cycle[member]] = false;
            words_of_[keep].insert(words_of_[keep].end(), joined.begin(), joined.end());
        }
        contractions_.push_back(std::move(contraction));
        update_best(keep, in_cycle);
    }

    // Finds the best arcs between the contracted cycle and a vertex outside.
    void join(int other, const std::vector<int>& cycle) {
        int into = cycle[0], out_of = cycle[0];
        double best_into = -std::numeric_limits<double>::infinity(), best_out = best_into;
        for (const int member : cycle) {
            const double entering = weight(other, member) - weight(best_[member], member);
            if (entering > best_into) best_into = entering, into = member;
            if (weight(member, other) > best_out) best_out = weight(member, other), out_of = member;
        }
        const Arc entry = arc(other, into), exit = arc(out_of, other);
        arc(other, cycle[0]) = entry;
        weight(other, cycle[0]) = best_into;
        arc(cycle[0], other) = exit;
        weight(cycle[0], other) = best_out;
    }

    // The arcs that are left, then those of every cycle except at the vertex where it is entered.
    std::vector<int> expand() {
        std::vector<int> heads(vertices_, kNone);
        for (int word = 1; word < vertices_; ++word)
            if (alive_[word]) heads[arc(best_[word], word).word] = arc(best_[word], word).head;
        for (auto cycle = contractions_.rbegin(); cycle != contractions_.rend(); ++cycle)
            for (std::size_t member = 0; member < cycle->words.size(); ++member) {
                const std::vector<int>& inside = cycle->inside[member];
                const bool is_entered =
                    std::any_of(inside.begin(), inside.end(), [&](int word) { return heads[word] != kNone; });
                if (!is_entered) heads[cycle->words[member]] = cycle->heads[member];
            }
        std::vector<int> result(scores_.size());
        for (int word = 1; word < vertices_; ++word) result[word - 1] = heads[word] - 1;
        return result;
    }

    // Notes the losses of the arcs within a cycle, and takes its best arcs off all later arcs into it.
    void pay(const std::vector<int>& cycle) {
        for (const int into : cycle)
            for (const int from : cycle)
                if (into != from) note_losses(into, from);
        for (const int member : cycle)
            for (const int word : words_of_[member]) paid_[word] += weight(best_[member], member);
    }

    void note_losses(int into, int from) {
        const double most = weight(best_[into], into);
        for (const int word : words_of_[into])
            for (const int head : words_of_[from])
                (*losses_)(head - 1, word - 1) = most - (original(head, word) - paid_[word]);
    }

    const ArcScores& scores_;
    ArcLosses* losses_;
    int vertices_;
    double forbidden_ = 0, toll_ = 0;
    std::vector<double> weights_;
    std::vector<Arc> arcs_;    // which arc that is, in words
    std::vector<bool> alive_;  // whether a vertex stands for itself, or for a cycle
    std::vector<int> best_;    // the best head of every vertex
    std::vector<std::vector<int>> words_of_;
    std::vector<Contraction> contractions_;
    // Per word, what has been taken off the arcs into it: the weight of the best arc into the word, then that
    // of the best one into the cycle that holds it, and so on.
    std::vector<double> paid_;
};

}  // namespace

std::vector<int> best_tree(const ArcScores& scores, ArcLosses* losses) {
    return Contractor(scores, losses).heads();
}

}  // namespace spindle
