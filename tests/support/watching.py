"""A watch that remembers, a few examples to learn from, and how to see that a process is gone."""

import time
from pathlib import Path

from spindle.parsers import Example
from spindle.trees import Token


class Diary:
    stalled = 0

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.epochs: list[int] = []

    def progress(self, done: int, of: int, loss: float) -> None:
        pass

    def say(self, text: str) -> None:
        pass

    def note(self, text: str) -> None:
        self.notes.append(text)

    def epoch(self, number: int, loss: float, state: object = None) -> float | None:
        self.epochs.append(number)
        return None


def tokens(text: str) -> tuple[Token, ...]:
    return tuple(Token(*word.rsplit("/", 1)) for word in text.split())


EXAMPLES = [
    Example(tokens("the/D cat/N sleeps/V"), (1, 2, -1), ("N|P#1", "S#1", "root")),
    Example(tokens("a/D dog/N barks/V loudly/A"), (1, 2, -1, 2), ("N|P#1", "S#2", "root", "V P#1")),
    Example(tokens("the/D old/J cat/N barks/V"), (2, 2, 3, -1), ("N|P#1", "N|P#1", "S#1", "root")),
    # a crossing arc
    Example(
        tokens("a/D hearing/N is/V scheduled/V on/P this/R"),
        (1, 2, -1, 2, 1, 4),
        ("N|P#1", "S#1", "root", "é_%\t\u2028" + "x" * 10_000 + "#1", "N|P#-2", "#1"),
    ),
]
SENTENCES = [example.tokens for example in EXAMPLES]


def is_running(pid: int) -> bool:
    """Whether a process is there and not just a record that nobody has read yet."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_until_gone(pid: int) -> bool:
    for _ in range(100):
        if not is_running(pid):
            return True
        time.sleep(0.05)
    return False
