"""Everything that can go wrong and that a caller may want to catch.

SpindleError
├── TreeError          what was built is not a tree (also a ValueError)
├── TreebankError      a file holds something that cannot be read; says where
│   └── UnreadableFile nothing more can be read from that file
├── UnknownFormat      no such treebank format, or none could be guessed
├── HeadRuleError      a head-rule file or name that cannot be used
├── ReductionError     a tree or label that an encoding cannot hold
├── EvaluationError    files or parameters that cannot be scored
├── ModelError         a model file that cannot be used
└── ParserError        a parser that cannot do what is asked of it
"""

from __future__ import annotations


class SpindleError(Exception):
    """The base of all our errors: the user's data or request is at fault, never a bug of ours."""


class TreeError(SpindleError, ValueError):
    """What was built is not a tree."""


class TreebankError(SpindleError):
    """A place in a treebank file that cannot be read: where, what, and what to do about it.

    Readers *yield* these between trees instead of raising them, so that one broken sentence never
    takes the rest of the file with it; the caller decides whether to stop or to go on.
    """

    def __init__(
        self, cause: str, *, file: str = "", line: int = 0, sentence: str = "", hint: str = ""
    ) -> None:
        self.cause, self.file, self.line, self.sentence, self.hint = cause, file, line, sentence, hint
        super().__init__(cause)

    @property
    def place(self) -> str:
        """`dev.export:1041 (sentence 57)`, as far as it is known."""
        place = {"": "<input>", "-": "<stdin>"}.get(self.file, self.file)
        if self.line:
            place += f":{self.line}"
        if self.sentence:
            place += f" (sentence {self.sentence})"
        return place

    def __str__(self) -> str:
        hint = f"; {self.hint}" if self.hint else ""
        return f"{self.place}: {self.cause}{hint}"


class UnreadableFile(TreebankError):
    """From this place on, or from its start, a file cannot be read: more than one sentence may be lost."""


class UnknownFormat(SpindleError):
    """No such treebank format, or none could be guessed from the file."""


class HeadRuleError(SpindleError):
    """A head-rule file or name that cannot be used."""


class ReductionError(SpindleError):
    """A tree or label that an encoding cannot hold."""


class EvaluationError(SpindleError):
    """Files that cannot be scored against each other, or scoring parameters that cannot be used."""


class ModelError(SpindleError):
    """A model file that cannot be used: cut off, altered, of a newer version, or none at all."""


class ParserError(SpindleError):
    """A parser that cannot do what is asked of it, or that gave what is no analysis."""
