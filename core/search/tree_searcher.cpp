#include "search/tree_searcher.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "support/parallel.hpp"

namespace spindle {

namespace {

constexpr std::size_t kTreesPerTask = 64;

}  // namespace

TreeSearcher::TreeSearcher(const TreeStore& store, Pattern pattern, bool collects_names)
    : store_(store), pattern_(std::move(pattern)), collects_names_(collects_names) {
    pattern_.prepare();
    holds_.resize(pattern_.predicates.size());
}

void TreeSearcher::extend(int predicate, std::string_view holds) {
    if (predicate < 0 || static_cast<std::size_t>(predicate) >= holds_.size() ||
        pattern_.predicates[predicate].is_literal || holds.size() != store_.symbols().size() - evaluated_)
        throw std::invalid_argument("results do not fit the predicates and symbols of this search");
    std::vector<std::uint8_t>& column = holds_[predicate];
    column.resize(evaluated_);
    column.insert(column.end(), holds.begin(), holds.end());
}

std::vector<TreeMatches> TreeSearcher::find(int threads) {
    const SymbolTable& symbols = store_.symbols();
    const std::span<const SearchTree> trees = store_.trees();
    for (std::size_t number = 0; number < holds_.size(); ++number) {
        const Predicate& predicate = pattern_.predicates[number];
        if (predicate.is_literal)
            for (std::size_t symbol = holds_[number].size(); symbol < symbols.size(); ++symbol)
                holds_[number].push_back(predicate.literals.contains(symbols.text(symbol)));
        if (holds_[number].size() != symbols.size())
            throw std::invalid_argument("a predicate has not been evaluated for every symbol");
    }
    evaluated_ = symbols.size();
    const std::size_t tasks = (trees.size() + kTreesPerTask - 1) / kTreesPerTask;
    std::vector<std::vector<TreeMatches>> found(tasks);
    parallel_for(tasks, threads, [&](std::size_t task) {
        Matcher matcher(pattern_, holds_);
        std::vector<Match> matches;
        const std::size_t end = std::min(trees.size(), (task + 1) * kTreesPerTask);
        for (std::size_t at = task * kTreesPerTask; at < end; ++at) {
            const int tree = static_cast<int>(at);
            try {
                matcher.find(trees[at], collects_names_, matches);
                if (!matches.empty()) found[task].push_back({tree, std::move(matches)});
            } catch (const TooManySteps&) {
                found[task].push_back({tree, {}, true});
            }
        }
    });
    std::vector<TreeMatches> all;
    for (std::vector<TreeMatches>& some : found) std::ranges::move(some, std::back_inserter(all));
    return all;
}

}  // namespace spindle
