#include "search/matcher.hpp"

#include <algorithm>
#include <cstdlib>

#include "search/symbols.hpp"
#include "trees/root.hpp"

namespace spindle {

namespace {

constexpr int kNone = -1;
constexpr auto kAlways = [] { return true; };

bool compare(int value, Comparison comparison, int other) {
    switch (comparison) {
        case Comparison::kEqual: return value == other;
        case Comparison::kNotEqual: return value != other;
        case Comparison::kLess: return value < other;
        case Comparison::kLessEqual: return value <= other;
        case Comparison::kGreater: return value > other;
        case Comparison::kGreaterEqual: return value >= other;
    }
    return false;
}

// Adds the tests that some vertex of every match must pass.
void add_needed(const Pattern& pattern, int number, std::vector<const TextTest*>& needed) {
    const VertexPattern& vertex = pattern.vertices[number];
    for (const TextTest& test : vertex.texts)
        if (!test.is_negated) needed.push_back(&test);
    if (vertex.formula == kNone) return;
    const auto add_formula = [&](const Formula& formula) {
        if (formula.kind == Formula::Kind::kRelated) add_needed(pattern, formula.vertex, needed);
    };
    const Formula& formula = pattern.formulas[vertex.formula];
    add_formula(formula);
    if (formula.kind == Formula::Kind::kAll)
        for (const int part : formula.parts) add_formula(pattern.formulas[part]);
}

}  // namespace

Matcher::Matcher(const Pattern& pattern, const PredicateTable& holds)
    : pattern_(pattern),
      holds_(holds),
      needs_(pattern.needs()),
      bound_(pattern.names, kNone),
      known_(pattern.vertices.size()) {
    add_needed(pattern, pattern.root, needed_);
    for (const VertexPattern& vertex : pattern.vertices) {
        Quick& quick = quick_.emplace_back();
        for (const TextTest& test : vertex.texts)
            if (test.attribute == TextAttribute::kLabel && !test.is_negated)
                quick.labels = &holds[test.predicate];
        quick.is_all = vertex.texts.size() == 1 && vertex.numbers.empty();
    }
}

void Matcher::find(const SearchTree& tree, bool collects_names, Matches& matches) {
    matches.clear();
    tree_ = &tree;
    if (!can_match()) return;
    vertices_.assign(tree, needs_);
    for (std::size_t number = 0; number < known_.size(); ++number)
        if (pattern_.vertices[number].is_pure && pattern_.vertices[number].formula != kNone)
            known_[number].assign(vertices_.size(), kNone);
    steps_ = 0;
    const bool is_pure = pattern_.vertices[pattern_.root].is_pure;
    std::vector<std::vector<VertexCode>> names;
    for (int vertex = 0; vertex < vertices_.size(); ++vertex) {
        if (!passes(pattern_.root, vertex)) continue;
        if (is_pure ? !holds_of(pattern_.root, vertex)
                    : !collects_names && !match(pattern_.root, vertex, kAlways))
            continue;
        if (!is_pure && collects_names) {
            bool is_found = false;
            names.assign(pattern_.names, {});
            match(pattern_.root, vertex, [&] {
                is_found = true;
                for (std::size_t name = 0; name < bound_.size(); ++name) {
                    if (bound_[name] == kNone) continue;
                    const VertexCode named = code(bound_[name]);
                    if (std::ranges::find(names[name], named) == names[name].end())
                        names[name].push_back(named);
                }
                return false;
            });
            if (!is_found) continue;
            matches.names.push_back(std::move(names));
        }
        matches.vertices.push_back(code(vertex));
    }
}

// Whether the tree has the labels and words that a match needs: most trees fail here, before their vertices
// are arranged.
bool Matcher::can_match() const {
    return std::ranges::all_of(needed_, [this](const TextTest* test) { return has(*test); });
}

// Whether some vertex of the tree may pass a test; true for attributes that are not looked up.
bool Matcher::has(const TextTest& test) const {
    const std::vector<std::uint8_t>& holds = holds_[test.predicate];
    const auto is_in = [&](const std::vector<int>& column) {
        return std::ranges::any_of(column, [&](int symbol) { return holds[symbol] != 0; });
    };
    switch (test.attribute) {
        case TextAttribute::kLabel: return is_in(tree_->labels) || is_in(tree_->tags) || is_in(tree_->forms);
        case TextAttribute::kTag:
        case TextAttribute::kHeadTag: return is_in(tree_->tags);
        case TextAttribute::kWord:
        case TextAttribute::kHeadWord: return is_in(tree_->forms);
        case TextAttribute::kLemma: return is_in(tree_->lemmas);
        case TextAttribute::kMorph: return is_in(tree_->morphs);
        case TextAttribute::kFunction: return true;
    }
    return true;
}

VertexCode Matcher::code(int vertex) const {
    const int number = vertices_.number[vertex];
    switch (vertices_.kind[vertex]) {
        case VertexKind::kNonterminal: return static_cast<int>(tree_->forms.size()) + number;
        case VertexKind::kPreterminal: return number;
        case VertexKind::kTerminal: return -1 - number;
    }
    return 0;
}

// ── tests of a vertex ───────────────────────────────────────────────────────────────────────────────

bool Matcher::passes_all(const VertexPattern& pattern, int vertex) const {
    for (const TextTest& test : pattern.texts)
        if (passes_text(test, vertex) == test.is_negated) return false;
    for (const NumberTest& test : pattern.numbers)
        if (!passes_number(test, vertex)) return false;
    return true;
}

bool Matcher::passes_label(int predicate, int vertex) const {
    const std::vector<std::uint8_t>& holds = holds_[predicate];
    return holds[vertices_.label[vertex]] ||
           (tree_->is_dtree && holds[tree_->forms[vertices_.number[vertex]]]);
}

bool Matcher::passes_text(const TextTest& test, int vertex) const {
    const std::vector<std::uint8_t>& holds = holds_[test.predicate];
    const bool is_token = vertices_.kind[vertex] == VertexKind::kPreterminal;
    const auto of_token = [&](const std::vector<int>& column) {
        return is_token && holds[column[vertices_.number[vertex]]];
    };
    // An attribute that may be missing: an empty string never passes.
    const auto of_vertex = [&](const std::vector<int>& column) {
        if (column.empty()) return false;
        const int symbol = column[vertices_.number[vertex]];
        return symbol != kNothing && holds[symbol];
    };
    const auto of_head = [&](const std::vector<int>& column) {
        return vertices_.head[vertex] != kNone && holds[column[vertices_.head[vertex]]];
    };
    switch (test.attribute) {
        case TextAttribute::kLabel: return passes_label(test.predicate, vertex);
        case TextAttribute::kTag: return of_token(tree_->tags);
        case TextAttribute::kWord: return of_token(tree_->forms);
        case TextAttribute::kLemma: return is_token && of_vertex(tree_->lemmas);
        case TextAttribute::kMorph: return is_token && of_vertex(tree_->morphs);
        case TextAttribute::kHeadWord: return of_head(tree_->forms);
        case TextAttribute::kHeadTag: return of_head(tree_->tags);
        case TextAttribute::kFunction: break;
    }
    if (vertices_.kind[vertex] == VertexKind::kTerminal) return false;
    if (of_vertex(is_token ? tree_->leaf_functions : tree_->functions)) return true;
    return test.label_predicate != kNone && !tree_->is_dtree &&
           holds_[test.label_predicate][vertices_.label[vertex]];
}

bool Matcher::passes_number(const NumberTest& test, int vertex) const {
    return compare(value(test.attribute, vertex), test.comparison, test.value);
}

int Matcher::value(NumberAttribute attribute, int vertex) const {
    switch (attribute) {
        case NumberAttribute::kKind: return static_cast<int>(vertices_.kind[vertex]);
        case NumberAttribute::kGaps: return vertices_.gaps[vertex];
        case NumberAttribute::kLength: return vertices_.length[vertex];
        case NumberAttribute::kDepth: return vertices_.depth[vertex];
        case NumberAttribute::kHeight: return height(vertex);
        case NumberAttribute::kChildren: return vertices_.children[vertex];
        case NumberAttribute::kChain: return chain(vertex);
        case NumberAttribute::kFirst: return vertices_.left[vertex] + 1;
        case NumberAttribute::kLast: return vertices_.right[vertex] + 1;
        case NumberAttribute::kEvent:
            return tree_->events.empty() ? 0 : tree_->events[vertices_.number[vertex]];
    }
    return 0;
}

int Matcher::height(int vertex) const {
    int deepest = vertices_.depth[vertex];
    for (int below = vertex + 1; below < vertices_.end[vertex]; ++below)
        deepest = std::max(deepest, vertices_.depth[below]);
    return deepest - vertices_.depth[vertex];
}

// The number of nodes of the unary chain that a node is part of; 0 for tags and words.
int Matcher::chain(int vertex) const {
    if (vertices_.kind[vertex] != VertexKind::kNonterminal) return 0;
    int length = 1;
    for (int above = vertices_.parent[vertex]; above != kRoot && vertices_.children[above] == 1;
         above = vertices_.parent[above])
        ++length;
    for (int below = vertex; vertices_.children[below] == 1; ++length)
        if (vertices_.kind[++below] != VertexKind::kNonterminal) break;
    return length;
}

// ── pure parts ──────────────────────────────────────────────────────────────────────────────────────

bool Matcher::holds_of(int number, int vertex) {
    const VertexPattern& pattern = pattern_.vertices[number];
    if (!passes(number, vertex)) return false;
    if (pattern.formula == kNone) return true;
    if (const std::int8_t known = known_[number][vertex]; known != kNone) return known;
    const bool result = holds(pattern_.formulas[pattern.formula], vertex);
    known_[number][vertex] = result;
    return result;
}

bool Matcher::holds(const Formula& formula, int vertex) {
    const auto part_holds = [&](int part) { return holds(pattern_.formulas[part], vertex); };
    switch (formula.kind) {
        case Formula::Kind::kAll: return std::ranges::all_of(formula.parts, part_holds);
        case Formula::Kind::kAny: return std::ranges::any_of(formula.parts, part_holds);
        case Formula::Kind::kNot: return !part_holds(formula.parts[0]);
        case Formula::Kind::kRelated: break;
    }
    return for_related(formula.relation, formula.argument, vertex,
                       [&](int related) { return holds_of(formula.vertex, related); });
}

// ── parts with names ────────────────────────────────────────────────────────────────────────────────

bool Matcher::match(int number, int vertex, Rest rest) {
    if (++steps_ > kMaxSteps) throw TooManySteps();
    const VertexPattern& pattern = pattern_.vertices[number];
    if (pattern.is_pure) return holds_of(number, vertex) && rest();
    if (!passes(number, vertex)) return false;
    if (pattern.same_label != kNone) {
        const int other = bound_[pattern.same_label];
        if (other == kNone || vertices_.label[other] != vertices_.label[vertex]) return false;
    }
    const auto match_formula = [&] {
        return pattern.formula == kNone ? rest() : match(pattern_.formulas[pattern.formula], vertex, rest);
    };
    if (pattern.name == kNone) return match_formula();
    int& bound = bound_[pattern.name];
    if (bound != kNone) return bound == vertex && match_formula();
    bound = vertex;
    const bool is_done = match_formula();
    bound = kNone;
    return is_done;
}

bool Matcher::match(const Formula& formula, int vertex, Rest rest) {
    if (formula.is_pure) return holds(formula, vertex) && rest();
    switch (formula.kind) {
        case Formula::Kind::kAll: return match_all(formula.parts, 0, vertex, rest);
        case Formula::Kind::kAny:
            return std::ranges::any_of(
                formula.parts, [&](int part) { return match(pattern_.formulas[part], vertex, rest); });
        case Formula::Kind::kNot:
            return !match(pattern_.formulas[formula.parts[0]], vertex, kAlways) && rest();
        case Formula::Kind::kRelated: break;
    }
    return for_related(formula.relation, formula.argument, vertex,
                       [&](int related) { return match(formula.vertex, related, rest); });
}

bool Matcher::match_all(const std::vector<int>& parts, std::size_t from, int vertex, Rest rest) {
    if (from == parts.size()) return rest();
    return match(pattern_.formulas[parts[from]], vertex,
                 [&] { return match_all(parts, from + 1, vertex, rest); });
}

// ── relations ───────────────────────────────────────────────────────────────────────────────────────

int Matcher::nth_child(int vertex, int argument) const {
    const int count = vertices_.children[vertex];
    int rank = argument > 0 ? argument - 1 : count + argument;
    if (rank < 0 || rank >= count) return kNone;
    int child = vertex + 1;
    while (rank-- > 0) child = vertices_.end[child];
    return child;
}

bool Matcher::is_nth_child(int vertex, int argument) const {
    const int above = vertices_.parent[vertex];
    if (above == kRoot) return false;
    const int rank = vertices_.rank[vertex];
    return argument > 0 ? rank == argument - 1 : rank == vertices_.children[above] + argument;
}

int Matcher::head_child(int vertex) const {
    if (vertices_.head[vertex] == kNone) return kNone;
    for (int child = vertex + 1; child < vertices_.end[vertex]; child = vertices_.end[child])
        if (vertices_.head[child] == vertices_.head[vertex]) return child;
    return kNone;
}

template <class Found>
bool Matcher::for_related(Relation relation, int argument, int vertex, Found&& found) const {
    const Vertices& at = vertices_;
    const int above = at.parent[vertex], end = at.end[vertex], size = at.size();
    const auto among_children = [&](int of, auto&& fits) {
        for (int child = of + 1; child < at.end[of]; child = at.end[child])
            if (fits(child) && found(child)) return true;
        return false;
    };
    const auto among_all = [&](int from, int to, auto&& fits) {
        for (int other = from; other < to; ++other)
            if (fits(other) && found(other)) return true;
        return false;
    };
    const auto among_ancestors = [&](int from, auto&& fits) {
        for (int other = from; other != kRoot; other = at.parent[other])
            if (fits(other) && found(other)) return true;
        return false;
    };
    const auto any = [](int) { return true; };
    const auto is_unrelated = [&](int other) {
        return other != vertex && !at.is_above(vertex, other) && !at.is_above(other, vertex);
    };
    switch (relation) {
        case Relation::kChild: return among_children(vertex, any);
        case Relation::kParent: return above != kRoot && found(above);
        case Relation::kDescendant: return among_all(vertex + 1, end, any);
        case Relation::kAncestor: return among_ancestors(above, any);
        case Relation::kNthChild: {
            const int child = nth_child(vertex, argument);
            return child != kNone && found(child);
        }
        case Relation::kNthChildOf: return is_nth_child(vertex, argument) && found(above);
        case Relation::kOnlyChild: return at.children[vertex] == 1 && found(vertex + 1);
        case Relation::kOnlyChildOf: return above != kRoot && at.children[above] == 1 && found(above);
        case Relation::kLeftmost:
            return among_all(vertex + 1, end, [&](int other) { return at.left[other] == at.left[vertex]; });
        case Relation::kLeftmostOf:
            return among_ancestors(above, [&](int other) { return at.left[other] == at.left[vertex]; });
        case Relation::kRightmost:
            return among_all(vertex + 1, end, [&](int other) { return at.right[other] == at.right[vertex]; });
        case Relation::kRightmostOf:
            return among_ancestors(above, [&](int other) { return at.right[other] == at.right[vertex]; });
        case Relation::kUnaryPath:
            for (int other = vertex; at.children[other] == 1;)
                if (found(++other)) return true;
            return false;
        case Relation::kUnaryPathOf:
            for (int other = above; other != kRoot && at.children[other] == 1; other = at.parent[other])
                if (found(other)) return true;
            return false;
        case Relation::kSister:
            return above != kRoot && among_children(above, [&](int other) { return other != vertex; });
        case Relation::kNextSister: return above != kRoot && end < at.end[above] && found(end);
        case Relation::kPreviousSister: return at.previous[vertex] != kNone && found(at.previous[vertex]);
        case Relation::kLaterSister:
            return above != kRoot && among_children(above, [&](int other) { return other > vertex; });
        case Relation::kEarlierSister:
            return above != kRoot && among_children(above, [&](int other) { return other < vertex; });
        case Relation::kNext: {
            const int word = at.stop(vertex) + 1;
            if (word == at.words()) return false;
            for (int other = at.at_word[word]; other != kRoot && at.begin(other) == word;
                 other = at.parent[other])
                if (found(other)) return true;
            return false;
        }
        case Relation::kPrevious: {
            const int word = at.begin(vertex) - 1;
            if (word < 0) return false;
            for (int other = at.at_word[word]; other != kRoot && at.stop(other) == word;
                 other = at.parent[other])
                if (found(other)) return true;
            return false;
        }
        case Relation::kLater:
            return among_all(0, size, [&](int other) { return at.begin(other) > at.stop(vertex); });
        case Relation::kEarlier:
            return among_all(0, size, [&](int other) { return at.stop(other) < at.begin(vertex); });
        case Relation::kHeadChild: {
            const int child = head_child(vertex);
            return child != kNone && found(child);
        }
        case Relation::kHeadChildOf: return above != kRoot && head_child(above) == vertex && found(above);
        case Relation::kHeadPath:
            for (int other = head_child(vertex); other != kNone; other = head_child(other))
                if (found(other)) return true;
            return false;
        case Relation::kHeadPathOf:
            for (int other = vertex; at.parent[other] != kRoot && head_child(at.parent[other]) == other;) {
                other = at.parent[other];
                if (found(other)) return true;
            }
            return false;
        case Relation::kCrosses:
            return among_all(0, size, [&](int other) {
                return is_unrelated(other) && at.left[other] < at.right[vertex] &&
                       at.left[vertex] < at.right[other];
            });
        case Relation::kSurrounds:
            return among_all(0, size, [&](int other) {
                return is_unrelated(other) && at.left[vertex] < at.left[other] &&
                       at.right[other] < at.right[vertex];
            });
        case Relation::kEqual: return found(vertex);
        case Relation::kAnywhere: return among_all(0, size, any);
    }
    return false;
}

}  // namespace spindle
