"""Model files with correct checksums and damaged arrays or settings."""

from pathlib import Path

import pytest

from spindle.errors import ModelError
from spindle.models import ModelFile, read_model, write_model
from spindle.pipeline import load
from spindle.training import train
from support.demo_treebank import demo_trees
from support.stage_parts import damaged


def test_damaged_arrays_are_refused_or_harmless(tmp_path: Path) -> None:
    train(demo_trees("train"), output=tmp_path / "m", epochs=1, parser_options={"bits": "10"})
    model = read_model(tmp_path / "m", "parser")
    noticed = set()
    for stage in ("parser", "labeler"):  # the arrays of the other stages have the same form as the labeler's
        for what, part in damaged(model.parts[stage]):
            wrong = ModelFile(model.kind, model.card, {**model.parts, stage: part})
            write_model(tmp_path / "wrong", wrong)
            try:
                parser = load(tmp_path / "wrong")
            except ModelError:
                noticed.add(f"{stage}: {what}")
            else:
                assert len(list(parser.parse_many(demo_trees("dev")))) == 10
    for name in ("parser: arcs", "parser: arc_keys", "labeler: weights", "labeler: keys"):
        assert {f"{name} missing", f"{name} cut off"} <= noticed
    assert {"parser: arcs of another type", "labeler: weights of another type"} <= noticed


@pytest.mark.parametrize("stage", ["pipeline", "parser", "labeler", "tagger", "unaries"])
def test_missing_settings_are_refused(stage: str, tmp_path: Path) -> None:
    train(demo_trees("train"), output=tmp_path / "m", order="basic", epochs=1, parser_options={"bits": "10"})
    model = read_model(tmp_path / "m", "parser")
    # only resuming needs the fingerprint; earlier models have no attributes of morphology
    optional = {"fingerprint", "attributes"}
    for name in model.parts[stage].settings.keys() - optional:
        settings = {key: value for key, value in model.parts[stage].settings.items() if key != name}
        parts = {**model.parts, stage: type(model.parts[stage])(settings, model.parts[stage].arrays)}
        write_model(tmp_path / "wrong", ModelFile(model.kind, model.card, parts))
        with pytest.raises(ModelError):
            load(tmp_path / "wrong")
