// A search pattern, compiled: src/spindle/search/ parses its text, docs/search.md defines its meaning.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

namespace spindle {

enum class TextAttribute { kLabel, kTag, kWord, kLemma, kMorph, kFunction, kHeadWord, kHeadTag };
enum class NumberAttribute {
    kKind,
    kGaps,
    kLength,
    kDepth,
    kHeight,
    kChildren,
    kChain,
    kFirst,
    kLast,
    kEvent,
};
enum class Comparison { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

// A test of a string of a vertex. Functions are in a column of their own in some treebanks and part of the
// label in others: `label_predicate`, if it is not -1, is the alternative test of the label.
struct TextTest {
    TextAttribute attribute;
    int predicate;
    int label_predicate;
    bool is_negated;
};

struct NumberTest {
    NumberAttribute attribute;
    Comparison comparison;
    int value;
};

// Relations of a vertex A to a vertex B.
enum class Relation {
    kChild,           // A <  B
    kParent,          // A >  B
    kDescendant,      // A << B
    kAncestor,        // A >> B
    kNthChild,        // A <N B, from the end if N is negative
    kNthChildOf,      // A >N B
    kOnlyChild,       // A <: B
    kOnlyChildOf,     // A >: B
    kLeftmost,        // A <<, B
    kLeftmostOf,      // A >>, B
    kRightmost,       // A <<- B
    kRightmostOf,     // A >>- B
    kUnaryPath,       // A <<: B
    kUnaryPathOf,     // A >>: B
    kSister,          // A $  B
    kNextSister,      // A $. B
    kPreviousSister,  // A $, B
    kLaterSister,     // A $.. B
    kEarlierSister,   // A $,, B
    kNext,            // A .  B
    kPrevious,        // A ,  B
    kLater,           // A .. B
    kEarlier,         // A ,, B
    kHeadChild,       // A <# B
    kHeadChildOf,     // A ># B
    kHeadPath,        // A <<# B
    kHeadPathOf,      // A >># B
    kCrosses,         // A >< B
    kSurrounds,       // A <> B
    kEqual,           // A == B
    kAnywhere,        // A : B, that is, B is any vertex of the tree
};
inline constexpr int kRelations = static_cast<int>(Relation::kAnywhere) + 1;

// What a vertex must be like.
struct VertexPattern {
    std::vector<TextTest> texts;
    std::vector<NumberTest> numbers;
    int name = -1;        // bound to the vertex, or compared with the vertex that it is bound to
    int same_label = -1;  // the name of a vertex that must have the same label
    int formula = -1;
    bool is_pure = false;  // no name inside: whether a vertex matches depends on nothing else
};

struct Formula {
    enum class Kind { kAll, kAny, kNot, kRelated };
    Kind kind;
    std::vector<int> parts;  // formulas
    Relation relation{};
    int argument = 0;
    int vertex = -1;  // the pattern of the related vertex
    bool is_pure = false;
};

// A test of strings: equality with one of some strings, or a function of Python's, such as a regular
// expression, which is called once for every distinct string.
struct Predicate {
    bool is_literal;
    std::unordered_set<std::string> literals;
};

// For every predicate, whether it holds of every symbol.
using PredicateTable = std::vector<std::vector<std::uint8_t>>;

// Which columns of the vertices a pattern looks at, beside those that every pattern needs.
struct VertexNeeds {
    bool sisters = false;  // rank, children, previous
    bool depth = false;
    bool spans = false;  // left, right, length
    bool heads = false;
    bool gaps = false;
};

struct Pattern {
    std::vector<Predicate> predicates;
    std::vector<VertexPattern> vertices;
    std::vector<Formula> formulas;
    int root = 0;
    int names = 0;

    // Marks what is pure. Throws std::invalid_argument for numbers of parts that do not exist, and for a part
    // that contains itself.
    void prepare();

    VertexNeeds needs() const;
};

}  // namespace spindle
