"""What some parsers need beside Spindle: optional packages, and encoders in local folders."""

from __future__ import annotations

from pathlib import Path


def installed(package: str) -> str | None:
    """Return the version of a package without importing it; None if it is not installed.

    >>> installed("no.such.package") is None
    True
    """
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def without_folder(encoder: str) -> str:
    """Return the name of an encoder for the model file: of a local folder the last component only.

    >>> without_folder("bilstm"), without_folder("hf:somebody/small-encoder")
    ('bilstm', 'hf:somebody/small-encoder')
    """
    kind, mark, name = encoder.partition(":")
    return f"{kind}:{Path(name).resolve().name}" if mark and Path(name).is_dir() else encoder
