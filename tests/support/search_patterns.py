"""Random search patterns, and random trees in which they find something."""

from __future__ import annotations

from hypothesis import strategies as st

from spindle.search.parse import OPERATORS
from support.strategies import tokens, trees

LABELS = ("A", "B", "C", "A-X", "B=1", "-N-")
NUMBERED = ("<1", "<2", "<-", "<-1", "<-2", "<,", ">1", ">2", ">-", ">-2", ">,", "<'", ">'")
HEADS = ("<#", ">#", "<<#", ">>#")
CONSTITUENT_OPERATORS = tuple(sorted({*OPERATORS, *NUMBERED}))
DEPENDENCY_OPERATORS = tuple(one for one in CONSTITUENT_OPERATORS if one not in HEADS)
DESCRIPTIONS = (
    *("__", "A", "B", "@A", "!A", "A|B", "/^[AB]/", "i@a", "@/A|B/", "x", '"-N-"', "!@A|x", "T"),
    *(":gap", ":!gap", ":gap>=2", ":len>2", ":len=1", ":depth<2", ":height>=2", ":children=2", ":chain>1"),
    *(":unary", ":!unary", ":root", ":node", ":tag", ":word", ":!word", ":first=1", ":last!=2"),
    *(
        ":func=X",
        ":func=/^S/",
        ":func!=X",
        ":morph=Nom",
        ':morph="Case=Nom"',
        ":lemma=l",
        ":tag=T",
        ":word=x",
    ),
)
words = tokens(
    st.sampled_from(("x", "y", "A")),
    st.sampled_from(("T", "U", "A", "")),
    st.sampled_from(("", "l")),
    st.sampled_from(("", "Nom.Sg", "Case=Nom|Num=Sg")),
    st.sampled_from(("", "SB", "X")),
)
random_trees = trees(
    max_tokens=7, labels=st.sampled_from(LABELS), tokens=words, functions=st.sampled_from(("", "X", "SB"))
)


@st.composite
def patterns(draw: st.DrawFn, operators: tuple[str, ...], descriptions: tuple[str, ...]) -> str:
    """A pattern of up to five vertices, with names and references to them."""
    names: list[str] = []

    def vertex(budget: int, may_name: bool) -> str:
        choice = draw(st.integers(0, 9))
        if names and choice == 0:
            return "=" + draw(st.sampled_from(names))
        text = draw(st.sampled_from(descriptions))
        if names and choice == 1 and text == "__":
            return "~" + draw(st.sampled_from(names))
        if may_name and choice < 5:
            names.append(f"n{len(names)}")
            text = named(text, names[-1])
        if budget and draw(st.booleans()):
            return f"({text} {formula(budget - 1, may_name)})"
        return text

    def formula(budget: int, may_name: bool) -> str:
        kind = draw(st.integers(0, 7))
        if kind == 0 and budget:
            before = len(names)
            left = formula(budget - 1, False)
            right = formula(budget - 1, False)
            del names[before:]
            return f"[{left} | {right}]"
        if kind == 1 and budget:
            return f"{formula(budget - 1, may_name)} {formula(budget - 1, may_name)}"
        if kind == 2:
            return f"!{draw(st.sampled_from(operators))} {vertex(budget, False)}"
        return f"{draw(st.sampled_from(operators))} {vertex(budget, may_name)}"

    text = draw(st.sampled_from(descriptions))
    if draw(st.booleans()):
        names.append("n0")
        text = named(text, "n0")
    text = f"{text} {formula(2, True)}"
    if draw(st.integers(0, 9)) == 0:
        text += f" : {vertex(1, True)}"
    return text


def named(description: str, name: str) -> str:
    """Return a description with a name; after an attribute, a name could be its value."""
    return f"__={name}{description}" if description.startswith(":") else f"{description}={name}"
