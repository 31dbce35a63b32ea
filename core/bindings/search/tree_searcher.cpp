#include "search/tree_searcher.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unordered_set.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bindings/module.hpp"
#include "bindings/support/arrays.hpp"
#include "bindings/support/columns.hpp"
#include "bindings/support/text.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// The strings of a predicate; none if Python evaluates it.
using PredicateTuple = std::optional<std::unordered_set<std::string>>;
// attribute, predicate, predicate of labels, is negated
using TextTestTuple = std::tuple<int, int, int, bool>;
// attribute, comparison, value
using NumberTestTuple = std::tuple<int, int, int>;
// tests, name, name of the same label, formula
using VertexTuple = std::tuple<std::vector<TextTestTuple>, std::vector<NumberTestTuple>, int, int, int>;
// kind, parts, relation, argument, vertex
using FormulaTuple = std::tuple<int, std::vector<int>, int, int, int>;

template <class Enum>
Enum to_enum(int number, Enum last) {
    if (number < 0 || number > static_cast<int>(last))
        throw std::invalid_argument("unknown part of a pattern");
    return static_cast<Enum>(number);
}

Pattern to_pattern(const std::vector<PredicateTuple>& predicates, const std::vector<VertexTuple>& vertices,
                   const std::vector<FormulaTuple>& formulas, int root, int names) {
    Pattern pattern;
    for (const PredicateTuple& literals : predicates)
        pattern.predicates.push_back({literals.has_value(), literals.value_or(PredicateTuple::value_type{})});
    for (const auto& [texts, numbers, name, same_label, formula] : vertices) {
        VertexPattern vertex;
        for (const auto& [attribute, predicate, label_predicate, is_negated] : texts)
            vertex.texts.push_back(
                {to_enum(attribute, TextAttribute::kHeadTag), predicate, label_predicate, is_negated});
        for (const auto& [attribute, comparison, value] : numbers)
            vertex.numbers.push_back({to_enum(attribute, NumberAttribute::kEvent),
                                      to_enum(comparison, Comparison::kGreaterEqual), value});
        vertex.name = name;
        vertex.same_label = same_label;
        vertex.formula = formula;
        pattern.vertices.push_back(std::move(vertex));
    }
    for (const auto& [kind, parts, relation, argument, vertex] : formulas)
        pattern.formulas.push_back({to_enum(kind, Formula::Kind::kRelated), parts,
                                    to_enum(relation, Relation::kAnywhere), argument, vertex});
    pattern.root = root;
    pattern.names = names;
    return pattern;
}

int intern(SymbolTable& symbols, PyObject* text) {
    Py_ssize_t size;
    if (!PyUnicode_Check(text)) throw nb::type_error("the strings of a tree must be str");
    if (const char* data = PyUnicode_AsUTF8AndSize(text, &size))
        return symbols.intern({data, static_cast<std::size_t>(size)});
    PyErr_Clear();  // half of a surrogate pair, which files may contain
    const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass"));
    if (!bytes.is_valid()) throw nb::python_error();
    return symbols.intern(
        {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))});
}

Column intern_all(SymbolTable& symbols, nb::tuple texts) {
    Column column(nb::len(texts));
    for (std::size_t at = 0; at < column.size(); ++at)
        column[at] = intern(symbols, PyTuple_GET_ITEM(texts.ptr(), static_cast<Py_ssize_t>(at)));
    return column;
}

enum TokenField : Py_ssize_t { kForm, kTag, kLemma, kMorph, kFunction, kTokenFields };

void add_tokens(SymbolTable& symbols, nb::tuple tokens, SearchTree& tree) {
    const std::size_t words = nb::len(tokens);
    const auto read = [&](TokenField field, Column& column, bool is_optional) {
        bool is_given = !is_optional;
        column.resize(words);
        for (std::size_t at = 0; at < words; ++at) {
            PyObject* token = PyTuple_GET_ITEM(tokens.ptr(), static_cast<Py_ssize_t>(at));
            if (!PyTuple_Check(token) || PyTuple_GET_SIZE(token) != kTokenFields)
                throw nb::type_error("tokens must be named tuples");
            PyObject* text = PyTuple_GET_ITEM(token, field);
            column[at] = intern(symbols, text);
            is_given = is_given || PyUnicode_GET_LENGTH(text);
        }
        if (!is_given) column.clear();
    };
    read(kForm, tree.forms, false);
    read(kTag, tree.tags, false);
    read(kLemma, tree.lemmas, true);
    read(kMorph, tree.morphs, true);
    read(kFunction, tree.leaf_functions, true);
}

// Adds a tree; if the columns are not those of a tree, takes it back and throws.
template <class Fill>
void add_tree(TreeStore& store, Fill&& fill) {
    SearchTree& tree = store.add();
    try {
        fill(tree);
        tree.check();
    } catch (...) {
        store.drop();
        throw;
    }
}

std::vector<bool> add_texts(TreeStore& store, nb::list texts, int threads) {
    std::vector<std::string_view> views;
    for (const nb::handle text : texts) views.push_back(utf8(nb::cast<nb::str>(text)));
    std::vector<char> is_plain;
    {
        nb::gil_scoped_release release;
        is_plain = store.add_texts(views, threads);
    }
    return {is_plain.begin(), is_plain.end()};
}

nb::list new_symbols(TreeSearcher& searcher) {
    nb::list texts;
    const SymbolTable& symbols = searcher.store().symbols();
    for (std::size_t symbol = searcher.first_new_symbol(); symbol < symbols.size(); ++symbol) {
        const std::string& text = symbols.text(symbol);
        nb::object str = nb::steal(
            PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogatepass"));
        if (!str.is_valid()) throw nb::python_error();
        texts.append(str);
    }
    return texts;
}

// One tuple for every tree: its number, the vertices of its matches (none if it needs too many steps), and
// the vertices of their names (none if names are not collected).
nb::list to_list(const std::vector<TreeMatches>& found) {
    nb::list trees;
    for (const TreeMatches& tree : found) {
        nb::object vertices = nb::none(), names = nb::none();
        if (!tree.has_too_many_steps) vertices = to_tuple(tree.matches.vertices);
        if (!tree.matches.names.empty()) names = nb::cast(tree.matches.names);
        trees.append(nb::make_tuple(tree.tree, vertices, names));
    }
    return trees;
}

nb::list find(TreeSearcher& searcher, int threads) {
    std::vector<TreeMatches> found;
    {
        nb::gil_scoped_release release;
        found = searcher.find(threads);
    }
    return to_list(found);
}

nb::list find_in_index(TreeSearcher& searcher, const TreeIndex& index, const Numbers<std::uint32_t>& trees,
                       int threads) {
    std::vector<TreeMatches> found;
    {
        nb::gil_scoped_release release;
        found = searcher.find(index, {trees.data(), trees.size()}, threads);
    }
    return to_list(found);
}

}  // namespace

void bind_tree_searcher(nb::module_& module) {
    nb::class_<TreeStore>(module, "TreeStore", "Trees to search.")
        .def(nb::init<>())
        .def(
            "add_tree",
            [](TreeStore& self, nb::tuple tokens, nb::tuple labels, Column parents, Column leaf_parents,
               nb::tuple functions, std::optional<Column> heads) {
                add_tree(self, [&](SearchTree& tree) {
                    add_tokens(self.symbols(), tokens, tree);
                    tree.labels = intern_all(self.symbols(), labels);
                    tree.functions = intern_all(self.symbols(), functions);
                    tree.parents = std::move(parents);
                    tree.leaf_parents = std::move(leaf_parents);
                    if (heads) tree.heads = std::move(*heads);
                });
            },
            "tokens"_a, "labels"_a, "parents"_a, "leaf_parents"_a, "functions"_a, "heads"_a.none(),
            "Add a constituent tree.")
        .def(
            "add_dtree",
            [](TreeStore& self, nb::tuple tokens, Column heads, nb::tuple symbols, Column events) {
                add_tree(self, [&](SearchTree& tree) {
                    add_tokens(self.symbols(), tokens, tree);
                    tree.is_dtree = true;
                    tree.leaf_parents = std::move(heads);
                    tree.leaf_functions = intern_all(self.symbols(), symbols);
                    tree.events = std::move(events);
                });
            },
            "tokens"_a, "heads"_a, "symbols"_a, "events"_a, "Add a d-tree.")
        .def("add_texts", &add_texts, "texts"_a, "threads"_a,
             "Add the tree of every text that is exactly one tree in plain brackets; returns which are.")
        .def("clear", &TreeStore::clear, "Remove all trees.")
        .def("__len__", [](const TreeStore& self) { return self.trees().size(); });
    nb::class_<TreeSearcher>(module, "TreeSearcher", "Searches a store for a compiled pattern.")
        .def(
            "__init__",
            [](TreeSearcher* self, const TreeStore& store, const std::vector<PredicateTuple>& predicates,
               const std::vector<VertexTuple>& vertices, const std::vector<FormulaTuple>& formulas, int root,
               int names, bool collects_names) {
                new (self) TreeSearcher(store, to_pattern(predicates, vertices, formulas, root, names),
                                        collects_names);
            },
            nb::keep_alive<1, 2>(), "store"_a, "predicates"_a, "vertices"_a, "formulas"_a, "root"_a,
            "names"_a, "collects_names"_a)
        .def("new_symbols", &new_symbols, "The strings for which predicates must be evaluated before `find`.")
        .def(
            "extend",
            [](TreeSearcher& self, int predicate, nb::bytes holds) {
                self.extend(predicate, {holds.c_str(), holds.size()});
            },
            "predicate"_a, "holds"_a, "Say for every new symbol whether a predicate of Python's holds.")
        .def("find", &find, "threads"_a,
             "Returns (tree, vertices, names of every vertex or None) for every tree with a match, and "
             "(tree, None, None) for a tree that needs too many steps.")
        .def("find_in_index", &find_in_index, "index"_a, "trees"_a, "threads"_a,
             "The same for some trees of an index, of which the store has all symbols.")
        .def(
            "candidates",
            [](TreeSearcher& self, const TreeIndex& index, bool as_dtrees) {
                std::vector<std::uint32_t> found;
                {
                    nb::gil_scoped_release release;
                    found = self.candidates(index, as_dtrees ? SearchedAs::kDTrees : SearchedAs::kStored);
                    index.verify(found);
                }
                return nb::bytes(found.data(), 4 * found.size());
            },
            "index"_a, "as_dtrees"_a, "The numbers of the trees of an index that may match, verified.");
}

}  // namespace spindle
