"""Packages that some parsers need and that may not be installed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def installed(package: str) -> str | None:
    """The version of an installed package, without importing it; None if there is none.

    >>> installed("no.such.package") is None
    True
    """
    try:
        return version(package)
    except PackageNotFoundError:
        return None
