"""Rebuild the English models that come with the package: the accurate one, the fast one, the light one.

    python benchmarks/bundled_model.py english hf:encoders/minilm -o english.model
    python benchmarks/bundled_model.py fast --teacher english --text text.tokens -o fast.model
    python benchmarks/bundled_model.py light -o light.model
    python benchmarks/bundled_model.py score english
    python benchmarks/bundled_model.py score dutch

The model files belong in src/spindle/models/data. Each model is trained on english-craft and on the genres of
english-gum whose texts are free for any use, so that the model is free for any use, too. The trees of both
are brought to one annotation by `to_penn`; our own sentences of everyday English (treebanks/everyday) are
added. `fast` is a student: its teacher parses raw text for it, which tools/teaching_text.py makes. The best
epoch is chosen on the same genres of the development part of GUM and on as many sentences from that of CRAFT.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from measuring import (
    TREEBANKS,
    command_line,
    dev_trees,
    scheme_of,
    score_trees,
    timed,
    untagged,
    with_evalb,
)
from spindle import load
from spindle.parsers.neural.options import PRETRAINED_PREFIX
from spindle.pipeline import Parser
from spindle.training import SourceWeight, TrainOptions, Treebank, train_parser
from spindle.training.distillation import DistillOptions, RawText, distill_parser
from spindle.training.listener import NullListener
from spindle.treebanks import read_trees
from spindle.treebanks.transforms import set_wrapper, strip_functions, strip_indices, strip_traces
from spindle.treebanks.transforms.penn import to_penn
from spindle.treebanks.transforms.punctuation import drop_final_marks
from spindle.trees import Tree

FREE_GENRES = ("academic", "bio", "court", "interview", "news", "voyage")
WRAPPER = "ROOT"
MCTB = TREEBANKS / "english-mctb"
LICENCE = (
    "CC BY: CRAFT (Verspoor et al. 2012, CC BY 3.0) and GUM (Zeldes 2017, annotations CC BY 4.0; "
    f"genres {', '.join(FREE_GENRES)}); everyday sentences of the project (MIT)"
)
TEXTS = "MASC (Ide et al. 2010), Tatoeba (CC BY 2.0), and works in the public domain"
"""The raw text that the teacher of `fast` parses."""
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
CASUAL_WEIGHTS = (0.4, 2.0)
"""Those of casual copies of trees of GUM and of our own; see `casual`."""
LOWERED = 3
"""Every third casual copy is without capitals, too."""
TEXT_WEIGHT = 0.3
"""How often the student samples a sentence of raw text."""
OTHER_LANGUAGES = {
    "dutch": "dutch-alpino",
    "french": "french-sequoia",
    "icelandic": "icelandic-modern",
    "indonesian": "indonesian-icon",
}
"""The treebanks whose development parts the models of other languages are scored on."""
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


def casual(trees: Iterable[Tree]) -> tuple[Tree, ...]:
    """Return copies of trees as they would be written in a hurry: without the mark that ends the sentence,
    and some without capitals. Without that mark a sentence of one verb phrase has a unary node.
    """
    copies = []
    for tree in trees:
        copy = drop_final_marks(tree)
        if copy is tree:
            continue
        if len(copies) % LOWERED == 0:
            tokens = tuple(token._replace(form=token.form.lower()) for token in copy.tokens)
            copy = copy.replace(tokens=tokens)
        copies.append(copy)
    return tuple(copies)


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


def training_trees(given: argparse.Namespace) -> Treebank:
    """Return the training trees of a model with their weights."""
    parts = [
        tuple(map(adapted, islice(trees, given.sentences))) for trees in (free_gum("train"), craft("train"))
    ]
    if given.everyday:
        parts.append(tuple(everyday("train")))
    weights = [*WEIGHTS, given.everyday][: len(parts)]
    if given.casual:
        parts += [casual(parts[0]), *map(casual, parts[2:])]
        weights += [weight * given.casual for weight in CASUAL_WEIGHTS[: len(parts) - len(weights)]]
    if given.kind == "light":  # which cannot weight trees
        weights = [1.0] * len(parts)
    sources = tuple(SourceWeight(len(trees), weight) for trees, weight in zip(parts, weights, strict=True))
    return Treebank(tuple(chain(*parts)), NAMES[: 3 if given.everyday else 2], sources, alike=True)


def train_on_trees(given: argparse.Namespace, dev: Treebank, options: TrainOptions) -> Parser:
    """Train a model on gold trees."""
    return train_parser(
        training_trees(given),
        dev,
        options,
        output=given.output,
        resume=given.resume,
        listener=PrintingListener(),
    )


def train_accurate(given: argparse.Namespace, dev: Treebank) -> Parser:
    """Train a model with a pretrained encoder."""
    options = TrainOptions(
        parser="neural",
        heads="collins",
        encoder=given.encoder,
        epochs=given.epochs,
        threads=given.threads,
        licence=LICENCE + encoder_licence(given.encoder),
    )
    return train_on_trees(given, dev, options)


def train_light(given: argparse.Namespace, dev: Treebank) -> Parser:
    """Train a linear model with small tables."""
    options = TrainOptions(
        parser="linear",
        order="standard",
        encoding="delta",
        heads="collins",
        epochs=given.epochs,
        shrink=given.shrink,
        threads=given.threads,
        seed=given.seed,
        licence=LICENCE,
    )
    return train_on_trees(given, dev, options)


def train_student(given: argparse.Namespace, dev: Treebank) -> Parser:
    """Train a model without a pretrained encoder on the predictions of a larger one."""
    teacher = load(given.teacher)
    sentences = (line.split() for line in given.text.read_text(encoding="utf-8").splitlines())
    text = RawText.collect(sentences, (given.text.name,), splitter=teacher.splitter, limit=given.sentences)
    options = DistillOptions(
        encoder=given.encoder,
        epochs=given.epochs,
        threads=given.threads,
        parser_options={"dropout": given.dropout},
        text_weight=TEXT_WEIGHT,
        licence=f"{LICENCE}; teacher with an encoder {ENCODER_LICENCES['opus-en-fr']}; raw text: {TEXTS}",
    )
    return distill_parser(
        teacher,
        given.teacher,
        text,
        training_trees(given),
        dev,
        options,
        output=given.output,
        resume=given.resume,
        listener=PrintingListener(),
    )


def main() -> None:
    """Train a model, or read one, and score it in and out of domain."""
    arguments = command_line(__doc__)
    kinds = arguments.add_subparsers(dest="kind", required=True)
    accurate = kinds.add_parser("english")
    accurate.add_argument("encoder")
    accurate.add_argument("--epochs", type=int, default=10)
    fast = kinds.add_parser("fast")
    fast.add_argument("--teacher", default="english", help="a bundled model or a file")
    fast.add_argument("--text", type=Path, required=True, help="sentences, words between blanks")
    fast.add_argument("--encoder", default="bilstm")
    fast.add_argument("--epochs", type=int, default=12)
    fast.add_argument("--dropout", type=float, default=0.2)
    light = kinds.add_parser("light")
    light.add_argument("--epochs", type=int, default=3)
    light.add_argument("--shrink", type=int, default=2, help="halve every table of weights so often")
    light.add_argument("--seed", type=int, default=1)
    for kind in (accurate, fast, light):
        kind.add_argument("-o", "--output", type=Path, required=True)
        kind.add_argument("--threads", type=int, default=2)
        kind.add_argument("--resume", action="store_true")
        kind.add_argument(
            "--everyday",
            type=float,
            default=EVERYDAY_WEIGHT,
            help="weight of the treebank of everyday English; 0 leaves it out",
        )
        kind.add_argument(
            "--casual", type=float, default=1.0, help="how often casual copies are sampled; 0 leaves them out"
        )
        kind.add_argument(
            "--sentences", type=int, help="trial run: the first N trees of a treebank, and of the text"
        )
    kinds.add_parser("score").add_argument("model", help="a bundled model or a file")
    given = arguments.parse_args()
    if given.kind == "score":
        treebank = OTHER_LANGUAGES.get(Path(given.model).stem)
        if treebank is None:
            print_scores(load(given.model))
        else:
            print_score(load(given.model), treebank)
        return
    gum, of_craft = list(map(adapted, free_gum("dev"))), list(map(adapted, craft("dev")))
    dev = Treebank((*gum, *of_craft[: len(gum)]), NAMES[:2])
    train = {"english": train_accurate, "fast": train_student, "light": train_light}[given.kind]
    parser = train(given, dev)
    print(f"{given.output}: {given.output.stat().st_size / 1e6:.2f} MB")
    print_scores(parser)


def print_score(parser: Parser, treebank: str) -> None:
    """Print the F1 of a parser on the development part of its treebank, and its speed."""
    gold = dev_trees(parser, treebank)
    sentences = untagged(gold)
    parsing = timed(lambda: list(parser.parse_many(sentences, threads=1)), 2)
    ours, evalb = (score_trees(gold, parsing.result, scheme) for scheme in (scheme_of(parser), "evalb"))
    gaps = "" if ours.disc_f1 is None else f", Disc-F1 {ours.disc_f1:.2f}"
    speed = sum(len(sentence.tokens) for sentence in sentences) / parsing.cpu
    print(f"F1 on {treebank} dev {with_evalb(ours, evalb)}{gaps}")
    print(f"tags {ours.tags or 0:.2f}; {speed:,.0f} tokens / CPU s; {ours.signature}")


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
