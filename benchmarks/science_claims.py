"""The claims of science.py: what each one compares, and what decides it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from science_lab import Lab, Run, Setup
from spindle.parsers import find_parser
from spindle.reduction import Encoding, Mode
from table1 import installed_parsers, is_possible

ORDERS = ("basic", "standard", "full")
ENCODINGS = (Encoding.HN, Encoding.DIRECT, Encoding.DELTA)


class Comparison(NamedTuple):
    """Two setups on one treebank; the claim says that the second one is better."""

    first: Setup
    second: Setup
    figure: str = "f1"


@dataclass(frozen=True)
class Scale:
    """How much is trained: `epochs` of neural models (0: their default), sizes of learning curves."""

    epochs: int = 0
    hidden: int = 0
    curve: tuple[int, ...] = (100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800)
    encoder: str = ""
    peers: tuple[tuple[str, str], ...] = ()
    """Constituent parsers of other people: their names and their commands."""
    sentences_for_student: int = 500
    epochs_of_others: int = 0
    """Those of the parsers of other people; 0 is what each of them recommends."""

    def neural(self, treebank: str, **more: object) -> Setup:
        """Return a small neural setup."""
        options = (("hidden", str(self.hidden)),) if self.hidden else ()
        given = {"encoder": "bilstm", "epochs": self.epochs, "options": options, **more}
        return Setup(treebank, "neural", **given)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Claim:
    """A claim; `compared` yields its comparisons, `described` other setups that its tables show.

    `decide` returns the verdict of a claim that no comparison decides, from its runs: whether it holds, and
    the sentence that says why. `criterion` is the rule in words.
    """

    name: str
    statement: str
    criterion: str
    compared: Callable[[Lab, str, Scale], Iterator[Comparison]] = lambda lab, treebank, scale: iter(())
    described: Callable[[Lab, str, Scale], Iterator[Setup]] = lambda lab, treebank, scale: iter(())
    decide: Callable[[Sequence[Run]], tuple[bool | None, str]] | None = None


# ── what is compared ─────────────────────────────────────────────────────────────────────────────────


def linear(treebank: str, order: str = "full", **more: object) -> Setup:
    """Return a setup of the linear parser."""
    return Setup(treebank, "linear", order, **more)  # type: ignore[arg-type]


def encodings(lab: Lab, treebank: str, scale: Scale) -> Iterator[Comparison]:
    """Compare H&N with direct, and direct with delta, in both engines."""
    for base in (linear(treebank), scale.neural(treebank)):
        hn, direct, delta = (replace(base, encoding=str(one)) for one in ENCODINGS)
        yield Comparison(hn, direct)
        yield Comparison(direct, delta)


def stages(lab: Lab, treebank: str, scale: Scale) -> Iterator[Comparison]:
    """Compare one stage with two, for every parser that can have both."""
    yield Comparison(linear(treebank, one_shot=True), linear(treebank, one_shot=False))
    for parser in outside_parsers():
        if all(is_possible(parser, one_shot) for one_shot in (True, False)):
            one, two = (other(treebank, parser, one_shot, scale) for one_shot in (True, False))
            yield Comparison(one, two)


def other(treebank: str, parser: str, one_shot: bool, scale: Scale) -> Setup:
    """Return a setup of a parser of other people, some of which cannot be told a number of epochs."""
    has_epochs = any(option.name == "epochs" for option in find_parser(parser).Options.describe())
    return Setup(treebank, parser, epochs=scale.epochs_of_others if has_epochs else 0, one_shot=one_shot)


def outside_parsers() -> list[str]:
    """Return the installed parsers of other people."""
    return [name for name in installed_parsers() if name not in ("linear", "neural")]


def any_parser(lab: Lab, treebank: str, scale: Scale) -> Iterator[Setup]:
    """Yield every installed parser, in one stage and with our labeler."""
    yield linear(treebank, "basic")
    for parser in outside_parsers():
        for one_shot in (True, False):
            if is_possible(parser, one_shot):
                yield other(treebank, parser, one_shot, scale)


def orders(lab: Lab, treebank: str, scale: Scale) -> Iterator[Comparison]:
    """Compare every order with the next."""
    for lower, higher in pairwise(ORDERS):
        yield Comparison(linear(treebank, lower), linear(treebank, higher))


def crossings(lab: Lab, treebank: str, scale: Scale) -> Iterator[Comparison]:
    """Compare projective trees with crossing ones, where the treebank has them."""
    if lab.is_discontinuous(treebank):
        flat, crossing = (linear(treebank, mode=str(mode)) for mode in (Mode.CONTINUOUS, Mode.DISCONTINUOUS))
        flat = replace(flat, encoding=str(Encoding.DIRECT))
        crossing = replace(crossing, encoding=str(Encoding.DIRECT))
        yield Comparison(flat, crossing)
        yield Comparison(flat, crossing, "disc_f1")


def head_rules(lab: Lab, treebank: str, scale: Scale) -> Iterator[Comparison]:
    """Compare the outermost child with the rules that are guessed."""
    for heads in ("leftmost", "rightmost"):
        yield Comparison(linear(treebank, heads=heads), linear(treebank))


def grammars(lab: Lab, treebank: str, scale: Scale) -> Iterator[Comparison]:
    """Compare programs of other people with the reduction, on continuous treebanks."""
    if not lab.is_discontinuous(treebank):
        for name, command in scale.peers:
            yield Comparison(Setup(treebank, name, command=command), linear(treebank))


def beyond(lab: Lab, treebank: str, scale: Scale) -> Iterator[Comparison]:
    """Compare what the paper could not: networks, constituents that score, ensembles, teaching."""
    network = scale.neural(treebank)
    yield Comparison(linear(treebank), network)
    without = replace(network, options=(*network.options, ("constituents", "off")))
    yield Comparison(without, network)
    yield Comparison(linear(treebank), linear(treebank, members=3))
    if scale.encoder:
        yield Comparison(network, scale.neural(treebank, encoder=scale.encoder, options=()))
    few = min(scale.sentences_for_student, len(lab.trees(treebank, "train")) // 2)
    alone = replace(network, sentences=few)
    yield Comparison(alone, replace(alone, teacher=alone))


def curves(lab: Lab, treebank: str, scale: Scale) -> Iterator[Setup]:
    """Yield learning curves of both engines."""
    size = len(lab.trees(treebank, "train"))
    for sentences in (*(one for one in scale.curve if one < size), 0):
        yield linear(treebank, "standard", sentences=sentences)
        yield scale.neural(treebank, sentences=sentences)


def domains(lab: Lab, treebank: str, scale: Scale) -> Iterator[Setup]:
    """Yield models of english-gum and english-craft on each other's development part."""
    english = ("english-gum", "english-craft")
    if treebank in english and all(name in lab.names() for name in english):
        for test in english:
            yield linear(treebank, "standard", test=test if test != treebank else "")
            yield scale.neural(treebank, test=test if test != treebank else "")


def both_engines(lab: Lab, treebank: str, scale: Scale) -> Iterator[Setup]:
    """Yield the usual setups."""
    yield linear(treebank)
    yield scale.neural(treebank)


# ── what decides a claim that no comparison decides ──────────────────────────────────────────────────

RARE_REPAIRS = 0.03
"""The share of words up to which repairs are rare."""
SMALL_SHARE = 0.35
"""The share of the time that labeler and unaries may take together."""
SAME_COST = 1.5
"""How many times the cost of a word may grow from the middle length to the longest."""
EASY = 97.0
"""The F1 of all nodes, given the unaryless tree, from which unary nodes are easy."""
WORKS = 0.85
"""A parser works as a constituent parser with this share of the F1 of our own parser of order basic."""
LATE_STAGES = ("labeler", "unaries")


def repairs_are_rare(runs: Sequence[Run]) -> tuple[bool | None, str]:
    """Decide by the share of repaired words."""
    shares = [run.facts["repairs"].get("any", 0) / run.facts["words"] for run in runs]
    if not shares:
        return None, "no run"
    worst = max(shares)
    return worst <= RARE_REPAIRS, f"at most {100 * worst:.2f} % of the words of a run are repaired"


def time_is_linear(runs: Sequence[Run]) -> tuple[bool | None, str]:
    """Decide by the time of labeler and unary classifier: its share, and its growth with the length."""
    shares, growths = [], []
    for run in runs:
        seconds = run.facts.get("seconds", {})
        if any(seconds.get(step) for step in LATE_STAGES):
            shares.append(sum(seconds.get(step, 0.0) for step in LATE_STAGES) / sum(seconds.values()))
        costs = [
            sum(of_steps.get(step, 0.0) for step in LATE_STAGES)
            for of_steps in run.facts.get("lengths", {}).values()
        ]
        if costs and costs[len(costs) // 2]:
            growths.append(costs[-1] / costs[len(costs) // 2])
    if not shares or not growths:
        return None, "no run with a separate labeler"
    why = (
        f"labeler and unaries take at most {100 * max(shares):.0f} % of the time of a run, and a word in a "
        f"sentence of the longest kind at most {max(growths):.2f} times as long as in one of middle length"
    )
    return max(shares) <= SMALL_SHARE and max(growths) <= SAME_COST, why


def unaries_are_easy(runs: Sequence[Run]) -> tuple[bool | None, str]:
    """Decide by the F1 of all nodes when the gold unaryless tree is given."""
    found = [run for run in runs if run.facts.get("unaries")]
    if not found:
        return None, "no treebank has unary nodes"
    worst = min(found, key=lambda run: run.facts["unaries"]["f1"])
    f1 = worst.facts["unaries"]["f1"]
    return f1 >= EASY, f"lowest F1 of all nodes, given the unaryless trees: {f1:.2f} ({worst.setup.treebank})"


def others_work(runs: Sequence[Run]) -> tuple[bool | None, str]:
    """Decide by the F1 of each outside parser, relative to ours of order basic on the same treebank."""
    ours: dict[str, list[float]] = {}
    for run in runs:
        if run.setup.parser == "linear" and run.score is not None:
            ours.setdefault(run.setup.treebank, []).append(run.score.f1 or 0.0)
    shares = []
    for run in runs:
        if run.setup.parser != "linear":
            base = ours.get(run.setup.treebank)
            found = 0.0 if run.score is None else run.score.f1 or 0.0
            if base:
                shares.append((found / (sum(base) / len(base)), run))
    if not shares:
        return None, "no parser of other people is installed"
    share, run = min(shares, key=lambda one: one[0])
    worst = f"{run.setup.name} on {run.setup.treebank} has {100 * share:.0f} % of our F1"
    return share >= WORKS, f"of {len(shares)} runs the weakest, {worst}"


CLAIMS = (
    Claim(
        "encodings", "delta ≥ direct > H&N", "the second encoding has the higher F1", encodings, both_engines
    ),
    Claim("stages", "two stages > one", "with the separate labeler F1 is higher", stages),
    Claim(
        "parsers",
        "any off-the-shelf dependency parser works",
        f"every installed parser has at least {100 * WORKS:.0f} % of the F1 of our order basic",
        described=any_parser,
        decide=others_work,
    ),
    Claim("orders", "higher order > first order", "the higher order has the higher F1", orders),
    Claim(
        "crossings",
        "crossing branches come for free",
        "F1 and Disc-F1 are higher with crossing arcs",
        crossings,
    ),
    Claim(
        "unaries",
        "unary nodes are easy",
        f"given the unaryless trees, F1 of all nodes is at least {EASY:.0f}",
        described=lambda lab, treebank, scale: iter((linear(treebank),)),
        decide=unaries_are_easy,
    ),
    Claim(
        "repairs",
        "repairs are rare",
        f"at most {100 * RARE_REPAIRS:.0f} % of the words are repaired",
        described=both_engines,
        decide=repairs_are_rare,
    ),
    Claim(
        "time",
        "labeler and unaries take a small share of the time, linear in the length",
        f"at most {100 * SMALL_SHARE:.0f} % of the time of order full; a word of the longest sentences takes "
        f"at most {SAME_COST} times as long as one of middle length",
        described=lambda lab, treebank, scale: iter((linear(treebank),)),
        decide=time_is_linear,
    ),
    Claim(
        "heads", "head rules matter", "F1 is higher with a table than with the outermost child", head_rules
    ),
    Claim(
        "grammars", "on par with grammars, and faster", "F1 of the reduction is at least as high", grammars
    ),
    Claim(
        "beyond",
        "what came after: networks, scores of constituents, ensembles, teaching",
        "the second has the higher F1",
        beyond,
    ),
    Claim("curves", "learning curves of both engines", "described, not decided", described=curves),
    Claim(
        "domains", "out of domain: english-gum and english-craft", "described, not decided", described=domains
    ),
)
