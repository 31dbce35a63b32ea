"""Rules for the sources of the core that no compiler checks in an ordinary build."""

import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADERS = sorted((ROOT / "core").rglob("*.hpp"))
SOURCES = [*HEADERS, *sorted((ROOT / "core").rglob("*.cpp"))]
TYPE = re.compile(r"^(?:struct|class|enum class) (\w+)(?: final)?(?: : [^;{]*)? \{", re.MULTILINE)
# a function that makes an atom of a string, or atoms of strings
ATOM = re.compile(r"\bAtom>? (\w+)\((?:std::string_view|const std::(?:vector<std::)?string|const Strings)")


def test_no_type_is_defined_in_two_headers() -> None:
    """Two definitions of one name are undefined behaviour; `make check-odr` asks the linker."""
    homes = defaultdict(list)
    for path in HEADERS:
        for name in TYPE.findall(path.read_text(encoding="utf-8")):
            homes[name].append(path.name)
    assert len(homes) > 50
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def test_strings_become_atoms_in_one_way() -> None:
    """The empty string is atom 0, whether it is a tag, a label or a lemma."""
    found = {(path.name, name) for path in SOURCES for name in ATOM.findall(path.read_text(encoding="utf-8"))}
    assert found == {("hashing.hpp", "atom"), ("atoms.hpp", "to_atoms")}
    (of_many,) = (path for path in HEADERS if path.name == "atoms.hpp")
    assert "atoms.push_back(atom(text));" in of_many.read_text(encoding="utf-8")
