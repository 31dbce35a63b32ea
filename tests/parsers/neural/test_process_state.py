"""Side effects of the neural parser: environment variables, logging, files, connections."""

import ast
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event, Thread

import pytest

import spindle
from spindle.parsers.neural.runtime import TELEMETRY_SWITCH, import_onnxruntime
from spindle.parsers.neural.torch_environment import VARIABLES

SOURCE = Path(spindle.__file__).parent
PARSE = """
from spindle.models import read_model
from spindle.models.bundled import find_model
from spindle.parsers.neural import NeuralParser
from spindle.trees import Token

parser = NeuralParser.from_part(read_model(find_model("english"), "parser").parts["parser"])
(found,) = parser.parse([[Token(form) for form in "It works .".split()]], 1)
assert len(found.heads) == 3
"""
SPY = """
import os, sys

class Spy:
    def find_spec(self, name, path=None, target=None):
        if name == {package!r}:
            print([os.environ.get(variable) for variable in {variables!r}])

sys.meta_path.insert(0, Spy())
"""
TRAIN = """
from support.neural_toys import Silent, examples, settings
from spindle.parsers.neural import NeuralParser

print([os.environ.get(variable) for variable in {variables!r}])
parser = NeuralParser()
parser.fit(examples(2), [], settings(epochs=1, hidden=8), Silent())
print([os.environ.get(variable) for variable in {variables!r}])
"""


def run(
    code: str,
    variables: Mapping[str, str | None],
    *,
    home: Path | None = None,
    command: Sequence[str] = (),
) -> str:
    """Run Python code in a process of its own and return its output.

    `variables` changes the environment; None removes a variable. `home` is the home and temporary folder.
    """
    changes: dict[str, str | None] = {"PYTHONPATH": str(Path(__file__).parents[2]), **variables}
    if home is not None:
        changes |= dict.fromkeys(("HOME", "TMPDIR", "USERPROFILE", "LOCALAPPDATA"), str(home))
        changes |= dict.fromkeys(name for name in os.environ if name.startswith("XDG_"))
    environment = {name: value for name, value in {**os.environ, **changes}.items() if value is not None}
    done = subprocess.run(
        [*command, sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# ── telemetry of onnxruntime ─────────────────────────────────────────────────────────────────────────


def test_telemetry_is_off_before_onnxruntime_is_imported() -> None:
    spy = SPY.format(package="onnxruntime", variables=[TELEMETRY_SWITCH])
    assert run(spy + PARSE, {TELEMETRY_SWITCH: None}) == "['1']\n"
    assert run(spy + PARSE, {TELEMETRY_SWITCH: "0"}) == "['0']\n"  # the user's own choice


def test_telemetry_is_off_before_onnxruntime_is_imported_to_quantize() -> None:
    pytest.importorskip("onnx", reason="export needs onnx: pip install 'spindle-parser[neural]'")
    code = SPY.format(package="onnxruntime", variables=[TELEMETRY_SWITCH]) + (
        "import numpy, onnx\n"
        "from spindle.parsers.neural.quantize import quantize\n"
        "graph = onnx.helper.make_graph([], 'empty', [], [])\n"
        "quantize(numpy.frombuffer(onnx.helper.make_model(graph).SerializeToString(), dtype=numpy.uint8))\n"
    )
    assert run(code, {TELEMETRY_SWITCH: None}) == "['1']\n"


def test_telemetry_is_turned_off_if_onnxruntime_was_imported_before(monkeypatch: pytest.MonkeyPatch) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    calls: list[int] = []
    monkeypatch.setattr(onnxruntime, "disable_telemetry_events", lambda: calls.append(1), raising=False)
    monkeypatch.delenv(TELEMETRY_SWITCH, raising=False)
    assert import_onnxruntime() is onnxruntime
    assert (calls, os.environ[TELEMETRY_SWITCH]) == ([1], "1")
    monkeypatch.setenv(TELEMETRY_SWITCH, "0")
    import_onnxruntime()
    assert calls == [1]


def test_every_import_of_onnxruntime_goes_through_one_function() -> None:
    found = {}
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        lines = [
            node.lineno
            for node in ast.walk(tree)
            if (
                isinstance(node, ast.Import)
                and any(name.name.startswith("onnxruntime") for name in node.names)
            )
            or (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("onnxruntime"))
        ]
        if lines:
            calls = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Call)
                     and getattr(node.func, "id", "") == "import_onnxruntime"]  # fmt: skip
            found[path.relative_to(SOURCE).as_posix()] = (lines, calls)
    assert found.keys() == {"parsers/neural/runtime.py", "parsers/neural/quantize.py"}
    (line,), (call,) = found["parsers/neural/quantize.py"]
    assert call < line


def test_parsing_writes_no_files(tmp_path: Path) -> None:
    run(PARSE, {TELEMETRY_SWITCH: None}, home=tmp_path)
    assert list(tmp_path.rglob("*")) == []


def test_parsing_opens_no_sockets(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    command = ("strace", "-f", "-e", "trace=network", "-o", str(trace))
    if not shutil.which("strace") or subprocess.run([*command, "true"], capture_output=True).returncode:
        pytest.skip("needs strace and the permission to trace a process")
    # telemetry, if it is on, connects after about ten seconds
    waiting = "\nimport time\ntime.sleep(15)\n"
    home = tmp_path / "home"
    home.mkdir()
    run(PARSE + waiting, {TELEMETRY_SWITCH: None}, home=home, command=command)
    calls = [line for line in trace.read_text().splitlines() if "socket(" in line or "connect(" in line]
    assert calls == []
    assert list(home.rglob("*")) == []


# ── variables that torch reads ───────────────────────────────────────────────────────────────────────


def test_variables_are_set_when_a_training_starts_and_before_torch_is_imported() -> None:
    pytest.importorskip("torch", reason="training needs torch: pip install 'spindle-parser[neural]'")
    pytest.importorskip("onnx", reason="export needs onnx: pip install 'spindle-parser[neural]'")
    names = list(VARIABLES)
    code = SPY.format(package="torch", variables=names) + TRAIN.format(variables=names)
    unset, ours = str([None] * len(names)), str(list(VARIABLES.values()))
    said = run(code, dict.fromkeys(names)).splitlines()
    assert said == [unset, ours, ours]  # after our import, when torch is imported, after the training
    own = dict.fromkeys(names, "1")
    assert run(code, own).splitlines() == [str(list(own.values()))] * 3


def test_importing_the_trainer_sets_no_variables() -> None:
    pytest.importorskip("torch", reason="training needs torch: pip install 'spindle-parser[neural]'")
    code = "import os\nimport spindle.parsers.neural.trainer\n"
    code += f"print([name for name in {list(VARIABLES)!r} if name in os.environ])"
    assert run(code, dict.fromkeys(VARIABLES)) == "[]\n"


# ── logging ──────────────────────────────────────────────────────────────────────────────────────────


def test_other_threads_can_log_while_a_network_is_quantized(caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("torch", reason="training needs torch: pip install 'spindle-parser[neural]'")
    pytest.importorskip("onnx", reason="export needs onnx: pip install 'spindle-parser[neural]'")
    from spindle.parsers.neural import NeuralParser
    from support.neural_toys import Silent, examples, settings

    parser = NeuralParser()
    parser.fit(examples(4), [], settings(epochs=1, hidden=16), Silent())
    done = Event()
    sent: list[str] = []

    def log() -> None:
        while not done.wait(0.001):
            sent.append(f"message {len(sent)}")
            logging.warning(sent[-1])

    filters, disabled = list(logging.getLogger().filters), logging.getLogger().disabled
    thread = Thread(target=log)
    with caplog.at_level(logging.INFO):
        thread.start()
        try:
            assert len(list(parser.compressed_variants(examples(4)))) == 2
        finally:
            done.set()
            thread.join()
    assert sent
    warnings = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert warnings == sent  # all messages, and no warning of onnxruntime
    assert (logging.getLogger().filters, logging.getLogger().disabled) == (filters, disabled)
