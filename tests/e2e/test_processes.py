"""Parsers in several processes: pools that fork or spawn, and `os.fork` while a network is loaded."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import multiprocessing, os, sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import spindle

SENTENCES = [["Trees", "grow", "."], ["It", "works", "because", "it", "must", "."]] * 4

def parse(parser):
    return [str(tree) for tree in parser.parse_many(SENTENCES, threads=2)]

if __name__ == "__main__":
    model, how = sys.argv[1:]
    parser = spindle.load(model)
    expected = parse(parser)
    if how == "threads":
        with ThreadPoolExecutor(16) as pool:
            assert all(found == expected for found in pool.map(parse, [parser] * 16))
    elif how == "os.fork":
        for _ in range(3):
            child = os.fork()
            if not child:
                os._exit(0 if parse(parser) == expected else 1)
            assert os.waitpid(child, 0)[1] == 0
        assert parse(parser) == expected
    else:
        context = multiprocessing.get_context(how)
        with ProcessPoolExecutor(2, mp_context=context) as pool:
            assert all(found == expected for found in pool.map(parse, [parser] * 3))
    print("alike")
"""


@pytest.mark.parametrize("model", ["light", "english"])
@pytest.mark.parametrize(
    "how",
    [
        "threads",
        pytest.param("os.fork", marks=pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")),
        pytest.param("fork", marks=pytest.mark.skipif(sys.platform != "linux", reason="needs fork")),
        "spawn",
    ],
)
def test_parsers_in_processes(model: str, how: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    # newer versions of Python warn that forking is dangerous where there are threads
    command = [sys.executable, "-W", "ignore::DeprecationWarning", str(program), model, how]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert run.stdout == "alike\n", run.stderr
