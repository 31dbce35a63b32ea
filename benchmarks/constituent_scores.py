"""Do scores of constituents pay in the choice among candidate trees?

    python benchmarks/constituent_scores.py english --seed 1
    python benchmarks/constituent_scores.py english --seed 1 --constituents off
    python benchmarks/constituent_scores.py dutch --seed 1

A small neural parser is trained, `english` on sentences of english-gum (free genres) and english-craft,
`dutch` on dutch-alpino (discontinuous). It is scored on samples of the development parts, and `english` on a
sample of english-mctb, which is never trained on: as it is, with larger margins between the arc scores of
candidates and of the best tree, and without the scores of constituents that it was trained with.
"""

from __future__ import annotations

import time
from argparse import Namespace
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from bundled_model import PrintingListener, adapted, craft, free_gum, out_of_domain
from measuring import command_line, part_trees, scheme_of, score_trees, untagged
from spindle.models import ModelPart
from spindle.parsers import Backend
from spindle.parsers.neural import NeuralParser, parser
from spindle.parsers.neural.runtime import CONSTITUENTS
from spindle.pipeline import Parser
from spindle.reduction import Mode
from spindle.training import TrainOptions, Treebank, train_parser
from spindle.trees import Tree

EVERY = {"gum": 3, "craft": 6, "gum dev": 2, "craft dev": 5, "english-mctb": 5}
"""Every how many trees of a treebank one is taken."""
MARGINS = (4.0, 8.0)


def sample(trees: list[Tree], name: str, size: int | None = None) -> list[Tree]:
    """Return every n-th tree, at most `size`."""
    return trees[:: EVERY[name]][:size]


def english(sentences: int) -> tuple[list[Tree], dict[str, list[Tree]]]:
    """Return training trees of both treebanks, and test sets."""
    gum, of_craft = (list(map(adapted, trees)) for trees in (free_gum("train"), craft("train")))
    tests = {
        "gum dev": sample(list(map(adapted, free_gum("dev"))), "gum dev", 350),
        "craft dev": sample(list(map(adapted, craft("dev"))), "craft dev", 450),
        "english-mctb": sample(dict(out_of_domain())["english-mctb"], "english-mctb"),
    }
    return [*sample(gum, "gum", sentences), *sample(of_craft, "craft", sentences)], tests


def dutch(sentences: int) -> tuple[list[Tree], dict[str, list[Tree]]]:
    """Return training trees of dutch-alpino, and its test set."""
    train, dev = part_trees("dutch-alpino", "train"), part_trees("dutch-alpino", "dev")
    return list(islice(train, 2 * sentences)), {"dutch-alpino dev": list(islice(dev, 800))}


def report(what: str, trained: Parser, tests: dict[str, list[Tree]]) -> None:
    """Print the scores of a parser on every test set."""
    for name, gold in tests.items():
        start = time.process_time()
        found = list(trained.parse_many(untagged(gold)))
        seconds = time.process_time() - start
        score = score_trees(gold, found, scheme_of(trained))
        gaps = "" if score.disc_f1 is None else f", Disc-F1 {score.disc_f1:.2f}"
        print(f"{what}: {name} F1 {score.f1 or 0:.2f}{gaps}, {seconds:.1f} CPU s", flush=True)


def measure(given: Namespace) -> None:
    """Train one parser and print its scores."""
    train, tests = (english if given.language == "english" else dutch)(given.sentences)
    dev = [tree for name, trees in tests.items() if name != "english-mctb" for tree in trees[:150]]
    options = TrainOptions(
        parser="neural",
        encoder=given.encoder,
        epochs=given.epochs,
        heads="collins" if given.language == "english" else None,
        encoding=None if given.language == "english" else "direct",  # type: ignore[arg-type]
        parser_options={"constituents": given.constituents},
        seed=given.seed,
        threads=1,
    )
    with TemporaryDirectory() as folder:
        listener = PrintingListener()
        output = Path(folder) / "model"
        trained = train_parser(
            Treebank(tuple(train)), Treebank(tuple(dev)), options, output=output, listener=listener
        )
    report("as trained", trained, tests)
    if given.constituents == "on":
        backend = without_constituents(trained.backend)
        report("the same without constituents", replace(trained, backend=backend), tests)
    for margin in MARGINS:
        parser.MARGINS = dict.fromkeys(Mode, margin)
        report(f"margin {margin}", trained, tests)


def without_constituents(trained: Backend) -> NeuralParser:
    """Return a parser that does not score constituents."""
    part = trained.to_part()
    arrays = {name: array for name, array in part.arrays.items() if name != CONSTITUENTS}
    return NeuralParser.from_part(ModelPart(part.settings, arrays))


def main() -> None:
    """Read the arguments and measure."""
    arguments = command_line(__doc__)
    arguments.add_argument("language", choices=["english", "dutch"])
    arguments.add_argument("--constituents", choices=["on", "off"], default="on")
    arguments.add_argument("--encoder", default="bilstm")
    arguments.add_argument("--sentences", type=int, default=1200, help="trees of each of two treebanks")
    arguments.add_argument("--epochs", type=int, default=5)
    arguments.add_argument("--seed", type=int, default=1)
    measure(arguments.parse_args())


if __name__ == "__main__":
    main()
