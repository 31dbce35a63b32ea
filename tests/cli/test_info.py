"""`spindle info` for files that are not models; test_train.py tests its output for a model."""

from pathlib import Path

import pytest

from spindle.cli import main


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "no such model file"), (b"(S (NN trees))", "not a Spindle model"), (b"", "empty")],
)
def test_files_that_are_not_models(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: bytes | None, said: str
) -> None:
    if content is not None:
        (tmp_path / "m").write_bytes(content)
    with pytest.raises(SystemExit) as ended:
        main(["info", str(tmp_path / "m")])
    assert ended.value.code == 1
    assert said in capsys.readouterr().err
