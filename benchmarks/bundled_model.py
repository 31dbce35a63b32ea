"""Rebuilds the models that come with the package: the accurate one and the fast one.

    python benchmarks/bundled_model.py english hf:FOLDER-OF-ALL-MINILM-L6-V2 -o english.model
    python benchmarks/bundled_model.py fast -o fast.model

They belong into src/spindle/models/data. Each is trained on english-craft and on those genres of english-gum
whose texts are free for any use, so that anybody may use it for anything. The guidelines of CRAFT are brought
closer to those of GUM: nodes that only CRAFT has (NML, CIT, and TITLE, HEADING or CAPTION on top) are taken
out, their children stay. The epoch is chosen on the same genres of the development part of GUM and as many
sentences of CRAFT's.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from measuring import TREEBANKS
from spindle.evaluation import evaluate
from spindle.pipeline import Parser, Sentence
from spindle.training import SourceWeight, TrainOptions, Treebank, train_parser
from spindle.training.listener import NullListener
from spindle.treebanks import read_trees
from spindle.treebanks.transforms import set_wrapper, strip_functions, strip_indices, strip_traces
from spindle.treebanks.transforms.draft import Draft
from spindle.trees import Tree

FREE_GENRES = ("academic", "bio", "court", "interview", "news", "voyage")
ONLY_IN_CRAFT = {"NML", "CIT", "TITLE", "HEADING", "CAPTION"}
WRAPPER = "ROOT"
LICENCE = (
    "CC BY: CRAFT (Verspoor et al. 2012, CC BY 3.0) and GUM (Zeldes 2017, annotations CC BY 4.0; "
    f"genres {', '.join(FREE_GENRES)})"
)
ENCODER_LICENCE = "; encoder all-MiniLM-L6-v2 (Apache 2.0)"
WEIGHTS = (2.0, 0.3)
"""How often the accurate model sees a tree of GUM and one of CRAFT, which has six times as many words."""


def free_gum(part: str) -> Iterator[Tree]:
    """The trees of the free genres; documents follow each other as docs.tsv lists them."""
    folder = TREEBANKS / "english-gum"
    rows = [line.split("\t") for line in (folder / "docs.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    trees = iter(read_trees(folder / f"{part}.ptb"))
    for name, its_part, size in rows:
        if its_part != part:
            continue
        document = [next(trees) for _ in range(int(size))]
        if name.split("_")[1] in FREE_GENRES:
            yield from map(plain, document)
    assert next(trees, None) is None, "docs.tsv and the treebank differ"


def craft(part: str) -> Iterator[Tree]:
    """The trees of CRAFT in the manner of GUM."""
    for tree in read_trees(TREEBANKS / "english-craft" / f"{part}.ptb"):
        draft = Draft(plain(tree))
        spliced = [label in ONLY_IN_CRAFT for label in draft.labels]
        # a node comes after its parent, so where a spliced parent hung is known when its child is reached
        for node, parent in enumerate(draft.parents):
            if parent >= 0 and spliced[parent]:
                draft.parents[node] = draft.parents[parent]
        draft.leaf_parents = [draft.parents[at] if spliced[at] else at for at in draft.leaf_parents]
        yield draft.build()


def plain(tree: Tree) -> Tree:
    """The tree as the model learns it."""
    return set_wrapper(strip_functions(strip_indices(strip_traces(tree))), WRAPPER)


class Told(NullListener):
    """Prints what a training says."""

    def say(self, text: str) -> None:
        """A choice that was made."""
        print(text, flush=True)

    def stage(self, name: str) -> None:
        """A stage begins."""
        print(f"training: {name}", flush=True)

    def epoch(self, record: dict[str, Any]) -> None:
        """An epoch is done."""
        print(record, flush=True)


def score(parser: Parser, gold: list[Tree]) -> float:
    """F1 on trees, from their words alone."""
    sentences = [Sentence.of(tree).without_tags() for tree in gold]
    parsed = [tree for tree in parser.parse_many(sentences) if tree is not None]
    return evaluate(gold, parsed, "evalb").f1 or 0.0


def main() -> None:
    """Train, and score on both treebanks."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
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
    given = arguments.parse_args()
    gum, of_craft = list(free_gum("dev")), list(craft("dev"))
    parts = tuple(free_gum("train")), tuple(craft("train"))
    names = ("english-gum (free genres)", "english-craft")
    dev = Treebank((*gum, *of_craft[: len(gum)]), names)
    options = TrainOptions(heads="collins", licence=LICENCE, epochs=given.epochs, threads=given.threads)
    train = Treebank((*parts[0], *parts[1]), names)
    if given.kind == "english":
        sources = tuple(
            SourceWeight(len(trees), weight) for trees, weight in zip(parts, WEIGHTS, strict=True)
        )
        train = replace(train, sources=sources, alike=True)
        licence = LICENCE + ENCODER_LICENCE
        options = replace(options, parser="neural", encoder=given.encoder, licence=licence)
    else:
        options = replace(options, order=given.order, shrink=given.shrink)
    parser = train_parser(train, dev, options, output=given.output, resume=given.resume, listener=Told())
    whole_gum = [plain(tree) for tree in read_trees(TREEBANKS / "english-gum" / "dev.ptb")]
    print(f"{given.output}: {given.output.stat().st_size / 1e6:.2f} MB")
    print(f"F1 on english-gum dev {score(parser, whole_gum):.2f}")
    print(f"F1 on english-craft dev {score(parser, of_craft):.2f}")


if __name__ == "__main__":
    main()
