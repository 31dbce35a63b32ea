"""What an output was made from, compared with what would make it now."""

from __future__ import annotations

from typing import Any


def difference(name: str, before: Any, now: Any) -> str:
    """Say that an output was made with another model, input or option.

    >>> difference("max_length", 200, 300)
    'was made with max_length 200, and now it is 300'
    """
    if name == "model" or name.startswith("input "):
        return f"was made with another {name}"
    return f"was made with {name} {_shown(before)}, and now it is {_shown(now)}"


def _shown(value: Any) -> str:
    return "not set" if value is None else str(value)[:60]
