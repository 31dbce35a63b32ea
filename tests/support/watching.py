"""A monitor that records a training, a few training examples, and a check that a process has ended."""

import time
from collections.abc import Callable
from pathlib import Path

from spindle.models import ModelPart
from support.examples import example, words


class Diary:
    """Records the notes, the epochs and the last state of a training."""

    stalled = 0

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.epochs: list[int] = []
        self.state: ModelPart | None = None

    def progress(self, done: int, of: int, loss: float) -> None:
        pass

    def say(self, text: str) -> None:
        pass

    def note(self, text: str) -> None:
        self.notes.append(text)

    def epoch(self, number: int, loss: float, state: Callable[[], ModelPart] | None = None) -> float | None:
        self.epochs.append(number)
        self.state = state and state()
        return None


EXAMPLES = [
    example(words("the/D cat/N sleeps/V"), (1, 2, -1), ("N|P#1", "S#1", "root")),
    example(words("a/D dog/N barks/V loudly/A"), (1, 2, -1, 2), ("N|P#1", "S#2", "root", "V P#1")),
    example(words("the/D old/J cat/N barks/V"), (2, 2, 3, -1), ("N|P#1", "N|P#1", "S#1", "root")),
    # a crossing arc
    example(
        words("a/D hearing/N is/V scheduled/V on/P this/R"),
        (1, 2, -1, 2, 1, 4),
        ("N|P#1", "S#1", "root", "é_%\t\u2028" + "x" * 10_000 + "#1", "N|P#-2", "#1"),
    ),
]
SENTENCES = [one.tokens for one in EXAMPLES]


def is_running(pid: int) -> bool:
    """Return whether a process is running; a zombie is not."""
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
