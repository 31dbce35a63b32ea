// Finds the vertices of a tree that match a pattern.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "search/pattern.hpp"
#include "search/search_tree.hpp"
#include "search/vertices.hpp"

namespace spindle {

// A vertex for other parts of the program: word w is w, node n is words + n, and the word below a tag is
// -1 - w.
using VertexCode = int;

// The matching vertices of a tree in preorder.
struct Matches {
    std::vector<VertexCode> vertices;
    // Of every match, if names are collected: all vertices that every name stands for.
    std::vector<std::vector<std::vector<VertexCode>>> names;

    void clear() {
        vertices.clear();
        names.clear();
    }
};

// A tree needs more steps than kMaxSteps.
class TooManySteps : public std::runtime_error {
  public:
    TooManySteps() : std::runtime_error("the pattern needs too many steps") {}
};

class Matcher {
  public:
    // Steps of backtracking in one tree. Only patterns with names backtrack.
    static constexpr std::int64_t kMaxSteps = 20'000'000;

    Matcher(const Pattern& pattern, const PredicateTable& holds);

    // Finds all matches. With `collects_names`, the vertices of names are in the order in which they are
    // found; without, a vertex is not examined further once it matches.
    void find(const SearchTree& tree, bool collects_names, Matches& matches);

  private:
    // What remains to be matched; returns whether the search can stop.
    class Rest {
      public:
        template <class Function>
        Rest(const Function& function)
            : function_(&function),
              call_([](const void* it) { return (*static_cast<const Function*>(it))(); }) {}
        bool operator()() const { return call_(function_); }

      private:
        const void* function_;
        bool (*call_)(const void*);
    };

    // The labels that a vertex may have, null for any, and whether nothing else is tested.
    struct Quick {
        const std::vector<std::uint8_t>* labels = nullptr;
        bool is_all = false;
    };

    bool can_match() const;
    bool has(const TextTest& test) const;
    bool passes(int pattern, int vertex) const {
        const Quick& quick = quick_[pattern];
        if (quick.labels && !tree_->is_dtree) {
            if (!(*quick.labels)[vertices_.label[vertex]]) return false;
            if (quick.is_all) return true;
        }
        return passes_all(pattern_.vertices[pattern], vertex);
    }
    bool passes_all(const VertexPattern& pattern, int vertex) const;
    bool passes_text(const TextTest& test, int vertex) const;
    bool passes_number(const NumberTest& test, int vertex) const;
    bool passes_label(int predicate, int vertex) const;
    int value(NumberAttribute attribute, int vertex) const;
    int height(int vertex) const;
    int chain(int vertex) const;

    // Of pure parts.
    bool holds_of(int pattern, int vertex);
    bool holds(const Formula& formula, int vertex);
    // Of any part: calls `rest` for every way to match this one, until it returns true.
    bool match(int pattern, int vertex, Rest rest);
    bool match(const Formula& formula, int vertex, Rest rest);
    bool match_all(const std::vector<int>& parts, std::size_t from, int vertex, Rest rest);

    // Calls `found` with every vertex in this relation, until it returns true.
    template <class Found>
    bool for_related(Relation relation, int argument, int vertex, Found&& found) const;
    int nth_child(int vertex, int argument) const;
    bool is_nth_child(int vertex, int argument) const;
    int head_child(int vertex) const;
    VertexCode code(int vertex) const;

    const Pattern& pattern_;
    const PredicateTable& holds_;
    VertexNeeds needs_;
    std::vector<const TextTest*> needed_;  // by some vertex of every match
    std::vector<Quick> quick_;             // of every vertex of the pattern
    const SearchTree* tree_ = nullptr;
    Vertices vertices_;
    std::vector<int> bound_;                       // the vertex of every name, or -1
    std::vector<std::vector<std::int8_t>> known_;  // of pure patterns: by vertex, -1 if not known
    std::int64_t steps_ = 0;
};

}  // namespace spindle
