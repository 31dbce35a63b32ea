"""What several tests share: where the real treebanks are, if they are."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def _shared(part: str) -> Path:
    folder = SHARED / part
    if not folder.is_dir():
        pytest.skip(f"needs ../shared/{part}, which is not here")
    return folder


@pytest.fixture(scope="session")
def treebanks() -> Path:
    """The folder of real treebanks; tests that need it are skipped, visibly, where it is absent."""
    return _shared("treebanks")


@pytest.fixture(scope="session")
def golden() -> Path:
    """What the official evaluators print."""
    return _shared("golden")
