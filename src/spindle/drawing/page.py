"""An HTML page of compared trees that needs no other file: no script, style, font or picture from elsewhere.

Without scripts the page shows everything; its one short script only hides sentences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files

from spindle.drawing.comparison import ComparedTrees, error_line
from spindle.drawing.display import NAMELESS, visible
from spindle.drawing.style import (
    DARK_ACCENTS,
    DARK_BACKGROUND,
    DARK_TEXT,
    FONTS,
    LIGHT_ACCENTS,
    LIGHT_BACKGROUND,
    LIGHT_TEXT,
    STYLE,
    Mark,
)
from spindle.drawing.svg import svg_tree
from spindle.trees.tree import Tree

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
"""The page may load nothing at all."""

# Blue marks what is missing, red what is wrong, as in the drawings.
_COLORS = "--text:{};--back:{};--card:{};--edge:{};--missing:{};--extra:{}"
_LIGHT = _COLORS.format(
    LIGHT_TEXT, "#f6f8fa", LIGHT_BACKGROUND, "#d0d7de", LIGHT_ACCENTS[1], LIGHT_ACCENTS[4]
)
_DARK = _COLORS.format(DARK_TEXT, "#010409", DARK_BACKGROUND, "#30363d", DARK_ACCENTS[1], DARK_ACCENTS[4])

_VARIABLES = (
    f":root{{color-scheme:light dark;--fonts:{FONTS};{_LIGHT}}}\n"
    f"@media (prefers-color-scheme:dark){{:root{{{_DARK}}}}}\n"
)


def _resource(name: str) -> str:
    return (files("spindle.drawing") / name).read_text(encoding="utf-8")


def comparison_page(
    title: str, facts: Mapping[str, str], sentences: Sequence[ComparedTrees], note: str
) -> str:
    """Return the page: facts by name, filters, the sentences in their order, and a note at the end."""
    figures = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts.items()
    )
    style = f"<style>\n{_VARIABLES}{_resource('page.css')}</style>\n"
    script = f"<script>\n{_resource('page.js')}</script>\n"
    cards = "".join(map(_card, sentences)) or "<p>No sentence has such an error.</p>"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n{style}{STYLE}</head>\n<body>\n"
        f"<header><h1>{escape(title)}</h1><dl>{figures}</dl>"
        '<p><span class="missing">−NP</span> a gold constituent that the prediction lacks · '
        '<span class="extra">+NP</span> a predicted constituent that gold lacks</p></header>\n'
        f"{_filters(sentences)}<main>\n{cards}<p><code>{escape(note)}</code></p>\n</main>\n"
        f"{script}</body>\n</html>\n"
    )


def _filters(sentences: Sequence[ComparedTrees]) -> str:
    labels: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for sentence in sentences:
        for _, error in sentence.errors:
            labels.update({error.label, error.other} if error.kind == "label" else {error.label})
            kinds[error.kind] += 1
    return (
        "<form hidden><div>"
        f"<label>label {_select('label', labels)}</label>"
        f"<label>kind of error {_select('kind', kinds)}</label>"
        '<label>words from <input name="low" type="number" min="0"></label>'
        '<label>to <input name="high" type="number" min="0"></label>'
        "<output></output></div></form>\n"
    )


def _select(name: str, counts: Counter[str]) -> str:
    choices = "".join(
        f'<option value="{escape(value)}">{escape(visible(value) or NAMELESS)} ({count:,})</option>'
        for value, count in counts.most_common()
    )
    return f'<select name="{name}"><option value="">all</option>{choices}</select>'


def _card(sentence: ComparedTrees) -> str:
    facts = "".join(f"<span>{escape(fact)}</span>" for fact in sentence.facts)
    words = " ".join(visible(token.form) for token in sentence.gold.tokens)
    if sentence.pred is None:
        parsed = f"<p>{escape(visible(sentence.problem))}</p>"
    else:
        parsed = _tree(sentence.pred, sentence.pred_marks)
    errors = "".join(
        f'<li class="{"missing" if mark.sign == "−" else "extra"}" data-kind="{escape(error.kind)}"'
        f' data-labels="{escape(error.label)}\t{escape(error.other)}">{escape(error_line(mark, error))}</li>'
        for mark, error in sentence.errors
    )
    return (
        f'<article data-words="{len(sentence.gold)}">'
        f"<h2>sentence {escape(visible(sentence.name))} {facts}</h2>"
        f'<p class="words">{escape(words)}</p><div class="pair">'
        f'<section class="tree"><h3>gold</h3>{_tree(sentence.gold, sentence.gold_marks)}</section>'
        f'<section class="tree"><h3>parsed</h3>{parsed}</section></div><ul>{errors}</ul></article>\n'
    )


def _tree(tree: Tree, marks: Mapping[int, Mark]) -> str:
    return svg_tree(tree.replace(id=""), marks=marks).replace(STYLE, "", 1)
