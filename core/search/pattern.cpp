#include "search/pattern.hpp"

#include <stdexcept>

namespace spindle {

namespace {

void check(bool is_valid) {
    if (!is_valid) throw std::invalid_argument("the parts of the pattern do not fit together");
}

bool is_index(int number, std::size_t size) { return number >= 0 && static_cast<std::size_t>(number) < size; }

bool is_index_or_none(int number, std::size_t size) { return number == -1 || is_index(number, size); }

}  // namespace

void Pattern::prepare() {
    check(names >= 0 && is_index(root, vertices.size()));
    const auto name_count = static_cast<std::size_t>(names);
    for (const VertexPattern& vertex : vertices) {
        check(is_index_or_none(vertex.name, name_count) && is_index_or_none(vertex.same_label, name_count));
        check(is_index_or_none(vertex.formula, formulas.size()));
        for (const TextTest& test : vertex.texts)
            check(is_index(test.predicate, predicates.size()) &&
                  is_index_or_none(test.label_predicate, predicates.size()));
    }
    // The parser numbers parts before what contains them, which rules out cycles.
    std::vector<int> vertex_limit(vertices.size());
    for (std::size_t number = 0; number < vertices.size(); ++number)
        vertex_limit[number] = vertices[number].formula;
    for (std::size_t number = 0; number < formulas.size(); ++number) {
        Formula& formula = formulas[number];
        formula.is_pure = true;
        for (const int part : formula.parts) {
            check(part >= 0 && part < static_cast<int>(number));
            formula.is_pure = formula.is_pure && formulas[part].is_pure;
        }
        if (formula.kind == Formula::Kind::kNot) check(formula.parts.size() == 1);
        if (formula.kind != Formula::Kind::kRelated) continue;
        check(is_index(formula.vertex, vertices.size()));
        check(vertex_limit[formula.vertex] < static_cast<int>(number));
        const VertexPattern& vertex = vertices[formula.vertex];
        formula.is_pure = vertex.name == -1 && vertex.same_label == -1 &&
                          (vertex.formula == -1 || formulas[vertex.formula].is_pure);
    }
    for (VertexPattern& vertex : vertices)
        vertex.is_pure = vertex.name == -1 && vertex.same_label == -1 &&
                         (vertex.formula == -1 || formulas[vertex.formula].is_pure);
}

VertexNeeds Pattern::needs() const {
    VertexNeeds needs;
    for (const VertexPattern& vertex : vertices) {
        for (const TextTest& test : vertex.texts)
            needs.heads |=
                test.attribute == TextAttribute::kHeadWord || test.attribute == TextAttribute::kHeadTag;
        for (const NumberTest& test : vertex.numbers) switch (test.attribute) {
                case NumberAttribute::kChildren:
                case NumberAttribute::kChain: needs.sisters = true; break;
                case NumberAttribute::kDepth:
                case NumberAttribute::kHeight: needs.depth = true; break;
                case NumberAttribute::kLength:
                case NumberAttribute::kFirst:
                case NumberAttribute::kLast: needs.spans = true; break;
                case NumberAttribute::kGaps: needs.gaps = true; break;
                case NumberAttribute::kKind:
                case NumberAttribute::kEvent: break;
            }
    }
    for (const Formula& formula : formulas) {
        if (formula.kind != Formula::Kind::kRelated) continue;
        switch (formula.relation) {
            case Relation::kNthChild:
            case Relation::kNthChildOf:
            case Relation::kOnlyChild:
            case Relation::kOnlyChildOf:
            case Relation::kUnaryPath:
            case Relation::kUnaryPathOf:
            case Relation::kPreviousSister: needs.sisters = true; break;
            case Relation::kLeftmost:
            case Relation::kLeftmostOf:
            case Relation::kRightmost:
            case Relation::kRightmostOf:
            case Relation::kNext:
            case Relation::kPrevious:
            case Relation::kLater:
            case Relation::kEarlier:
            case Relation::kCrosses:
            case Relation::kSurrounds: needs.spans = true; break;
            case Relation::kHeadChild:
            case Relation::kHeadChildOf:
            case Relation::kHeadPath:
            case Relation::kHeadPathOf: needs.heads = true; break;
            default: break;
        }
    }
    return needs;
}

}  // namespace spindle
