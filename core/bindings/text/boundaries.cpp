#include "text/boundaries.hpp"

#include <nanobind/nanobind.h>

#include "bindings/linear/model_arrays.hpp"
#include "bindings/module.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

Characters to_characters(const Numbers<std::uint32_t>& codes, const Numbers<std::uint32_t>& plain,
                         const Numbers<std::uint8_t>& classes) {
    return {{codes.data(), codes.size()}, {plain.data(), plain.size()}, {classes.data(), classes.size()}};
}

WordKinds to_kinds(const Numbers<std::uint64_t>& keys, const Numbers<std::uint32_t>& kinds,
                   const Numbers<std::uint8_t>& vocabulary) {
    return WordKinds({keys.data(), keys.size()}, {kinds.data(), kinds.size()},
                     Vocabulary({vocabulary.data(), vocabulary.size()}));
}

// The model of a file; its weights are used in place.
struct BoundaryModel {
    Numbers<std::int16_t> token_owner, sentence_owner;
    WordKinds kinds;
    QuantizedWeights token_weights, sentence_weights;
};

}  // namespace

void bind_boundaries(nb::module_& module) {
    nb::class_<BoundaryModel>(module, "BoundaryModel", "Finds tokens and sentences in raw text.")
        .def(
            "__init__",
            [](BoundaryModel* self, const Numbers<std::uint64_t>& keys, const Numbers<std::uint32_t>& kinds,
               const Numbers<std::uint8_t>& vocabulary, Numbers<std::int16_t> token_weights,
               Numbers<std::int16_t> sentence_weights) {
                const QuantizedWeights tokens(token_weights.data(), token_weights.size());
                const QuantizedWeights sentences(sentence_weights.data(), sentence_weights.size());
                new (self) BoundaryModel{std::move(token_weights), std::move(sentence_weights),
                                         to_kinds(keys, kinds, vocabulary), tokens, sentences};
            },
            "keys"_a, "kinds"_a, "vocabulary"_a, "token_weights"_a, "sentence_weights"_a,
            "The weights are used in place.")
        .def(
            "find",
            [](const BoundaryModel& self, const Numbers<std::uint32_t>& codes,
               const Numbers<std::uint32_t>& plain, const Numbers<std::uint8_t>& classes) {
                const Characters text = to_characters(codes, plain, classes);
                Boundaries found;
                {
                    nb::gil_scoped_release released;
                    found = find_boundaries(text, self.kinds, self.token_weights, self.sentence_weights);
                }
                return nb::make_tuple(to_array(std::move(found.begins)), to_array(std::move(found.ends)),
                                      to_array(std::move(found.sentence_starts)));
            },
            "codes"_a, "plain"_a, "classes"_a,
            "The begins and ends of tokens, and the numbers of the tokens that start sentences.");

    nb::class_<BoundaryTrainer>(module, "BoundaryTrainer", "Trains a boundary model.")
        .def(
            "__init__",
            [](BoundaryTrainer* self, const Numbers<std::uint64_t>& keys, const Numbers<std::uint32_t>& kinds,
               const Numbers<std::uint8_t>& vocabulary, int bits, std::uint64_t seed) {
                new (self) BoundaryTrainer(to_kinds(keys, kinds, vocabulary), bits, seed);
            },
            "keys"_a, "kinds"_a, "vocabulary"_a, "bits"_a, "seed"_a)
        .def(
            "add",
            [](BoundaryTrainer& self, const Numbers<std::uint32_t>& codes,
               const Numbers<std::uint32_t>& plain, const Numbers<std::uint8_t>& classes,
               const Numbers<std::uint32_t>& begins, const Numbers<std::uint32_t>& ends,
               const Numbers<std::uint32_t>& sentence_starts) {
                self.add(to_characters(codes, plain, classes),
                         {to_vector(begins), to_vector(ends), to_vector(sentence_starts)});
            },
            "codes"_a, "plain"_a, "classes"_a, "begins"_a, "ends"_a, "sentence_starts"_a)
        .def(
            "run_epoch",
            [](BoundaryTrainer& self, float rate) {
                nb::gil_scoped_release released;
                return self.run_epoch(rate);
            },
            "rate"_a, "One pass over all decisions; the number of wrong ones.")
        .def_prop_ro("decisions", &BoundaryTrainer::decisions)
        .def(
            "token_weights",
            [](const BoundaryTrainer& self) { return to_array(self.weights(Decision::kToken)); },
            "The averaged weights of tokens.")
        .def(
            "sentence_weights",
            [](const BoundaryTrainer& self) { return to_array(self.weights(Decision::kSentence)); },
            "The averaged weights of sentences.");

    module.def(
        "vocabulary",
        [](const Numbers<std::uint64_t>& words, const Numbers<std::uint64_t>& names, int bits) {
            const Vocabulary made({words.data(), words.size()}, {names.data(), names.size()}, bits);
            return to_array(std::vector<std::uint8_t>(made.table()));
        },
        "words"_a, "names"_a, "bits"_a, "The words and names with these keys, as a table of 2**bits bits.");
    module.def(
        "word_key",
        [](const Numbers<std::uint32_t>& plain) { return WordKinds::key({plain.data(), plain.size()}); },
        "plain"_a, "The key of a word in the list of words.");
}

}  // namespace spindle
