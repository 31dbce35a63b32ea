"""`spindle parse -` answers line by line when input arrives slowly, and in batches when it arrives fast."""

import os
import resource
import selectors
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from spindle.pipeline import Parser, load

LINES = {
    "We know.": "(ROOT (S (NP (PRP We)) (VP (VBP know)) (. .)))",
    "": "",
    "They know.": "(ROOT (S (NP (PRP They)) (VP (VBP know)) (. .)))",
}
CPU_TOLERANCE = 1.15


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "spindle", "parse", "-", "--model", "light", *options]


class Coprocess:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin
        assert process.stdout
        self.input, self.output = process.stdin, process.stdout

    def write(self, text: str) -> None:
        self.input.write(text.encode())
        self.input.flush()

    def answer(self, seconds: float = 30) -> str:
        """Return the next line of output; fail if none arrives."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.output, selectors.EVENT_READ)
            assert selector.select(seconds), "no answer"
        return self.output.readline().decode().removesuffix("\n")


@contextmanager
def coprocess(*options: str) -> Iterator[Coprocess]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "bufsize": 0}
    with subprocess.Popen(command(*options), **pipes) as process:  # type: ignore[call-overload]
        try:
            yield Coprocess(process)
            process.stdin.close()
            assert process.wait(30) == 0
        finally:
            process.kill()


@pytest.mark.parametrize("options", [("--threads", "1"), ("--threads", "3"), ("--input", "text")])
def test_a_line_is_answered_before_the_next_one_is_written(options: tuple[str, ...]) -> None:
    with coprocess(*options) as spindle:
        for _ in range(3):
            for line, tree in LINES.items():
                spindle.write(f"{line}\n")
                assert spindle.answer() == tree
        first, _, last = LINES.values()
        spindle.write("We know. They know.\nWe")  # two sentences, and the start of a line
        assert (spindle.answer(), spindle.answer()) == (first, last)
        spindle.write(" know.\n")
        assert spindle.answer() == first
        spindle.write("They know.")  # the last line has no end
        spindle.input.close()
        assert (spindle.answer(), spindle.output.read()) == (last, b"")


def test_fast_input_is_parsed_in_full_batches(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from spindle.cli import main

    sizes: list[int] = []
    whole = Parser._analyse_batch

    def counted(self: Parser, sentences: list[object], *rest: object) -> object:
        sizes.append(len(sentences))
        return whole(self, sentences, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Parser, "_analyse_batch", counted)
    batch = load("light").backend.batch
    inner, outer = os.pipe()
    os.write(outer, b"We know .\n" * (2 * batch + 1))
    os.close(outer)
    with open(inner, encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        with pytest.raises(SystemExit):
            main(["parse", "-", "--input", "tokens", "--model", "light", "--threads", "1"])
    assert sizes == [batch, batch, 1]
    assert capsys.readouterr().out.count("\n") == 2 * batch + 1


def cpu_seconds(arguments: list[str], text: Path | None) -> float:
    """Return the CPU time of a command, which reads the text from a pipe if there is one."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    if text is None:
        subprocess.run(arguments, stdout=subprocess.DEVNULL, check=True)
    else:
        subprocess.run(arguments, input=text.read_bytes(), stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_a_fast_pipe_costs_no_more_than_a_file(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("The weaver opened the window and saw a cat under the old table .\n" * 4000, "utf-8")
    piped = command("--input", "tokens", "--threads", "1")
    from_file = [str(text) if argument == "-" else argument for argument in piped]
    pipe = min(cpu_seconds(piped, text) for _ in range(3))
    file = min(cpu_seconds(from_file, None) for _ in range(3))
    assert pipe < CPU_TOLERANCE * file
