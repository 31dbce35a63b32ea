"""EVALB-style parameter files: which brackets and words count, and which labels and words are equal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from spindle.errors import EvaluationError

EqualPair = tuple[str, str]
"""Two labels or two words that count as equal."""


@dataclass(frozen=True)
class Parameters:
    """All settings of a parameter file; the defaults are those of EVALB without a file.

    `delete_labels` deletes brackets with these labels and words with these tags. Equality of labels and of
    words is symmetric and transitive: A = B and B = C imply A = C.
    """

    debug: int = 0
    max_error: int = 10
    cutoff: int = 40
    labeled: bool = True
    delete_labels: tuple[str, ...] = ()
    delete_labels_for_length: tuple[str, ...] = ()
    delete_words: tuple[str, ...] = ()
    quote_labels: tuple[str, ...] = ()
    equal_labels: tuple[EqualPair, ...] = ()
    equal_words: tuple[EqualPair, ...] = ()
    disc_only: bool = False


# Every key of a file and the field that it sets, in the order of `write_parameters`.
KEYS = {
    "DEBUG": "debug",
    "MAX_ERROR": "max_error",
    "CUTOFF_LEN": "cutoff",
    "LABELED": "labeled",
    "DELETE_LABEL": "delete_labels",
    "DELETE_LABEL_FOR_LENGTH": "delete_labels_for_length",
    "DELETE_WORD": "delete_words",
    "QUOTE_LABEL": "quote_labels",
    "EQ_LABEL": "equal_labels",
    "EQ_WORD": "equal_words",
    "DISC_ONLY": "disc_only",
}
NUMBERS: dict[str, type[int]] = {
    "DEBUG": int,
    "MAX_ERROR": int,
    "CUTOFF_LEN": int,
    "LABELED": bool,
    "DISC_ONLY": bool,
}
PAIRS = ("EQ_LABEL", "EQ_WORD")

# Other metrics of disco-dop. A file that switches them off (0) is accepted.
REFUSED = {
    "LA": "the leaf-ancestor score is not computed",
    "TED": "the tree-edit distance is not computed",
    "DEP": "for dependencies, score two CoNLL files",
    "DELETE_ROOT_PRETERMS": "words are deleted by tag or form, not by their parent",
}


def read_parameters(path: str | Path) -> Parameters:
    """Read a parameter file; raises `EvaluationError` with the number of the invalid line."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise EvaluationError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise EvaluationError(f"{path}: not UTF-8; save the parameter file as UTF-8") from None
    return parse_parameters(text, str(path))


def parse_parameters(text: str, name: str = "<parameters>") -> Parameters:
    """Parse parameters: one `KEY value` per line; lines that start with `#` are comments.

    >>> parse_parameters("DELETE_LABEL TOP\\nEQ_LABEL ADVP PRT").equal_labels
    (('ADVP', 'PRT'),)
    """
    found: dict[str, object] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        try:
            _set(found, *line.split(None, 1))
        except (TypeError, ValueError) as error:
            cause = "a key needs a value" if isinstance(error, TypeError) else error
            raise EvaluationError(f"{name}:{number}: {cause}") from None
    return Parameters(**found)  # type: ignore[arg-type]


def write_parameters(parameters: Parameters) -> str:
    """Write parameters as the text of a parameter file. The inverse is `parse_parameters`."""
    lines = []
    for key, field in KEYS.items():
        value = getattr(parameters, field)
        if isinstance(value, tuple):
            lines += [f"{key} {item if isinstance(item, str) else ' '.join(item)}" for item in value]
        else:
            lines.append(f"{key} {int(value)}")
    return "\n".join(lines) + "\n"


def representatives(pairs: Iterable[EqualPair]) -> dict[str, str]:
    """Map every member of an equality to the representative of its equivalence class.

    >>> representatives([("A", "B"), ("C", "D"), ("B", "C")])
    {'A': 'A', 'B': 'A', 'C': 'A', 'D': 'A'}
    """
    chosen: dict[str, str] = {}
    for one, other in pairs:
        kept, dropped = chosen.setdefault(one, one), chosen.setdefault(other, other)
        chosen.update({member: kept for member, current in chosen.items() if current == dropped})
    return chosen


def _set(found: dict[str, object], key: str, value: str) -> None:
    """Add the setting of one line; raises ValueError with the cause."""
    value = value.rstrip()
    if key in REFUSED:
        if value != "0":
            raise ValueError(f"{key} cannot be used: {REFUSED[key]}; set it to 0 or leave it out")
    elif key not in KEYS:
        raise ValueError(f"unknown key {key}; known keys: {', '.join(KEYS)}")
    elif key in NUMBERS:
        if KEYS[key] in found:
            raise ValueError(f"{key} is set twice")
        try:
            found[KEYS[key]] = NUMBERS[key](int(value))
        except ValueError:
            raise ValueError(f"{key} needs a number, not {value!r}") from None
    elif key in PAIRS:
        if len(value.split()) != 2:
            raise ValueError(f"{key} needs two values, not {value!r}")
        found[KEYS[key]] = (*found.get(KEYS[key], ()), tuple(value.split()))  # type: ignore[misc]
    else:
        found[KEYS[key]] = (*found.get(KEYS[key], ()), value)  # type: ignore[misc]
