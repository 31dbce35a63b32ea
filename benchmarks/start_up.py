"""CPU time of the start: the help page, the import, the first tree of each bundled model, and each extra.

    python benchmarks/start_up.py [--rounds 9]

Prints the median and the minimum of the CPU seconds (user and system, all threads) of a new process, and the
limit. Exits with status 1 if a median is above it. Then it prints what the use of each extra that is
installed adds to `import spindle`: an extra that is not used adds nothing (`tests/test_extras.py`).
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from statistics import median

from spindle.models.bundled import bundled_models

SENTENCE = "The public is still cautious."
CASES = [
    ("spindle --help", ["-m", "spindle", "--help"], 0.2),
    ("import spindle", ["-c", "import spindle"], 0.2),
    *(
        (f"first tree, {name}", ["-m", "spindle", "parse", SENTENCE, "--model", name], 0.5)
        for name in bundled_models()
    ),
]
"""Name, arguments of Python, and the limit in seconds."""
EXTRAS = {
    "arrow": "from spindle.tables.parquet import arrow; arrow(); import pyarrow.parquet",
    "dask": "from spindle.scale.engines import open_engine; import distributed",
    "draw": "import typst",
    "hub": "from spindle.integrations.huggingface.names import hub; hub().hf_hub_download",
    "nltk": "import spindle.integrations.nltk",
    "neural": "import torch, transformers",
    "ray": "import ray",
    "spacy": "import spindle.integrations.spacy",
    "stanza": "import stanza",
    "supar": "import supar",
    "udpipe": "import ufal.udpipe",
    "urls": "import fsspec",
    "web": "import spindle.web.server, uvicorn",
}
"""The imports that the use of an extra needs."""


def cpu_seconds(arguments: list[str], cache: str) -> float:
    """Run Python once, with modules that are compiled already, as in an installation."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments], env={"PYTHONPYCACHEPREFIX": cache}, check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    is_slow = False
    medians = {}
    print(f"{'':<24}{'median':>8}{'minimum':>9}{'limit':>7}")
    with tempfile.TemporaryDirectory() as cache:
        for name, arguments, limit in CASES:
            medians[name], least = measured(arguments, cache, rounds)
            is_slow |= medians[name] > limit
            print(f"{name:<24}{medians[name]:8.3f}{least:9.3f}{limit:7.1f}", flush=True)
        print(f"\n{'extra, when it is used':<24}{'added':>8}")
        for name, code in EXTRAS.items():
            try:
                found, _ = measured(["-c", f"import spindle; {code}"], cache, rounds)
            except subprocess.CalledProcessError:
                print(f"{name:<24}{'not installed':>8}")
            else:
                print(f"{name:<24}{found - medians['import spindle']:8.3f}", flush=True)
    sys.exit(is_slow)


def measured(arguments: list[str], cache: str, rounds: int) -> tuple[float, float]:
    """Return the median and the minimum of the CPU seconds of several runs."""
    cpu_seconds(arguments, cache)
    seconds = [cpu_seconds(arguments, cache) for _ in range(rounds)]
    return median(seconds), min(seconds)


if __name__ == "__main__":
    main()
