#include "linear/sentence.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/module.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;
using Strings = std::vector<std::string>;

void bind_sentence(nb::module_& module) {
    nb::class_<Sentence>(module, "Sentence", "A sentence as the statistical models see it.")
        .def(nb::init<const Strings&, const Strings&, const Strings&>(), "forms"_a, "lemmas"_a = Strings{},
             "morphs"_a = Strings{})
        .def("set_tags", &Sentence::set_tags, "tags"_a)
        .def("__len__", &Sentence::size);
}

}  // namespace spindle
