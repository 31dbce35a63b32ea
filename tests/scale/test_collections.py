"""Bags and data frames of Dask, and datasets of Ray: what one process finds in the same rows."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import spindle
from spindle.errors import SpindleError
from spindle.pipeline import parse_frame
from spindle.scale import parse_bag, parse_dataframe
from support.clusters import TESTS

TEXTS = [
    "Trees grow. It rains.",
    "",
    "The dog saw the old man.",
    "She left.\n\nNobody knows why.",
    "x, y",
] * 3


@pytest.fixture(scope="module")
def expected() -> list[dict[str, Any]]:
    import pyarrow

    table = pyarrow.table({"text": TEXTS})
    found: list[dict[str, Any]] = parse_frame(table, "text", "light").to_pylist()
    return found


def test_a_bag(expected: list[dict[str, Any]]) -> None:
    bag = pytest.importorskip("dask.bag").from_sequence(TEXTS, npartitions=3)
    assert parse_bag(bag, "light").compute(scheduler="sync") == expected
    rows = pytest.importorskip("dask.bag").from_sequence([{"n": 1, "body": "It rains. She left."}])
    found = parse_bag(rows, "light", column="body", one_row="sentence", columns=["tree"], prefix="s_")
    assert [(row["n"], row["s_number"]) for row in found.compute(scheduler="sync")] == [(1, 1), (1, 2)]
    tagged = pytest.importorskip("dask.bag").from_sequence([{"w": ["can", "rusts"], "t": ["NN", "VBZ"]}])
    (found,) = parse_bag(tagged, "light", column="w", words=True, tags="t").compute(scheduler="sync")
    assert "(NN can)" in found["tree"][0]
    wrong = pytest.importorskip("dask.bag").from_sequence([7])
    with pytest.raises(SpindleError, match="not of int"):
        parse_bag(wrong, "light").compute(scheduler="sync")


@pytest.mark.parametrize("one_row", ["document", "sentence"])
def test_a_data_frame(one_row: Any) -> None:
    pandas = pytest.importorskip("pandas")
    dask = pytest.importorskip("dask.dataframe")
    frame = pandas.DataFrame({"number": range(len(TEXTS)), "text": TEXTS}).set_index("number")
    parsed = parse_dataframe(
        dask.from_pandas(frame, npartitions=3), "text", "light", one_row=one_row, prefix="s_"
    )
    found = parsed.compute(scheduler="sync")
    assert parsed.dtypes.astype(str).to_dict() == found.dtypes.astype(str).to_dict()
    whole = parse_frame(frame, "text", "light", one_row=one_row, prefix="s_")
    assert found.index.tolist() == whole.index.tolist()
    for frame in (found, whole):
        if "s_number" in frame:
            frame["s_number"] = frame["s_number"].fillna(0).astype(int)
    assert found.to_dict("list") == whole.to_dict("list")
    assert list(parsed.columns) == list(whole.columns)


RUN = """
import json, warnings
warnings.simplefilter("ignore")
import ray
from spindle.scale import parse_dataset
from scale.test_collections import TEXTS

ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
ray.data.DataContext.get_current().enable_progress_bars = False
dataset = ray.data.from_items([{"number": n, "text": text} for n, text in enumerate(TEXTS)]).repartition(3)
rows = sorted(parse_dataset(dataset, "text", "light", workers=1).take_all(), key=lambda row: row["number"])
print("found", json.dumps([list(row["tree"]) for row in rows]))
ray.shutdown()
"""


def test_a_dataset_of_ray(expected: list[dict[str, Any]], tmp_path: Path) -> None:
    import json

    pytest.importorskip("ray", reason="the engine ray is an extra")
    (tmp_path / "run.py").write_text(RUN)
    done = subprocess.run(
        [sys.executable, "run.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        timeout=240,
    )
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("found")] or [done.stderr]
    assert json.loads(line.removeprefix("found ")) == [row["tree"] for row in expected]


def test_a_model_that_is_another_on_a_worker_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from spindle.scale.models import model_of, name_model

    name = name_model(["light"])
    with pytest.raises(SpindleError, match="has another model under the name light"):
        model_of(replace(name, fingerprint="0"))
    with pytest.raises(
        SpindleError, match=f"has Spindle {spindle.__version__}, and the run was started with 9"
    ):
        model_of(replace(name, version="9"))
    first = model_of(name)
    assert model_of(name) is first  # once per process
