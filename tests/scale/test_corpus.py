"""A corpus parsed in this process: the same bytes as one output, completed where it is unfinished."""

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import spindle
from cli.test_errors import on_terminal
from spindle.cli import main
from spindle.errors import SpindleError
from spindle.scale import CorpusError, Listener, Manifest, parse_corpus
from spindle.scale.jobs import Failure, Record, Task
from spindle.scale.worker import parse_partition
from support.corpora import in_one_process, joined, write_texts

SIZE = 1500
FORMATS = ["bracket", "discbracket", "json", "export", "tigerxml", "conllu"]


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("texts")
    names = write_texts(folder, 4, SIZE)
    packed = folder / "packed.txt.gz"
    packed.write_bytes(gzip.compress(Path(names[3]).read_bytes()))
    return [*names[:3], str(packed)]


def parse(inputs: list[str], output: Path, **options: Any) -> Any:
    return parse_corpus(inputs, output, "light", partition_size=SIZE, threads=1, **options)


@pytest.mark.parametrize("to", FORMATS)
def test_the_parts_are_what_one_process_writes(texts: list[str], tmp_path: Path, to: str) -> None:
    whole = in_one_process(texts, tmp_path / "whole", "--to", to)
    corpus = parse(texts, tmp_path / "out", to=to)
    assert corpus.is_finished
    assert len(corpus.parts) == 4
    assert b"".join(path.read_bytes() for path in corpus.parts) == whole == joined(tmp_path / "out")
    found = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert found["state"] == "finished"
    for part in found["parts"]:
        data = (tmp_path / "out" / part["part"]).read_bytes()
        assert part["sha256"] == sha256(data).hexdigest()
        assert part["bytes"] == len(data)
    assert found["totals"]["tokens"] == corpus.totals.tokens == sum(part["tokens"] for part in found["parts"])
    assert not list((tmp_path / "out").glob(".*"))


def test_a_file_of_many_partitions_with_k_best(tmp_path: Path) -> None:
    names = write_texts(tmp_path / "in", 1, 150_000)
    text = Path(names[0]).read_text() + "a line without an end " * 40
    Path(names[0]).write_text(text)
    whole = in_one_process(names, tmp_path / "whole", "--to", "json")
    corpus = parse_corpus(names, tmp_path / "out", "light", partition_size="66kB", to="json", threads=1)
    assert len(corpus.parts) == 3
    assert joined(tmp_path / "out") == whole


class Stop(Listener):
    """Interrupts a run after some partitions."""

    def __init__(self, after: int) -> None:
        self.left = after
        self.done = 0

    def finished(self, record: Record, size: int) -> None:
        self.done += 1
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


def test_an_interrupted_run_is_continued(texts: list[str], tmp_path: Path) -> None:
    whole = in_one_process(texts, tmp_path / "whole", "--to", "export")
    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        parse(texts, out, to="export", listener=Stop(2))
    assert Manifest.read(out).records.keys() == {0, 1}
    assert json.loads((out / "manifest.json").read_text())["state"] == "unfinished"
    listener = Stop(0)
    assert parse(texts, out, to="export", listener=listener).is_finished
    assert listener.done == 2
    assert joined(out) == whole
    assert parse(texts, out, to="export", listener=Stop(0)).is_finished  # nothing is left to do


def test_only_missing_parts_are_made_again(texts: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    parse(texts, out)
    whole = joined(out)
    (out / "part-00001.ptb").unlink()
    (out / "part-00002.ptb").write_text("half a ")
    (out / ".part-00003.ptb.elsewhere-7.unfinished").write_text("of a worker that was killed")
    listener = Stop(0)
    parse(texts, out, listener=listener)
    assert listener.done == 2
    assert joined(out) == whole
    assert not list(out.glob(".*"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"to": "json"}, "was made with to bracket, and now it is json"),
        ({"max_length": 9}, "was made with max_length 400, and now it is 9"),
        ({"lines": "sentence"}, "was made with lines auto, and now it is sentence"),
        ({"partition_size": 3000}, "was made with partition_size 1500, and now it is 3000"),
    ],
)
def test_other_options_are_refused(
    texts: list[str], tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        parse(texts, out, listener=Stop(1))
    with pytest.raises(CorpusError, match=said):
        parse_corpus(texts, out, "light", **{"partition_size": SIZE, "to": "bracket", **change})


def test_other_inputs_and_models_are_refused(texts: list[str], tmp_path: Path) -> None:
    names = write_texts(tmp_path / "in", 3, SIZE)
    out = tmp_path / "out"
    parse(names, out)
    with pytest.raises(CorpusError, match="inputs 3, and now it is 2"):
        parse(names[:2], out)
    with open(names[1], "r+b") as file:
        file.seek(700)
        file.write(b"X")
    with pytest.raises(CorpusError, match=r"another input 2 \(.*news1.txt\)"):
        parse(names, out)
    with pytest.raises(CorpusError, match="made with another model"):
        parse_corpus(names, out, "english", partition_size=SIZE)


def test_a_strange_folder_is_left_alone(tmp_path: Path) -> None:
    names = write_texts(tmp_path / "in", 1, SIZE)
    with pytest.raises(CorpusError, match=r"the folder has news0\.txt, but no manifest"):
        parse(names, tmp_path / "in")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "manifest.json").write_text('{"name": "a web page"}')
    with pytest.raises(CorpusError, match="no manifest of a corpus"):
        parse(names, tmp_path / "other")
    with pytest.raises(CorpusError, match="this is no corpus"):
        Manifest.read(tmp_path / "in")


RECORD = {"number": 0, "part": "part-0.ptb", "repairs": {}, "errors": {}}
DAMAGED: list[dict[str, Any]] = [
    {"parts": 5},
    {"parts": [5]},
    {"parts": [{**RECORD, "inputs": 5}]},
    {"parts": [{**RECORD, "inputs": [["a", 1]]}]},
    {"parts": [{**RECORD, "inputs": [], "part": "../precious"}]},
    {"parts": [{**RECORD, "inputs": [], "part": "/etc/passwd"}]},
    {"parts": [{**RECORD, "inputs": [], "part": ""}]},
    {"parts": [{**RECORD, "inputs": [], "number": "0"}]},
    {"parts": [{**RECORD, "inputs": [], "bytes": "0"}]},
    {"parts": [{**RECORD, "inputs": [], "repairs": {"gap": "x"}}]},
    {"parts": [{**RECORD, "inputs": [], "seconds": "x"}]},
    {"events": 5},
    {"head": None, "parts": None},
]


@pytest.mark.parametrize("change", DAMAGED)
def test_a_manifest_that_was_altered(texts: list[str], tmp_path: Path, change: dict[str, Any]) -> None:
    parse(texts[:1], tmp_path / "out")
    path = tmp_path / "out" / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    for read in (Manifest.read, lambda folder: parse(texts[:1], folder)):
        with pytest.raises(CorpusError, match="is damaged"):
            read(tmp_path / "out")
    if "events" not in change and "inputs" not in str(change.get("parts")):
        with pytest.raises(SpindleError, match="is damaged"):
            spindle.read_trees(tmp_path / "out")


@pytest.mark.parametrize(
    "line", [{"record": 5}, {"record": {**RECORD, "part": "../x"}}, {"start": []}, {"x": 1}]
)
def test_a_journal_that_was_altered(texts: list[str], tmp_path: Path, line: dict[str, Any]) -> None:
    parse(texts[:1], tmp_path / "out")
    (tmp_path / "out" / ".journal.jsonl").write_text(json.dumps(line) + "\n" + "[" * 100_000 + "\n")
    with pytest.raises(CorpusError, match="is damaged"):
        parse(texts[:1], tmp_path / "out")


def test_a_journal_is_not_written_through_a_link(texts: list[str], tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("")
    corpus = parse(texts, tmp_path / "out")
    corpus.parts[0].unlink()
    (tmp_path / "out" / ".journal.jsonl").symlink_to(precious)
    parse(texts, tmp_path / "out")  # the link is removed with the old journal
    assert precious.read_text() == ""


def test_broken_input_goes_to_a_file_beside_the_part(tmp_path: Path) -> None:
    rows = "1\tIt\t_\tP\tP\t_\t2\tsubj\t_\t_\n2\trains\t_\tV\tV\t_\t0\troot\t_\t_\n\n"
    (tmp_path / "a.conllu").write_text(rows + "1\tbroken\n\n" + rows)
    (tmp_path / "b.txt").write_bytes(b"It rains.\n\nGr\xf6\xdfe.\n")
    corpus = parse([f"{tmp_path}/a.conllu", f"{tmp_path}/b.txt"], tmp_path / "out")
    assert corpus.totals.errors.total() == 2
    assert corpus.totals.sentences == 5  # two of four lines with words, and an empty one
    lines = (tmp_path / "out" / "part-00000.errors.jsonl").read_text().splitlines()
    first, second = map(json.loads, lines)
    assert (first["line"], Path(first["file"]).name, first["kind"]) == (4, "a.conllu", "sentence skipped")
    assert (second["line"], Path(second["file"]).name) == (3, "b.txt")
    assert "0xf6" in second["error"]


def test_sentences_that_cannot_be_parsed_or_written_do_not_stop_a_run(
    texts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spindle.pipeline import Parser
    from spindle.scale import worker

    analyse_batch = Parser._analyse_batch

    def refuse_thieves(self: Parser, sentences: Any, *rest: Any) -> Any:
        if any(token.form == "thief" for sentence in sentences for token in sentence.tokens):
            raise ValueError("no thieves here")
        return analyse_batch(self, sentences, *rest)

    whole = parse(texts, tmp_path / "whole", to="json").totals
    expected = joined(tmp_path / "whole").splitlines()
    monkeypatch.setattr(Parser, "_analyse_batch", refuse_thieves)
    found = parse(texts, tmp_path / "out", to="json").totals
    assert found.sentences == whole.sentences
    thieves = [b'"thief"' in line for line in expected]
    assert found.errors == {worker.NOT_PARSED: sum(thieves)}
    lines = joined(tmp_path / "out").splitlines()
    assert [line == b"null" for line in lines] == [
        one or line == b"null" for one, line in zip(thieves, expected, strict=True)
    ]
    assert [a for a, b in zip(lines, thieves, strict=True) if not b] == [
        a for a, b in zip(expected, thieves, strict=True) if not b
    ]


def test_a_partition_that_fails_is_tried_again_and_then_given_up(
    texts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[int] = []

    def no_room(task: Task, on_tokens: Any = None) -> Record | Failure:
        tries.append(task.number)
        if task.number == 1 and (len(tries) < 3 or is_full):
            return Failure(1, "No space left on device", "here")
        return parse_partition(task, on_tokens)

    monkeypatch.setattr("spindle.scale.corpus.parse_partition", no_room)
    monkeypatch.setattr("spindle.scale.run.RETRY_SECONDS", 0.01)
    is_full = True
    corpus = parse(texts, tmp_path / "out")
    assert tries.count(1) == 3
    assert corpus.failed == {1: {"error": "No space left on device", "tries": 3}}
    assert not corpus.is_finished
    assert len(corpus.parts) == 3
    found = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert [one["number"] for one in found["failed"]] == [1]
    assert len(found["events"]) == 3
    is_full = False
    assert parse(texts, tmp_path / "out").is_finished
    parse(texts, tmp_path / "whole")
    assert joined(tmp_path / "out") == joined(tmp_path / "whole")


DEADLY = """
import sys, spindle.scale.corpus, spindle.scale.partitions
from support.corpora import dies_on_two
spindle.scale.corpus.parse_partition = lambda task, on_tokens: dies_on_two(task)
spindle.scale.partitions.MIN_SIZE = 100
from cli.test_errors import on_terminal
from spindle.cli import main
main(sys.argv[1:])
"""


def test_a_partition_that_ends_the_process_is_isolated(texts: list[str], tmp_path: Path) -> None:
    arguments = ["parse", *texts, "-o", "out", "--engine", "local", "--model", "light", "--tries", "2"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}

    def run() -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-c", DEADLY, *arguments, "--partition-size", str(SIZE)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )

    assert [run().returncode for _ in range(2)] == [-9, -9]
    third = run()
    assert third.returncode == 1, third.stderr
    assert "1 of 4 partitions could not be parsed: partition 2: the process ended" in third.stderr
    assert "Traceback" not in third.stderr
    assert Manifest.read(tmp_path / "out").records.keys() == {0, 1, 3}
    assert parse(texts, tmp_path / "out", tries=3).is_finished  # without the poison
    parse(texts, tmp_path / "whole")
    assert joined(tmp_path / "out") == joined(tmp_path / "whole")


def test_two_runs_do_not_write_the_same_folder(texts: list[str], tmp_path: Path) -> None:
    class Again(Listener):
        def finished(self, record: Record, size: int) -> None:
            with pytest.raises(OSError, match="another process is writing it"):
                parse(texts, tmp_path / "out")

    assert parse(texts, tmp_path / "out", listener=Again()).is_finished


def test_a_model_that_is_changed_during_a_run_is_noticed(texts: list[str], tmp_path: Path) -> None:
    from spindle.models.bundled import find_model

    model = tmp_path / "a.model"
    model.write_bytes(find_model("light").read_bytes())

    class Touch(Listener):
        def finished(self, record: Record, size: int) -> None:
            os.utime(model, (1, 1))

    with pytest.raises(SpindleError, match="the model was changed while it was in use"):
        parse_corpus(texts, tmp_path / "out", model, partition_size=SIZE, listener=Touch())
    assert len(Manifest.read(tmp_path / "out").records) == 1


# ── the command ──────────────────────────────────────────────────────────────────────────────────────


def command(*arguments: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(one) for one in arguments])
    return int(ended.value.code or 0)


def test_the_command(texts: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    arguments = (
        "parse",
        *texts,
        "-o",
        out,
        "--engine",
        "local",
        "--model",
        "light",
        "--partition-size",
        SIZE,
    )
    assert command(*arguments) == 0
    assert "tokens in 4 parts" in capsys.readouterr().err
    assert command(*arguments) == 0
    assert "4 of 4 parts done already" in capsys.readouterr().err
    assert command(*arguments, "--scores", "--to", "json") == 1
    assert "cannot be continued: it was made with" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--engine", "local"), "name it with -o"),
        (("--engine", "local", "-o", "out", "--resume"), "leave --resume out"),
        (("--engine", "local", "-o", "out", "--on-error", "stop"), "leave --on-error out"),
        (("--engine", "local", "-o", "out", "--no-heads"), "--no-heads does not go with --engine"),
        (("--engine", "local", "-o", "out", "--constraints", "c"), "--constraints does not go with"),
        (("--engine", "local", "-o", "out", "--to", "svg"), "writes trees, not pictures"),
        (("--workers", "2"), "--workers needs --engine"),
        (("--tries", "2", "-o", "out"), "--tries needs --engine"),
    ],
)
def test_options_that_do_not_go_together(
    texts: list[str], capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    assert command("parse", texts[0], *arguments) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_an_engine_that_does_not_exist(texts: list[str], tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="there is no engine 'spark'; choose one of local, dask, ray"):
        parse(texts, tmp_path / "out", engine="spark")


def test_the_engine_local_has_no_workers(
    texts: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert command("parse", *texts, "-o", out, "--engine", "local", "--workers", "2", "--model", "light") == 1
    assert "has no scheduler and no workers" in capsys.readouterr().err


def test_the_progress_bar(texts: list[str], tmp_path: Path) -> None:
    seen = on_terminal(["parse", *texts, "-o", "out", "--engine", "local", "--model", "light"], tmp_path)
    assert "tokens/s" in seen
    assert re.search("part [01] of 1", seen)  # a quick run has ended before the bar is drawn again
    assert "100 %" in seen


def test_ctrl_c_leaves_a_folder_that_is_completed_later(tmp_path: Path) -> None:
    names = write_texts(tmp_path / "in", 1, 400_000)
    arguments = ["parse", *names, "-o", "out", "--engine", "local", "--model", "light", "--threads", "1"]
    command = [sys.executable, "-m", "spindle", *arguments, "--partition-size", "66kB"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    first = tmp_path / "out" / "part-00000.ptb"
    while not first.exists():
        assert process.poll() is None, "it ended before the signal"
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "out has all parts that are finished; the same command continues" in errors
    done = Manifest.read(tmp_path / "out").records.keys()
    assert 0 < len(done) < 7
    assert not list((tmp_path / "out").glob(".part*"))
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240)
    assert f"{len(done)} of 7 parts done already" in again.stderr
    assert joined(tmp_path / "out") == in_one_process(names, tmp_path / "whole")
