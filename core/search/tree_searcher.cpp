#include "search/tree_searcher.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "support/interrupt.hpp"
#include "support/parallel.hpp"

namespace spindle {

namespace {

constexpr std::size_t kTreesPerTask = 64;
constexpr std::size_t kStepsOfTask = 64 * 100;

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

void TreeSearcher::update() {
    const SymbolTable& symbols = store_.symbols();
    for (std::size_t number = 0; number < holds_.size(); ++number) {
        const Predicate& predicate = pattern_.predicates[number];
        if (predicate.is_literal)
            for (std::size_t symbol = holds_[number].size(); symbol < symbols.size(); ++symbol)
                holds_[number].push_back(predicate.literals.contains(symbols.text(symbol)));
        if (holds_[number].size() != symbols.size())
            throw std::invalid_argument("a predicate has not been evaluated for every symbol");
    }
    evaluated_ = symbols.size();
}

template <class Tree>
std::vector<TreeMatches> TreeSearcher::find_all(std::size_t count, int threads, Tree&& tree) {
    update();
    const std::size_t tasks = (count + kTreesPerTask - 1) / kTreesPerTask;
    std::vector<std::vector<TreeMatches>> found(tasks);
    // Every thread takes a chunk of tasks, so that its matcher is made once.
    const std::size_t chunks = threads <= 1 ? 1 : std::min<std::size_t>(tasks, 8 * threads);
    parallel_for(chunks, threads, [&](std::size_t chunk) {
        Matcher matcher(pattern_, holds_);
        SearchTree scratch;
        Matches matches;
        for (std::size_t task = chunk; task < tasks; task += chunks) {
            poll_interrupt(kStepsOfTask);
            const std::size_t end = std::min(count, (task + 1) * kTreesPerTask);
            for (std::size_t at = task * kTreesPerTask; at < end; ++at) {
                const auto& [number, one] = tree(at, scratch);
                try {
                    matcher.find(one, collects_names_, matches);
                    if (!matches.vertices.empty()) found[task].push_back({number, std::move(matches)});
                } catch (const TooManySteps&) {
                    found[task].push_back({number, {}, true});
                }
            }
        }
    });
    std::vector<TreeMatches> all;
    for (std::vector<TreeMatches>& some : found) std::ranges::move(some, std::back_inserter(all));
    return all;
}

std::vector<TreeMatches> TreeSearcher::find(int threads) {
    const std::span<const SearchTree> trees = store_.trees();
    return find_all(trees.size(), threads, [&](std::size_t at, SearchTree&) {
        return std::pair<std::uint32_t, const SearchTree&>(static_cast<std::uint32_t>(at), trees[at]);
    });
}

std::vector<TreeMatches> TreeSearcher::find(const TreeIndex& index, std::span<const std::uint32_t> numbers,
                                            int threads) {
    return find_all(numbers.size(), threads, [&](std::size_t at, SearchTree& scratch) {
        index.read(numbers[at], scratch);
        return std::pair<std::uint32_t, const SearchTree&>(numbers[at], scratch);
    });
}

std::vector<std::uint32_t> TreeSearcher::candidates(const TreeIndex& index, SearchedAs form) {
    update();
    return spindle::candidates(index, pattern_, holds_, form);
}

}  // namespace spindle
