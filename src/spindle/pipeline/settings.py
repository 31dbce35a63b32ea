"""What parsing depends on beside the trained parts: the settings that are saved in every model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from spindle.heads import HeadRules, format_rules, parse_rules
from spindle.models.schema import choice, flag, items, like, nullable, number, record, text
from spindle.parsers import PREDICTED
from spindle.pipeline.confidence import Calibration
from spindle.pipeline.conventions import Conventions, Punctuation
from spindle.reduction import Encoding, Mode
from spindle.text import TokenizationStyle

SETTINGS = record(
    {
        "parser": text(1_000),
        "encoding": choice(*Encoding),
        "mode": choice(*Mode),
        "head_rules": record({"name": text(1_000), "text": text()}),
        "conventions": record(
            {
                "wrapper": nullable(text(1_000)),
                "punctuation": choice(*Punctuation),
                "punctuation_root": text(1_000),
                "functions_in_labels": flag(),
            }
        ),
        "tokenization": like(TokenizationStyle()),
        "predicted": items(choice(*sorted(PREDICTED)), at_most=len(PREDICTED)),
        "needs_tags": flag(),
        "calibration": record(
            {"slope": number(-1e3, 1e3), "shift": number(-1e3, 1e3), "above_word": number(0, 1)}
        ),
    },
    {"fingerprint": text(1_000)},
)
"""What the settings must look like in a model file."""


@dataclass(frozen=True, kw_only=True)
class PipelineSettings:
    """How a model reads text, encodes trees and writes them.

    `predicted` names what the backend predicts beside heads. `needs_tags` is set if the stages learned from
    tags that the model cannot predict. The head rules themselves are stored, so that a model never needs the
    file that they came from. `fingerprint` identifies the training: `resume` recognises a finished one by it.
    """

    encoding: Encoding
    mode: Mode
    head_rules: HeadRules
    conventions: Conventions
    tokenization: TokenizationStyle
    predicted: frozenset[str] = frozenset()
    needs_tags: bool = False
    calibration: Calibration = Calibration()  # noqa: RUF009
    fingerprint: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The settings for JSON; `from_dict` is the inverse."""
        return {
            "encoding": str(self.encoding),
            "mode": str(self.mode),
            "head_rules": {"name": self.head_rules.name, "text": format_rules(self.head_rules)},
            "conventions": self.conventions.to_dict(),
            "tokenization": self.tokenization.to_dict(),
            "predicted": sorted(self.predicted),
            "needs_tags": self.needs_tags,
            "calibration": self.calibration.to_dict(),
            "fingerprint": self.fingerprint,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The settings that `to_dict` wrote."""
        return cls(
            encoding=Encoding(values["encoding"]),
            mode=Mode(values["mode"]),
            head_rules=parse_rules(values["head_rules"]["text"], values["head_rules"]["name"]),
            conventions=Conventions.from_dict(values["conventions"]),
            tokenization=TokenizationStyle.from_dict(values["tokenization"]),
            predicted=frozenset(values["predicted"]),
            needs_tags=bool(values["needs_tags"]),
            calibration=Calibration.from_dict(values["calibration"]),
            fingerprint=values.get("fingerprint", ""),
        )
