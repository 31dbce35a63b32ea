"""Settings of a corpus that do not go together are refused before anything is written."""

from __future__ import annotations

from collections.abc import Sequence

from spindle.pipeline import ParsingFace
from spindle.pipeline.face import MAX_K
from spindle.pipeline.inputs import InputKind
from spindle.scale.jobs import CorpusError, ParseSettings
from spindle.scale.partitions import Partition
from spindle.scale.tables import TABLES, check_tables
from spindle.scale.worker import ENDINGS
from spindle.text import Lines
from spindle.treebanks.formats import DEPENDENCY_FORMATS


def check_settings(settings: ParseSettings, parser: ParsingFace, partitions: Sequence[Partition]) -> None:
    """Raise a `CorpusError` for settings that contradict each other, the model or the inputs."""
    if settings.to not in ENDINGS:
        choices = ", ".join(ENDINGS)
        raise CorpusError(f"a corpus cannot be written as {settings.to}", hint=f"choose from {choices}")
    if settings.to == "bracket" and parser.settings.mode != "continuous":
        raise CorpusError("the model gives discontinuous trees", hint="write discbracket, export or tigerxml")
    if settings.scores and settings.to not in ("json", *TABLES):
        raise CorpusError("only json and tables have scores", hint="write one of them")
    if settings.scores and not parser.gives_confidences:
        raise CorpusError("the model's parser gives no confidences, so there are no scores")
    if not 1 <= settings.k <= MAX_K:
        raise CorpusError(f"`k` is {settings.k}; it must be from 1 to {MAX_K:,}")
    if settings.k > 1 and not parser.gives_k_best:
        raise CorpusError(f"{parser!r} gives only its best analysis")
    kinds = {one.kind for partition in partitions for one in partition.slices}
    check_tables(settings, any(kind.is_table for kind in kinds))
    for kind in sorted(kinds):
        _check_kind(settings, kind)


def _check_kind(settings: ParseSettings, kind: InputKind) -> None:
    """Raise a `CorpusError` for settings that do not apply to inputs of a kind."""
    if kind in (InputKind.TREES, InputKind.CONLLU):
        is_of_rows = settings.format in DEPENDENCY_FORMATS
        if settings.format is not None and is_of_rows != (kind is InputKind.CONLLU):
            raise CorpusError(f"the format {settings.format} does not go with inputs of the kind {kind}")
    elif settings.format is not None:
        raise CorpusError(f"the format {settings.format} does not apply to inputs of the kind {kind}")
    has_text = kind is InputKind.TEXT or (kind.is_table and settings.tokens_field is None)
    if not has_text and Lines(settings.lines) is not Lines.AUTO:
        raise CorpusError(f"`lines` is for raw text, and an input is of the kind {kind}")
    has_no_tags = kind in (InputKind.TEXT, InputKind.TOKENS) or (kind.is_table and not settings.tags_field)
    if has_no_tags and settings.tags == "gold":
        raise CorpusError(f"an input is of the kind {kind}, which has no gold tags")
