"""Fixtures for the folders of real treebanks and golden files; the settings of the property tests."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Examples have no deadline because their time depends on the machine. Continuous integration uses the same
# examples in every run, so that a failure is caused by the change under test and not by a new example.
settings.register_profile(
    "spindle",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("spindle")

# A shell starts background jobs with SIGINT ignored. The programs that the tests start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

SHARED = Path(__file__).resolve().parents[2] / "shared"


def _shared(part: str) -> Path:
    folder = SHARED / part
    if not folder.is_dir():
        pytest.skip(f"needs the folder ../shared/{part}")
    return folder


@pytest.fixture(scope="session")
def treebanks() -> Path:
    """The folder of real treebanks; a test that needs it is skipped if it is missing."""
    return _shared("treebanks")


@pytest.fixture(scope="session")
def golden() -> Path:
    """The folder with the output of the official evaluators."""
    return _shared("golden")
