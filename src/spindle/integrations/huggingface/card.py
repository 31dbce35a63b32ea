"""The card of a model in the hub's format: a README with metadata in front."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from spindle import __version__
from spindle.integrations.huggingface.names import MODEL_FILE, hub
from spindle.parsers import name_of
from spindle.pipeline.card import Corpus

if TYPE_CHECKING:
    from spindle.pipeline.parser import Parser

MARK = "<!-- Spindle writes this card anew as long as this line is in it. -->"
METRICS = {
    "f1": ("f1", "F1"),
    "precision": ("precision", "Precision"),
    "recall": ("recall", "Recall"),
    "exact": ("exact_match", "Exact match"),
    "disc_f1": ("f1", "F1 of discontinuous constituents"),
    "tags": ("accuracy", "Accuracy of tags"),
}
"""The type and the name on the hub of every score of a card, in percent."""
LICENCES = frozenset(
    ("mit", "apache-2.0", "bsd-3-clause", "gpl-3.0", "lgpl-3.0", "cc0-1.0", "unlicense", "odc-by", "odbl")
) | frozenset(
    f"cc-by{kind}-{version}"
    for kind in ("", "-sa", "-nc", "-nc-sa", "-nd", "-nc-nd")
    for version in ("2.0", "2.5", "3.0", "4.0")
)
"""Identifiers of licences that the hub knows."""
_NO_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|])")


def hub_card(
    parser: Parser, repository: str, *, language: str | None = None, licence: str | None = None
) -> str:
    """Return the card of a parser, made from its own, as Markdown with metadata in YAML.

    `language` is an ISO code, `licence` an identifier of the hub; without it the licence in the parser's card
    counts, which is `other` if the hub has no identifier for it.
    """
    card = parser.card
    stated = licence or card.licence
    identifier = licence_identifier(stated)
    package = hub()
    results = [
        package.EvalResult(
            task_type="constituency-parsing",
            task_name="Constituency parsing",
            dataset_type=_slug(_files(card.development)) or "development",
            dataset_name=_files(card.development) or "development trees",
            dataset_split="dev",
            metric_type=kind,
            metric_name=title,
            metric_value=round(value, 2),
            metric_args=_signature(card.scores),
        )
        for kind, title, value in _scores(card.scores)
    ]
    mode = str(parser.settings.mode)
    data = package.ModelCardData(
        language=language,
        license=identifier,
        license_name="as-stated-below" if identifier == "other" else None,
        library_name="spindle",
        tags=["constituency-parsing", "parsing", "treebank", mode, name_of(type(parser.backend))],
        datasets=[_slug(name) for name in card.training.files if _slug(name)] or None,
        metrics=list(dict.fromkeys(kind for kind, _, _ in _scores(card.scores))) or None,
        model_name=repository.rpartition("/")[2],
        eval_results=results or None,
    )
    return f"---\n{data.to_yaml()}\n---\n\n" + "\n".join(_body(parser, repository, stated))


def _body(parser: Parser, repository: str, licence: str) -> Iterator[str]:
    card, settings = parser.card, parser.settings
    yield MARK
    yield f"\n# {repository.rpartition('/')[2]}\n"
    crossing = "with crossing branches" if settings.mode == "discontinuous" else "without crossing branches"
    yield f"A constituent parser, {crossing}, for [Spindle](https://github.com/spindle-parser/spindle).\n"
    yield f"```\npip install 'spindle-parser[hub]'\nspindle info hf://{repository}\n```\n"
    yield f'```python\nimport spindle\n\nparser = spindle.load("hf://{repository}")'
    yield 'print(parser.parse("A sentence."))\n```\n'
    yield "## Data\n"
    for title, corpus in (
        ("Training", card.training),
        ("Text that a teacher has parsed", card.text),
        ("Development", card.development),
    ):
        if corpus.sentences:
            names = _plain(_files(corpus) or "not named")
            yield f"- {title}: {names}; {corpus.sentences:,} sentences, {corpus.tokens:,} tokens"
    if card.teacher:
        yield f"- Distilled from: {_plain(str(card.teacher.get('name', 'a larger model')))}"
    yield f"- Licence of the data: {_plain(licence) or 'not stated'}\n"
    if scores := list(_scores(card.scores)):
        yield "## Scores on the development trees\n\n| score | % |\n|---|---|"
        yield from (f"| {title} | {value:.2f} |" for _, title, value in scores)
        if signature := card.scores.get("signature"):
            yield f"\nSignature: `{signature}`"
        yield ""
    yield "## Settings\n\n| setting | value |\n|---|---|"
    rows = {
        "parser": name_of(type(parser.backend)),
        "trees": settings.mode,
        "labels": settings.encoding,
        "head rules": settings.head_rules.name,
        "written by": f"Spindle {__version__}",
    }
    yield from (f"| {name} | {_plain(str(value))} |" for name, value in rows.items())
    yield f"\nThe file `{MODEL_FILE}` has numbers and settings, but no code.\n"


def licence_identifier(licence: str) -> str | None:
    """Return the hub's identifier of a licence; `other` if it has none, None for no licence.

    >>> licence_identifier("CC BY-SA 4.0"), licence_identifier("my own"), licence_identifier("")
    ('cc-by-sa-4.0', 'other', None)
    """
    if not licence.strip():
        return None
    found = re.sub(r"[\s_]+", "-", licence.strip().lower())
    return found if found in LICENCES else "other"


def _scores(scores: Mapping[str, Any]) -> Iterator[tuple[str, str, float]]:
    """Yield type, name and value of the scores that the hub has types for."""
    for name, (kind, title) in METRICS.items():
        if isinstance(value := scores.get(name), int | float):
            yield kind, title, float(value)


def _signature(scores: Mapping[str, Any]) -> dict[str, str] | None:
    signature = scores.get("signature")
    return {"signature": str(signature)} if signature else None


def _files(corpus: Corpus) -> str:
    return ", ".join(corpus.files)


def _slug(name: str) -> str:
    """Return a name as the hub's names of datasets are: letters, digits, dots and hyphens."""
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.")[:90]


def _plain(text: str) -> str:
    """Return a text of one line in which nothing is Markdown."""
    return _NO_MARKDOWN.sub(r"\\\1", " ".join(text.split()))
