#include "linear/sequence_model.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/linear/atoms.hpp"
#include "bindings/module.hpp"
#include "bindings/support/arrays.hpp"
#include "bindings/support/columns.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Gold = std::vector<Labels>;

// A model together with the array that holds its weights.
struct BoundModel {
    Numbers<std::int16_t> array;
    SequenceModel model;
};

}  // namespace

void bind_sequence_model(nb::module_& module) {
    nb::class_<Lexicon>(module, "Lexicon", "Which labels a word may get.")
        .def(
            "__init__",
            [](Lexicon* self, const Numbers<Atom>& words, const Numbers<std::uint32_t>& starts,
               const Numbers<Label>& labels, const Numbers<Label>& open, int label_count,
               const Strings& tags) {
                new (self) Lexicon({to_vector(words), to_vector(starts), to_vector(labels), to_vector(open)},
                                   label_count, to_atoms(tags));
            },
            "words"_a, "starts"_a, "labels"_a, "open"_a, "label_count"_a, "tags"_a)
        .def_static(
            "learn",
            [](const Sentences& sentences, const Gold& gold, int label_count, const Strings& tags) {
                nb::gil_scoped_release release;
                return Lexicon::learn(sentences, gold, label_count, to_atoms(tags));
            },
            "sentences"_a, "gold"_a, "label_count"_a, "tags"_a,
            "The labels that frequent words, and all others, were seen with; `tags` are those above the "
            "labels.")
        .def(
            "columns",
            [](const Lexicon& self) {
                const Lexicon::Columns& columns = self.columns();
                return nb::make_tuple(to_array(columns.words), to_array(columns.starts),
                                      to_array(columns.labels), to_array(columns.open));
            },
            "The arguments of the constructor: (words, starts, labels, open).");

    nb::class_<SequenceTrainer>(module, "SequenceTrainer", "Trains a sequence model.")
        .def(nb::init<Lexicon, int>(), "lexicon"_a, "bits"_a)
        .def(
            "learn",
            [](SequenceTrainer& self, const Sentences& sentences, const Gold& gold) {
                nb::gil_scoped_release release;
                return self.learn(sentences, gold);
            },
            "sentences"_a, "gold"_a, "One pass over the sentences in this order; the number of wrong labels.")
        .def(
            "weights", [](const SequenceTrainer& self) { return to_array(self.weights()); },
            "The averaged weights as 16-bit integers.");

    nb::class_<BoundModel>(module, "SequenceModel", "Labels the words of sentences.")
        .def(
            "__init__",
            [](BoundModel* self, const Lexicon& lexicon, Numbers<std::int16_t> weights) {
                const QuantizedWeights in_place(weights.data(), weights.size());
                new (self) BoundModel{std::move(weights), SequenceModel(lexicon, in_place)};
            },
            "lexicon"_a, "weights"_a, "The weights are used in place.")
        .def(
            "decode",
            [](const BoundModel& self, const Sentences& sentences, int threads) {
                nb::gil_scoped_release release;
                return self.model.decode(sentences, threads);
            },
            "sentences"_a, "threads"_a, "The best labels of every sentence.")
        .def(
            "score",
            [](const BoundModel& self, const Sentence& sentence, const Labels& labels) {
                return self.model.score(sentence, labels);
            },
            "sentence"_a, "labels"_a, "The score that decoding maximises.")
        .def(
            "candidates",
            [](const BoundModel& self, const Sentence& sentence) { return self.model.candidates(sentence); },
            "sentence"_a, "The labels that each word may get.");
}

}  // namespace spindle
