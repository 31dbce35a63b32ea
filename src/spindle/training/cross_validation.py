"""Cross-validation: every tree of one treebank is parsed by a parser that was not trained on it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from statistics import mean, stdev
from typing import Any

from spindle.errors import Hint, ParserError, Setting, SpindleError
from spindle.evaluation import Score
from spindle.evaluation.corpus import make_settings, score_pairs
from spindle.evaluation.pairing import Absent, Pair
from spindle.evaluation.scheme_choice import choose_scheme
from spindle.evaluation.score import FIGURES
from spindle.heads import guess_rules
from spindle.pipeline import Parser, Sentence
from spindle.pipeline.conventions import learn_conventions
from spindle.training.held_out import hold_out
from spindle.training.listener import Listener, LoggingListener
from spindle.training.options import TrainOptions
from spindle.training.run import choose_mode, fingerprint, sidecar, train_parser
from spindle.training.treebank import Treebank, prepare
from spindle.treebanks.files import parse_tree
from spindle.trees import Tree

PREDICTIONS = "predictions.dbr"
REPORT = "report.json"


@dataclass(frozen=True)
class CrossValidation:
    """The scores of all folds. `score` is that of all sentences as one corpus."""

    folds: tuple[Score, ...]
    score: Score
    trees: tuple[Tree | None, ...]
    """The predicted trees in the order of the treebank; None for a sentence without a tree."""
    record: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return how the folds were made, all figures, and their mean and standard deviation over folds."""
        figures = {name: [getattr(score, name) for score in self.folds] for name in FIGURES}
        defined = {name: [value for value in values if value is not None] for name, values in figures.items()}
        return {
            **self.record,
            "mean": {name: mean(values) if values else None for name, values in defined.items()},
            "deviation": {
                name: stdev(values) if len(values) > 1 else None for name, values in defined.items()
            },
            "per_fold": [
                {
                    "fold": number,
                    **{name: getattr(score, name) for name in FIGURES},
                    **score.totals.coverage,
                }
                for number, score in enumerate(self.folds, start=1)
            ],
            "score": self.score.to_dict(),
            "signature": self.score.signature,
        }


def split_folds(size: int, folds: int, seed: int | None = None) -> list[tuple[int, ...]]:
    """Return the sentences of every fold by number; sizes differ by at most one.

    Without a seed each fold is a contiguous part of the treebank, so that documents stay together and no
    sentence is parsed by a parser that was trained on its neighbours. With a seed sentences are shuffled.

    >>> split_folds(7, 3)
    [(0, 1), (2, 3), (4, 5, 6)]
    """
    if not 2 <= folds <= size:
        raise ParserError(f"{size} trees cannot be split into {folds} folds; choose from 2 to {size}")
    order = list(range(size))
    if seed is not None:
        Random(seed).shuffle(order)
    bounds = [size * number // folds for number in range(folds + 1)]
    return [tuple(sorted(order[bounds[n] : bounds[n + 1]])) for n in range(folds)]


def cross_validate(
    treebank: Treebank,
    folds: int,
    options: TrainOptions,
    folder: str | Path,
    *,
    shuffle: bool = False,
    dev_percent: float | None = None,
    keep_models: bool = False,
    resume: bool = False,
    listener: Listener | None = None,
    on_fold: Callable[[int, Score | None], None] = lambda number, score: None,
) -> CrossValidation:
    """Train on all folds but one, parse that one, for every fold, and score all predictions as one corpus.

    The folder gets the predictions of every fold, all of them in the order of the treebank, and a report.
    With `resume` finished folds are read from there, and an interrupted training is continued. `dev_percent`
    holds out a share of the training trees of every fold, to choose the best epoch. `on_fold` is called with
    the number of a fold before it (without a score) and after it.
    """
    options.check()
    folder = Path(folder)
    trees = treebank.trees
    options = _settled(options, treebank)
    parts = split_folds(len(trees), folds, options.seed if shuffle else None)
    _prepare_folder(folder, resume)
    (scheme, reason), _ = choose_scheme(trees)
    settings = make_settings(scheme)
    predicted: list[Tree | None] = [None] * len(trees)
    scores = []
    for number, numbers in enumerate(parts, start=1):
        on_fold(number, None)
        tested = frozenset(numbers)
        train = Treebank(tuple(tree for at, tree in enumerate(trees) if at not in tested), treebank.files)
        dev = Treebank()
        if dev_percent is not None:
            train, dev, _ = hold_out(train, dev_percent, options.seed)
        fold = _Fold(folder, number, fingerprint(train, dev, options))
        found = fold.read() if resume else None
        if found is None:
            parser = train_parser(
                train, dev, options, output=fold.model, resume=resume, listener=listener or LoggingListener()
            )
            fold.write(_parsed(parser, [trees[at] for at in numbers], options.threads), keep_models)
            found = fold.read()
            assert found is not None
        for at, tree in zip(numbers, found, strict=True):
            predicted[at] = tree
        pairs = (Pair(at + 1, trees[at], predicted[at] or Absent.UNPARSED) for at in numbers)
        scores.append(score_pairs(pairs, settings))
        on_fold(number, scores[-1])
    record = {
        "treebank": list(treebank.files),
        "sentences": len(trees),
        "folds": folds,
        "order": "shuffled" if shuffle else "as in the treebank",
        "seed": options.seed,
        "dev_percent": dev_percent,
        "options": options.to_dict(),
        "scheme_reason": reason,
    }
    result = CrossValidation(tuple(scores), _joined(scores), tuple(predicted), record)
    _replace(folder / PREDICTIONS, _lines(predicted))
    _replace(folder / REPORT, [json.dumps(result.to_dict(), ensure_ascii=False, indent=2) + "\n"])
    return result


def _settled(options: TrainOptions, treebank: Treebank) -> TrainOptions:
    """The options with mode, head rules and punctuation inferred once, so that all folds have the same."""
    conventions = learn_conventions(treebank.trees, options.punct)
    heads = guess_rules(treebank.trees).name if options.heads is None else options.heads
    mode = options.mode or choose_mode(prepare(treebank.trees, conventions), options.backend)
    return replace(options, mode=mode, heads=heads, punct=conventions.punctuation)


def _joined(scores: Sequence[Score]) -> Score:
    """The score of all folds as one corpus, with the sentences in the order of the treebank."""
    total = scores[0]
    for score in scores[1:]:
        total += score
    return replace(total, sentences=tuple(sorted(total.sentences, key=lambda sentence: sentence.number)))


def _parsed(parser: Parser, trees: Sequence[Tree], threads: int) -> Iterator[Tree | None]:
    """Yield the predicted trees; None for a sentence without words."""
    sentences = [Sentence.of(tree) for tree in trees]
    if not parser.settings.needs_tags:
        sentences = [sentence.without_tags() for sentence in sentences]
    for analysis in parser.analyse(sentences, threads=threads):
        yield analysis.tree


# ── files ────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Fold:
    """The files of a fold. `done` is written last; it has the fingerprint of the training."""

    folder: Path
    number: int
    fingerprint: str

    @property
    def model(self) -> Path:
        return self.folder / f"fold-{self.number:02}.model"

    @property
    def predictions(self) -> Path:
        return self.folder / f"fold-{self.number:02}.dbr"

    @property
    def done(self) -> Path:
        return self.folder / f"fold-{self.number:02}.json"

    def read(self) -> list[Tree | None] | None:
        """Return the predictions if the fold is finished."""
        if not self.done.exists():
            return None
        if json.loads(self.done.read_text(encoding="utf-8"))["fingerprint"] != self.fingerprint:
            raise SpindleError(
                f"{self.folder}: the interrupted cross-validation had other options or other trees",
                hint=Hint("repeat them, or choose another folder without {}", Setting.RESUME),
            )
        with open(self.predictions, encoding="utf-8", newline="\n") as file:
            return [parse_tree(line, "discbracket") if line != "\n" else None for line in file]

    def write(self, trees: Iterable[Tree | None], keep_model: bool) -> None:
        """Write the predictions, mark the fold as finished, and remove what is not needed any more."""
        _replace(self.predictions, _lines(trees))
        _replace(self.done, [json.dumps({"fold": self.number, "fingerprint": self.fingerprint}) + "\n"])
        if not keep_model:
            self.model.unlink(missing_ok=True)
            for kind in ("curve.svg", "log.jsonl"):
                sidecar(self.model, kind).unlink(missing_ok=True)


def _prepare_folder(folder: Path, resume: bool) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SpindleError(f"{folder}: {error.strerror or error}") from None
    if not resume and any(folder.iterdir()):
        hint = Hint("name another folder, or continue an interrupted run with {}", Setting.RESUME)
        raise SpindleError(f"{folder}: the folder is not empty", hint=hint)


def _lines(trees: Iterable[Tree | None]) -> Iterator[str]:
    """Yield a line for every tree; an empty one if there is none."""
    for tree in trees:
        yield "\n" if tree is None else tree.to_string("discbracket") + "\n"


def _replace(path: Path, lines: Iterable[str]) -> None:
    """Write a file as a whole or not at all."""
    temporary = path.with_name(f"{path.name}.part")
    with open(temporary, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(lines)
    temporary.replace(path)
