"""What some parsers need from elsewhere: packages that may not be installed, and encoders in folders."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def installed(package: str) -> str | None:
    """The version of an installed package, without importing it; None if there is none.

    >>> installed("no.such.package") is None
    True
    """
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def without_folder(encoder: str) -> str:
    """The name of an encoder as a model may tell it to others, who have no use for a path of this machine.

    >>> without_folder("bilstm"), without_folder("hf:somebody/small-encoder")
    ('bilstm', 'hf:somebody/small-encoder')
    """
    kind, mark, name = encoder.partition(":")
    return f"{kind}:{Path(name).resolve().name}" if mark and Path(name).is_dir() else encoder
