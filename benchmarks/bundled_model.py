"""Rebuild the models that come with the package: the accurate one and the fast one.

    python benchmarks/bundled_model.py english hf:encoders/minilm -o english.model
    python benchmarks/bundled_model.py fast -o fast.model
    python benchmarks/bundled_model.py score english

The model files belong in src/spindle/models/data. Each model is trained on english-craft and on the genres of
english-gum whose texts are free for any use, so that the model is free for any use, too. The trees of both
are brought to one annotation by `to_penn`; our own sentences of everyday English (treebanks/everyday) are
added. The best epoch is chosen on the same genres of the development part of GUM and on as many sentences
from that of CRAFT.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from measuring import TREEBANKS, command_line, scheme_of, score_trees, untagged, with_evalb
from spindle import load
from spindle.parsers.neural.options import PRETRAINED_PREFIX
from spindle.pipeline import Parser
from spindle.training import SourceWeight, TrainOptions, Treebank, train_parser
from spindle.training.listener import NullListener
from spindle.treebanks import read_trees
from spindle.treebanks.transforms import set_wrapper, strip_functions, strip_indices, strip_traces
from spindle.treebanks.transforms.penn import to_penn
from spindle.trees import Tree

FREE_GENRES = ("academic", "bio", "court", "interview", "news", "voyage")
WRAPPER = "ROOT"
MCTB = TREEBANKS / "english-mctb"
LICENCE = (
    "CC BY: CRAFT (Verspoor et al. 2012, CC BY 3.0) and GUM (Zeldes 2017, annotations CC BY 4.0; "
    f"genres {', '.join(FREE_GENRES)}); everyday sentences of the project (MIT)"
)
ENCODER_LICENCES = {
    "minilm": "all-MiniLM-L6-v2 (Apache 2.0)",
    "opus-en-fr": "of OPUS-MT en-fr (Tiedemann and Thottingal 2020, Apache 2.0)",
}
"""The licences of encoders by the name of their folder, which is that in tools/get_encoders.py."""
NAMES = ("english-gum (free genres)", "english-craft", "everyday")
WEIGHTS = (2.0, 0.3)
"""How often the accurate model samples a tree of GUM and a tree of CRAFT, which is the larger treebank."""
EVERYDAY_WEIGHT = 4.0
"""That of a tree of our own, of which there are few."""
EVERYDAY = Path(__file__).resolve().parents[1] / "treebanks" / "everyday"


def free_gum(part: str) -> Iterator[Tree]:
    """Yield the trees of the free genres of GUM as they are annotated.

    The documents of a part are in the order of docs.tsv.
    """
    folder = TREEBANKS / "english-gum"
    rows = [line.split("\t") for line in (folder / "docs.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    trees = iter(read_trees(folder / f"{part}.ptb"))
    for name, part_of_document, size in rows:
        if part_of_document != part:
            continue
        document = [next(trees) for _ in range(int(size))]
        if name.split("_")[1] in FREE_GENRES:
            yield from document
    assert next(trees, None) is None, "docs.tsv and the treebank differ"


def craft(part: str) -> Iterator[Tree]:
    """Yield the trees of CRAFT as they are annotated."""
    return iter(read_trees(TREEBANKS / "english-craft" / f"{part}.ptb"))


def everyday(part: str) -> Iterator[Tree]:
    """Yield the trees of our own treebank of everyday English."""
    return iter(read_trees(EVERYDAY / f"{part}.ptb"))


def out_of_domain() -> Iterator[tuple[str, list[Tree]]]:
    """Yield treebanks that are for measuring only, as they are annotated; never train on them."""
    genres = {path.stem: list(map(plain, read_trees(path))) for path in MCTB.glob("*.ptb")}
    for genre in sorted(genres):
        yield f"english-mctb, {genre}", genres[genre]
    yield "english-mctb", [tree for trees in genres.values() for tree in trees]
    files = sorted((TREEBANKS / "english-handparsed").glob("*.mrg"))
    yield "english-handparsed", [plain(tree) for path in files for tree in read_trees(path)]


def adapted(tree: Tree) -> Tree:
    """Return the tree in the form and the annotation that the model is trained on."""
    return to_penn(plain(tree))


def plain(tree: Tree) -> Tree:
    """Return the tree without traces and functions, with the wrapper of the model."""
    return set_wrapper(strip_functions(strip_indices(strip_traces(tree))), WRAPPER)


def encoder_licence(encoder: str) -> str:
    """Return what the licence of a model says of its encoder; stop if that is not known."""
    if not encoder.startswith(PRETRAINED_PREFIX):
        return ""
    name = Path(encoder.removeprefix(PRETRAINED_PREFIX)).name
    if name not in ENCODER_LICENCES:
        sys.exit(
            f"{encoder}: no licence is known; fetch one of {', '.join(ENCODER_LICENCES)} with "
            "tools/get_encoders.py into a folder of that name, or add it to ENCODER_LICENCES"
        )
    return f"; encoder {ENCODER_LICENCES[name]}"


class PrintingListener(NullListener):
    """Prints the reports of a training."""

    def say(self, text: str) -> None:
        """Print a message."""
        print(text, flush=True)

    def stage(self, name: str) -> None:
        """Print the name of the stage that begins."""
        print(f"training: {name}", flush=True)

    def epoch(self, record: dict[str, Any]) -> None:
        """Print the figures of an epoch."""
        print(record, flush=True)


def training(given: argparse.Namespace) -> tuple[Treebank, TrainOptions]:
    """Return the training trees and the options of a model."""
    parts = [
        tuple(map(adapted, islice(trees, given.sentences))) for trees in (free_gum("train"), craft("train"))
    ]
    if given.everyday:
        parts.append(tuple(everyday("train")))
    options = TrainOptions(heads="collins", licence=LICENCE, epochs=given.epochs, threads=given.threads)
    if given.kind == "fast":  # the linear parser takes no weights
        copies = [*parts[:2], *parts[2:] * round(given.everyday)]
        train = Treebank(tuple(chain(*copies)), NAMES[: len(parts)])
        return train, replace(options, order=given.order, shrink=given.shrink)
    weights = (*WEIGHTS, given.everyday)[: len(parts)]
    sources = tuple(SourceWeight(len(trees), weight) for trees, weight in zip(parts, weights, strict=True))
    train = Treebank(tuple(chain(*parts)), NAMES[: len(parts)])
    licence = LICENCE + encoder_licence(given.encoder)
    options = replace(options, parser="neural", encoder=given.encoder, licence=licence)
    return replace(train, sources=sources, alike=True), options


def main() -> None:
    """Train a model, or read one, and score it in and out of domain."""
    arguments = command_line(__doc__)
    kinds = arguments.add_subparsers(dest="kind", required=True)
    accurate = kinds.add_parser("english")
    accurate.add_argument("encoder")
    accurate.add_argument("--epochs", type=int, default=10)
    fast = kinds.add_parser("fast")
    fast.add_argument("--order", default="standard")
    fast.add_argument("--shrink", type=int, default=2)
    fast.add_argument("--epochs", type=int, default=3)
    for kind in (accurate, fast):
        kind.add_argument("-o", "--output", type=Path, required=True)
        kind.add_argument("--threads", type=int, default=2)
        kind.add_argument("--resume", action="store_true")
        kind.add_argument(
            "--everyday",
            type=float,
            default=EVERYDAY_WEIGHT,
            help="weight of the treebank of everyday English (fast: number of copies); 0 leaves it out",
        )
        kind.add_argument("--sentences", type=int, help="trial run: the first N training trees of a treebank")
    kinds.add_parser("score").add_argument("model", help="a bundled model or a file")
    given = arguments.parse_args()
    if given.kind == "score":
        print_scores(load(given.model))
        return
    gum, of_craft = list(map(adapted, free_gum("dev"))), list(map(adapted, craft("dev")))
    train, options = training(given)
    dev = Treebank((*gum, *of_craft[: len(gum)]), NAMES[:2])
    parser = train_parser(
        train, dev, options, output=given.output, resume=given.resume, listener=PrintingListener()
    )
    print(f"{given.output}: {given.output.stat().st_size / 1e6:.2f} MB")
    print_scores(parser)


def print_scores(parser: Parser) -> None:
    """Print the F1 of a parser in and out of domain."""
    all_of_gum = [adapted(tree) for tree in read_trees(TREEBANKS / "english-gum" / "dev.ptb")]
    in_domain = [("english-gum dev", all_of_gum), ("english-craft dev", list(map(adapted, craft("dev"))))]
    for name, gold in [*in_domain, ("everyday dev", list(everyday("dev"))), *out_of_domain()]:
        found = list(parser.parse_many(untagged(gold)))
        ours, evalb = (score_trees(gold, found, scheme) for scheme in (scheme_of(parser), "evalb"))
        print(f"F1 on {name} {with_evalb(ours, evalb)}", flush=True)


if __name__ == "__main__":
    main()
