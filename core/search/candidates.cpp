#include "search/candidates.hpp"

#include <numeric>
#include <utility>

namespace spindle {

namespace {

// What a match needs, from the trees that have it. No set means that nothing is needed.
using Needed = std::optional<TreeSet>;

class Needs {
  public:
    Needs(const TreeIndex& index, const Pattern& pattern, const PredicateTable& holds, SearchedAs form)
        : index_(index), pattern_(pattern), holds_(holds), form_(form) {}

    Needed of_vertex(int number) const {
        const VertexPattern& vertex = pattern_.vertices[number];
        Needed needed;
        for (const TextTest& test : vertex.texts)
            if (!test.is_negated) restrict(needed, of_text(test));
        for (const NumberTest& test : vertex.numbers)
            if (needs_gap(test)) restrict(needed, gaps());
        if (vertex.formula != -1) restrict(needed, of_formula(vertex.formula));
        return needed;
    }

  private:
    static void restrict(Needed& needed, Needed more) {
        if (!more) return;
        if (needed)
            needed->intersect(*more);
        else
            needed = std::move(more);
    }

    Needed of_formula(int number) const {
        const Formula& formula = pattern_.formulas[number];
        Needed needed;
        switch (formula.kind) {
            case Formula::Kind::kAll:
                for (const int part : formula.parts) restrict(needed, of_formula(part));
                return needed;
            case Formula::Kind::kAny:
                for (const int part : formula.parts) {
                    Needed of_part = of_formula(part);
                    if (!of_part) return std::nullopt;
                    if (needed)
                        needed->unite(*of_part);
                    else
                        needed = std::move(of_part);
                }
                return needed;
            case Formula::Kind::kNot: return std::nullopt;
            case Formula::Kind::kRelated: break;
        }
        needed = of_vertex(formula.vertex);
        if (formula.relation == Relation::kCrosses || formula.relation == Relation::kSurrounds)
            restrict(needed, gaps());
        return needed;
    }

    // The fields in which the strings of an attribute stand. D-trees have symbols of their own, which are
    // made of labels.
    Needed of_text(const TextTest& test) const {
        TreeSet found(index_.trees());
        const auto collect = [&](IndexField field, int predicate) {
            const std::vector<std::uint8_t>& column = holds_[predicate];
            index_.collect(field, [&](std::uint32_t symbol) { return column[symbol] != 0; }, found);
        };
        switch (test.attribute) {
            case TextAttribute::kLabel:
                if (form_ == SearchedAs::kStored) collect(IndexField::kLabel, test.predicate);
                collect(IndexField::kTag, test.predicate);
                collect(IndexField::kForm, test.predicate);
                break;
            case TextAttribute::kTag:
            case TextAttribute::kHeadTag: collect(IndexField::kTag, test.predicate); break;
            case TextAttribute::kWord:
            case TextAttribute::kHeadWord: collect(IndexField::kForm, test.predicate); break;
            case TextAttribute::kLemma: collect(IndexField::kLemma, test.predicate); break;
            case TextAttribute::kMorph: collect(IndexField::kMorph, test.predicate); break;
            case TextAttribute::kFunction:
                if (form_ == SearchedAs::kDTrees) return std::nullopt;
                collect(IndexField::kFunction, test.predicate);
                if (test.label_predicate == -1) break;
                collect(IndexField::kLabel, test.label_predicate);
                collect(IndexField::kTag, test.label_predicate);
                break;
        }
        return found;
    }

    static bool needs_gap(const NumberTest& test) {
        if (test.attribute != NumberAttribute::kGaps) return false;
        switch (test.comparison) {
            case Comparison::kEqual:
            case Comparison::kGreaterEqual: return test.value >= 1;
            case Comparison::kGreater: return test.value >= 0;
            default: return false;
        }
    }

    Needed gaps() const {
        if (form_ == SearchedAs::kDTrees) return std::nullopt;
        TreeSet found(index_.trees());
        index_.collect(IndexField::kGap, [](std::uint32_t) { return true; }, found);
        return found;
    }

    const TreeIndex& index_;
    const Pattern& pattern_;
    const PredicateTable& holds_;
    SearchedAs form_;
};

}  // namespace

std::vector<std::uint32_t> candidates(const TreeIndex& index, const Pattern& pattern,
                                      const PredicateTable& holds, SearchedAs form) {
    if (const Needed needed = Needs(index, pattern, holds, form).of_vertex(pattern.root))
        return needed->numbers();
    std::vector<std::uint32_t> all(index.trees());
    std::iota(all.begin(), all.end(), 0u);
    return all;
}

}  // namespace spindle
