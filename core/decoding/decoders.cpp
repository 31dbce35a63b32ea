#include "decoding/decoders.hpp"

#include <algorithm>
#include <cmath>

#include "decoding/eisner.hpp"

namespace spindle {

std::vector<int> best_projective_tree(const ArcScores& scores) {
    std::vector<int> heads(scores.size(), -1);
    if (heads.empty()) return heads;
    const EisnerChart chart(scores);
    std::vector<EisnerChart::Cell> open{chart.all()};
    while (!open.empty()) {
        const EisnerChart::Cell cell = open.back();
        open.pop_back();
        if (EisnerChart::is_word(cell)) continue;
        int best = EisnerChart::first_split(cell);
        double score = chart.best(cell, best);
        for (int split = best + 1; split < EisnerChart::end_of_splits(cell); ++split)
            if (const double other = chart.best(cell, split); other > score) score = other, best = split;
        EisnerChart::attach(cell, heads);
        open.push_back(EisnerChart::lower(cell, best));
        open.push_back(EisnerChart::upper(cell, best));
    }
    return heads;
}

std::vector<int> best_tree(const ArcScores& scores) { return best_tree(scores, nullptr); }

std::vector<int> best_tree(const ArcScores& scores, ArcLosses* losses) {
    // Vertex 0 is above the root, word i is vertex i + 1. A large toll on arcs from vertex 0 makes the best
    // tree use as few of them as it can: one.
    const int vertices = scores.size() + 1;
    double largest = 0;
    for (int head = -1; head < scores.size(); ++head)
        for (int word = 0; word < scores.size(); ++word)
            if (head != word && scores(head, word) > kForbidden)
                largest = std::max(largest, static_cast<double>(std::abs(scores(head, word))));
    // forbidden arcs cost more than any tree, a second root more than any forbidden arcs
    const double forbidden = -(2 * largest + 1) * vertices, toll = (-forbidden + largest) * 2 * vertices;
    std::vector<double> weight(static_cast<std::size_t>(vertices) * vertices);
    const auto at = [vertices](int head, int word) {
        return static_cast<std::size_t>(head) * vertices + word;
    };
    const auto original = [&](int head, int word) {
        const float score = head == word ? kForbidden : scores(head - 1, word - 1);
        return (score > kForbidden ? score : forbidden) - (head == 0 ? toll : 0);
    };
    for (int head = 0; head < vertices; ++head)
        for (int word = 1; word < vertices; ++word) weight[at(head, word)] = original(head, word);

    // Contract cycles of best incoming arcs one after the other; a contracted cycle lives on as one of its
    // vertices, and remembers through which of its words an arc would enter or leave.
    std::vector<int> entry(weight.size()), exit(weight.size());
    for (int head = 0; head < vertices; ++head)
        for (int word = 0; word < vertices; ++word) entry[at(head, word)] = word, exit[at(head, word)] = head;
    std::vector<bool> alive(vertices, true);
    struct Contraction {
        std::vector<int> cycle, heads;         // the cycle's vertices and who points at each, within it
        std::vector<std::vector<int>> inside;  // the words that each of its vertices stood for
    };
    std::vector<Contraction> contractions;
    std::vector<std::vector<int>> stands_for(vertices);
    for (int vertex = 0; vertex < vertices; ++vertex) stands_for[vertex] = {vertex};
    std::vector<int> best(vertices, -1);
    // What has been taken off the arcs into each word so far: the weight of the best arc into the word, then
    // that of the best one into the cycle it went into, and so on.
    std::vector<double> paid(losses ? vertices : 0, 0);
    const auto note_losses = [&](int into, int from) {
        const double most = weight[at(best[into], into)];
        for (const int word : stands_for[into])
            for (const int head : stands_for[from])
                (*losses)(head - 1, word - 1) = most - (original(head, word) - paid[word]);
    };

    for (;;) {
        for (int word = 1; word < vertices; ++word) {
            if (!alive[word]) continue;
            int chosen = -1;
            for (int head = 0; head < vertices; ++head)
                if (alive[head] && head != word &&
                    (chosen < 0 || weight[at(head, word)] > weight[at(chosen, word)]))
                    chosen = head;
            best[word] = chosen;
        }
        std::vector<int> mark(vertices, 0);
        std::vector<int> cycle;
        for (int start = 1; start < vertices && cycle.empty(); ++start) {
            if (!alive[start]) continue;
            int vertex = start;
            while (vertex != 0 && mark[vertex] == 0) mark[vertex] = start, vertex = best[vertex];
            if (vertex != 0 && mark[vertex] == start)
                for (int member = vertex;;) {
                    cycle.push_back(member);
                    member = best[member];
                    if (member == vertex) break;
                }
        }
        if (cycle.empty()) break;
        if (losses) {
            for (const int into : cycle)
                for (const int from : cycle)
                    if (into != from) note_losses(into, from);
            for (const int member : cycle)
                for (const int word : stands_for[member]) paid[word] += weight[at(best[member], member)];
        }

        const int keep = cycle[0];
        std::vector<bool> in_cycle(vertices, false);
        Contraction contraction;
        contraction.cycle = cycle;
        for (int member : cycle) {
            in_cycle[member] = true;
            contraction.heads.push_back(best[member]);
            contraction.inside.push_back(stands_for[member]);
        }
        for (int other = 0; other < vertices; ++other) {
            if (!alive[other] || in_cycle[other]) continue;
            int into = cycle[0], out_of = cycle[0];
            double best_into = -std::numeric_limits<double>::infinity(), best_out = best_into;
            for (int member : cycle) {
                const double entering = weight[at(other, member)] - weight[at(best[member], member)];
                if (entering > best_into) best_into = entering, into = member;
                if (weight[at(member, other)] > best_out)
                    best_out = weight[at(member, other)], out_of = member;
            }
            const int entry_word = entry[at(other, into)], entry_exit = exit[at(other, into)];
            const int out_word = entry[at(out_of, other)], out_exit = exit[at(out_of, other)];
            weight[at(other, keep)] = best_into;
            entry[at(other, keep)] = entry_word;
            exit[at(other, keep)] = entry_exit;
            weight[at(keep, other)] = best_out;
            entry[at(keep, other)] = out_word;
            exit[at(keep, other)] = out_exit;
        }
        // what the arcs inside the cycle join, in words
        for (std::size_t member = 0; member < cycle.size(); ++member) {
            const int word = cycle[member], head = contraction.heads[member];
            contraction.heads[member] = exit[at(head, word)];
            contraction.cycle[member] = entry[at(head, word)];
        }
        for (std::size_t member = 1; member < cycle.size(); ++member) {
            alive[cycle[member]] = false;
            stands_for[keep].insert(stands_for[keep].end(), stands_for[cycle[member]].begin(),
                                    stands_for[cycle[member]].end());
        }
        contractions.push_back(std::move(contraction));
    }

    if (losses)
        for (int word = 1; word < vertices; ++word)
            for (int head = 0; head < vertices; ++head)
                if (alive[word] && alive[head] && head != word) note_losses(word, head);

    // Arcs of what is left, then of every cycle but the one at which it is entered.
    std::vector<int> heads(vertices, -1);
    for (int word = 1; word < vertices; ++word)
        if (alive[word]) heads[entry[at(best[word], word)]] = exit[at(best[word], word)];
    for (auto contraction = contractions.rbegin(); contraction != contractions.rend(); ++contraction) {
        // the member that something outside points into has its head already
        for (std::size_t member = 0; member < contraction->cycle.size(); ++member) {
            bool entered = false;
            for (int word : contraction->inside[member]) entered |= heads[word] >= 0;
            if (!entered) heads[contraction->cycle[member]] = contraction->heads[member];
        }
    }
    std::vector<int> result(scores.size());
    for (int word = 1; word < vertices; ++word) result[word - 1] = heads[word] - 1;
    return result;
}

}  // namespace spindle
