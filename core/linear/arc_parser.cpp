#include "linear/arc_parser.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>

#include "linear/arc_scoring.hpp"
#include "linear/search.hpp"
#include "support/checks.hpp"
#include "support/parallel.hpp"
#include "trees/dtree.hpp"

namespace spindle {

namespace {

std::vector<ScoredTree> k_best(const ArcScores& scores, int k, bool projective) {
    return projective ? best_projective_trees(scores, k) : best_trees(scores, k);
}

}  // namespace

std::vector<std::vector<int>> ArcParser::parse(const Sentences& sentences, int threads) const {
    std::vector<std::vector<int>> found(sentences.size());
    parallel_for(sentences.size(), threads, [&](std::size_t at) {
        if (sentences[at]->size() == 0) return;
        const PaddedSentence words(*sentences[at]);
        if (has_arcs_only(words, options_.order))
            found[at] = decode(score_arcs(words, arcs(), model_.dictionary), options_.projective);
        else
            found[at] =
                find_best_tree(words, model_.parts, options_,
                               find_candidate_arcs(words, arcs(), model_.parts, model_.dictionary, options_));
    });
    return found;
}

std::vector<std::vector<ScoredTree>> ArcParser::parse_k_best(const Sentences& sentences, int k,
                                                             int threads) const {
    std::vector<std::vector<ScoredTree>> found(sentences.size());
    parallel_for(sentences.size(), threads, [&](std::size_t at) {
        if (sentences[at]->size() == 0) return found[at].push_back({{}, 0});
        const PaddedSentence words(*sentences[at]);
        if (has_arcs_only(words, options_.order))
            found[at] = k_best(score_arcs(words, arcs(), model_.dictionary), k, options_.projective);
        else
            found[at] = k_best_of_list(words, k);
    });
    return found;
}

std::vector<ScoredTree> ArcParser::k_best_of_list(const PaddedSentence& words, int k) const {
    const CandidateArcs candidates =
        find_candidate_arcs(words, arcs(), model_.parts, model_.dictionary, options_);
    std::set<std::vector<int>> others;
    const auto keep = [&](const std::vector<int>& heads) { others.insert(heads); };
    const std::vector<int> first = find_best_tree(words, model_.parts, options_, candidates, keep);
    const auto keep_best = [&](const ArcScores& scores) {
        for (ScoredTree& tree : k_best(scores, k, options_.projective)) others.insert(std::move(tree.heads));
    };
    keep_best(candidates.first);
    thread_local PartCache cache;
    HillClimber<QuantizedWeights> climber(words, model_.parts, options_, candidates, cache);
    keep_best(climber.scores_around(first));
    others.erase(first);
    std::vector<ScoredTree> found{{first, score(words, first)}};
    for (const std::vector<int>& heads : others) found.push_back({heads, score(words, heads)});
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& one, const auto& other) { return one.score > other.score; });
    if (static_cast<int>(found.size()) > k) found.resize(k);
    return found;
}

std::vector<ArcMarginals> ArcParser::head_probabilities(const Sentences& sentences, float temperature,
                                                        int threads) const {
    if (!(temperature > 0) || !std::isfinite(temperature))
        throw std::invalid_argument("the temperature must be a number above 0, not " +
                                    std::to_string(temperature));
    std::vector<ArcMarginals> found(sentences.size(), ArcMarginals(0));
    parallel_for(sentences.size(), threads, [&](std::size_t at) {
        ArcScores scores = score_arcs(PaddedSentence(*sentences[at]), arcs(), model_.dictionary);
        for (int word = 0; word < scores.size(); ++word)
            for (int head = kRoot; head < scores.size(); ++head)
                if (scores(head, word) > kForbidden)
                    scores(head, word) = bounded_score(scores(head, word) / temperature);
        found[at] = options_.projective ? projective_marginals(scores) : marginals(scores);
    });
    return found;
}

std::vector<std::vector<Class>> ArcParser::label(const Sentences& sentences,
                                                 const std::vector<std::vector<int>>& heads,
                                                 int threads) const {
    if (!model_.labels) throw std::invalid_argument("the parser was trained without labels");
    check_same_length(sentences.size(), "sentences", heads.size(), "lists of heads");
    std::vector<std::vector<Class>> found(sentences.size());
    parallel_for(sentences.size(), threads, [&](std::size_t at) {
        check_head_count(*sentences[at], heads[at]);
        check_heads_exist(heads[at]);
        found[at] = label_arcs(PaddedSentence(*sentences[at]), arcs(), heads[at]);
    });
    return found;
}

double ArcParser::score(const Sentence& sentence, const std::vector<int>& heads) const {
    check_head_count(sentence, heads);
    check_heads_exist(heads);
    return score(PaddedSentence(sentence), heads);
}

double ArcParser::score(const PaddedSentence& words, const std::vector<int>& heads) const {
    double total = 0;
    for (int word = 0; word < words.size(); ++word) total += arc_score(words, arcs(), heads[word], word);
    if (options_.order == Order::kBasic) return total;
    for (int word = 0; word < words.size(); ++word)
        total += arc_score(words, model_.parts, heads[word], word);
    double larger = 0;
    higher_order_features(words, heads, options_.order,
                          [&](FeatureHash hash) { larger += model_.parts[hash]; });
    return total + larger * model_.parts.scale();
}

}  // namespace spindle
