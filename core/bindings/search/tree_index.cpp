#include "search/tree_index.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "bindings/module.hpp"
#include "bindings/support/arrays.hpp"
#include "bindings/support/columns.hpp"
#include "search/index_writer.hpp"
#include "search/tree_store.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

nb::bytes to_bytes(std::string_view bytes) { return nb::bytes(bytes.data(), bytes.size()); }

// The trees of an index as columns for Python. Every string is made once.
class IndexReader {
  public:
    IndexReader(const TreeIndex& index, const TreeStore& store)
        : index_(index), symbols_(store.symbols()), strings_(symbols_.size()) {}

    nb::tuple read(std::uint32_t number) {
        const nb::bytes details = to_bytes(index_.read(number, tree_));
        const std::size_t words = tree_.forms.size(), nodes = tree_.labels.size();
        nb::tuple strings = nb::make_tuple(to_strings(tree_.forms, words), to_strings(tree_.tags, words),
                                           to_strings(tree_.lemmas, words), to_strings(tree_.morphs, words),
                                           to_strings(tree_.leaf_functions, words));
        if (tree_.is_dtree)
            return nb::make_tuple(details, strings, to_tuple(tree_.leaf_parents), to_tuple(tree_.events));
        nb::object heads = nb::none();
        if (!tree_.heads.empty()) heads = to_tuple(tree_.heads);
        return nb::make_tuple(details, strings, to_strings(tree_.labels, nodes), to_tuple(tree_.parents),
                              to_tuple(tree_.leaf_parents), to_strings(tree_.functions, nodes), heads);
    }

  private:
    // A column that was left out consists of empty strings.
    nb::tuple to_strings(const std::vector<int>& column, std::size_t size) {
        return make_tuple_of(size, [&](std::size_t at) {
            nb::object& known = strings_.at(static_cast<std::size_t>(column.empty() ? kNothing : column[at]));
            if (!known.is_valid()) {
                const std::string& text = symbols_.text(static_cast<std::size_t>(&known - strings_.data()));
                // files may contain halves of surrogate pairs
                known = nb::steal(
                    PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogatepass"));
                if (!known.is_valid()) throw nb::python_error();
            }
            return nb::object(known).release().ptr();
        });
    }

    const TreeIndex& index_;
    const SymbolTable& symbols_;
    std::vector<nb::object> strings_;
    SearchTree tree_;
};

}  // namespace

void bind_tree_index(nb::module_& module) {
    nb::exception<BadIndex>(module, "BadIndex", PyExc_ValueError);
    nb::class_<IndexWriter>(module, "IndexWriter", "Writes the index of a treebank.")
        .def(nb::init<>())
        .def(
            "add",
            [](IndexWriter& self, const TreeStore& store, std::size_t number, nb::bytes details) {
                if (number >= store.trees().size()) throw nb::index_error("there are fewer trees");
                self.add(store.trees()[number], {details.c_str(), details.size()});
            },
            "store"_a, "number"_a, "details"_a, "Add a tree of a store, with bytes of the caller's.")
        .def(
            "finish",
            [](IndexWriter& self, const TreeStore& store, nb::bytes meta) {
                self.finish(store.symbols(), {meta.c_str(), meta.size()});
            },
            "store"_a, "meta"_a, "Add what follows the trees, all of which have the symbols of this store.")
        .def(
            "take", [](IndexWriter& self) { return to_bytes(self.take()); },
            "The bytes of the file since the last call.")
        .def_prop_ro("trees", &IndexWriter::trees)
        .def_prop_ro("words", &IndexWriter::words);
    nb::class_<TreeIndex>(module, "TreeIndex", "The index of a treebank, mapped into memory.")
        .def(
            "__init__",
            [](TreeIndex* self, const Numbers<std::uint8_t>& bytes) {
                new (self) TreeIndex({bytes.data(), bytes.size()});
            },
            nb::keep_alive<1, 2>(), "bytes"_a)
        .def(
            "fill", [](const TreeIndex& self, TreeStore& store) { self.fill(store.symbols()); }, "store"_a,
            "Give an empty store the symbols of the index.")
        .def("meta", [](const TreeIndex& self) { return to_bytes(self.meta()); })
        .def(
            "verify",
            [](const TreeIndex& self) {
                const nb::gil_scoped_release release;
                self.verify_all();
            },
            "Verify all checksums.")
        .def_prop_ro("trees", &TreeIndex::trees)
        .def_prop_ro("words", &TreeIndex::words);
    nb::class_<IndexReader>(module, "IndexReader", "Reads the trees of an index as columns.")
        .def(nb::init<const TreeIndex&, const TreeStore&>(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
             "index"_a, "store"_a)
        .def("read", &IndexReader::read, "number"_a,
             "(details, strings of tokens, heads, events) of a d-tree; (details, strings of tokens, labels, "
             "parents, leaf parents, functions, heads) of a constituent tree.");
}

}  // namespace spindle
