"""The exceptions that Spindle raises on purpose.

SpindleError
├── TreeError          columns that do not form a tree (also a ValueError)
├── TreebankError      malformed data in a file; names file, line and sentence
│   └── UnreadableFile the rest of the file cannot be read
├── WrongType          an argument of the wrong type (also a TypeError)
├── UnknownFormat      an unknown treebank format, or a file whose format cannot be guessed
├── HeadRuleError      an unusable head-rule file or an unknown name
├── ReductionError     a tree or label that an encoding cannot represent
├── EvaluationError    files or parameters that cannot be scored
├── PatternError       a search pattern that cannot be read or takes too long; points at the place
├── UnusableIndex      an index that is damaged, or of another state of its treebank
├── ModelError         an unusable model file
└── ParserError        a request that a parser cannot fulfil
    └── ConstraintError  constraints that contradict each other, or that no tree satisfies

An error has a cause and may have a hint: what to do about it. A hint that recommends a setting is a `Hint`.
It names the setting in domain words ("the input format"); the command line shows its flag (`--from`)
instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Setting(StrEnum):
    """A setting that a hint can recommend, in domain words."""

    INPUT_FORMAT = "the input format"
    OUTPUT_FORMAT = "the output format"
    TEXT_ENCODING = "the text encoding"
    ERROR_POLICY = "the error policy"
    MODEL = "the model"
    PARSER = "the parser"
    DEVELOPMENT_TREES = "the development trees"
    RESUME = "resuming"
    TEXT_COLUMN = "the column of text"
    TOKENS_COLUMN = "the column of words"
    TAGS_COLUMN = "the column of tags"
    ID_COLUMN = "the column of ids"
    COLUMN_PREFIX = "a prefix for the added columns"


@dataclass(frozen=True)
class Hint:
    """Advice to change a setting; `{}` in `text` stands for its name.

    >>> print(Hint("set {}, e.g. latin-1", Setting.TEXT_ENCODING))
    set the text encoding, e.g. latin-1
    """

    text: str
    setting: Setting

    def __str__(self) -> str:
        return self.naming(self.setting)

    def naming(self, setting: str) -> str:
        """Return the advice with another name for the setting, such as a command-line flag."""
        return self.text.replace("{}", setting)


class SpindleError(Exception):
    """Base class: the data or the request is at fault, not Spindle."""

    def __init__(self, cause: str = "", *, hint: str | Hint = "") -> None:
        self.cause, self.hint = cause, hint
        super().__init__(cause)

    def __str__(self) -> str:
        return self.message(str(self.hint))

    def message(self, hint: str) -> str:
        """Return the text of the error with this wording of its hint."""
        return f"{self.cause}; {hint}" if hint else self.cause


class TreeError(SpindleError, ValueError):
    """Columns that do not form a tree."""


class TreebankError(SpindleError):
    """Malformed data in a treebank file: where it is, what is wrong, and what to do about it.

    Readers *yield* these errors between trees instead of raising them. The caller decides whether to stop or
    to skip the sentence, so a malformed sentence never hides the rest of the file.
    """

    def __init__(
        self,
        cause: str,
        *,
        file: str = "",
        line: int = 0,
        sentence: str = "",
        row: int = 0,
        hint: str | Hint = "",
    ) -> None:
        self.file, self.line, self.sentence, self.row = file, line, sentence, row
        super().__init__(cause, hint=hint)

    @property
    def place(self) -> str:
        """`dev.export:1041 (sentence 57)`, or `news.csv (row 7)`, as far as it is known."""
        place = {"": "<input>", "-": "<stdin>"}.get(self.file, self.file)
        if self.line:
            place += f":{self.line}"
        if self.sentence:
            place += f" (sentence {self.sentence})"
        if self.row:
            place += f" (row {self.row})"
        return place

    def message(self, hint: str) -> str:
        """Return place, cause and this wording of the hint."""
        return f"{self.place}: {super().message(hint)}"


class UnreadableFile(TreebankError):
    """A file cannot be read, or cannot be read past this place: more than one sentence may be lost."""


class WrongType(SpindleError, TypeError):
    """An argument of a type that a function does not take."""


class UnknownFormat(SpindleError):
    """An unknown treebank format, or a file whose format cannot be guessed."""


class HeadRuleError(SpindleError):
    """An unusable head-rule file or an unknown name."""


class ReductionError(SpindleError):
    """A tree or label that an encoding cannot represent."""


class EvaluationError(SpindleError):
    """Files that cannot be scored against each other, or unusable scoring parameters."""


class PatternError(SpindleError):
    """A search pattern that cannot be read, or that takes too long; `at` is the place in the pattern."""

    def __init__(self, cause: str, pattern: str = "", at: int | None = None, *, hint: str = "") -> None:
        self.pattern, self.at = pattern, at
        super().__init__(cause, hint=hint)

    def message(self, hint: str) -> str:
        """Return the cause and, if the place is known, the pattern with a mark below that place."""
        text = super().message(hint)
        if self.at is None:
            return text
        before = self.pattern[: self.at]
        line_start = before.rfind("\n") + 1
        line_end = self.pattern.find("\n", self.at)
        line = self.pattern[line_start : len(self.pattern) if line_end == -1 else line_end]
        return f"{text}\n  {line.expandtabs(1)}\n  {' ' * (self.at - line_start)}^"


class UnusableIndex(SpindleError):
    """The index of a treebank that is damaged, or of another state of the treebank."""


class ModelError(SpindleError):
    """An unusable model file: truncated, damaged, in another format version, or not a model."""


class ParserError(SpindleError):
    """A request that a parser cannot fulfil, or parser output that is not an analysis."""


class ConstraintError(ParserError):
    """Constraints on a tree that contradict each other, or that no tree of the parser satisfies."""
