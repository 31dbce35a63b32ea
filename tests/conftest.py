"""What several tests share: where the real treebanks are, if they are, and how property tests are run."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says more about the machine than about us. Continuous integration tries the same
# examples every time: what chance finds there would have nothing to do with the change under test.
settings.register_profile(
    "spindle",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("spindle")

# Shells start background jobs with Ctrl-C switched off, which our own programs would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)

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
