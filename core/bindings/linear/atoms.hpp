#pragma once

#include "bindings/support/columns.hpp"
#include "linear/hashing.hpp"

namespace spindle {

inline std::vector<Atom> to_atoms(const Strings& strings) {
    std::vector<Atom> atoms;
    atoms.reserve(strings.size());
    for (const std::string& text : strings) atoms.push_back(atom(text));
    return atoms;
}

}  // namespace spindle
