#include "linear/sentence.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/module.hpp"
#include "bindings/support/columns.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

void bind_sentence(nb::module_& module) {
    nb::class_<Sentence>(module, "Sentence", "A sentence as the linear models see it: hashed words and tags.")
        .def(nb::init<const Strings&, const Strings&, const Strings&, bool>(), "forms"_a,
             "lemmas"_a = Strings{}, "morphs"_a = Strings{}, "with_attributes"_a = false)
        .def("set_tags", &Sentence::set_tags, "tags"_a)
        .def("__len__", &Sentence::size);
}

}  // namespace spindle
