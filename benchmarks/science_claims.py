"""The claims of science.py: what the paper says, what is compared, and what decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from science_lab import Lab, Run
from science_setup import INDUCED, Setup
from spindle.parsers import find_parser
from spindle.reduction import Encoding, Mode
from table1 import installed_parsers, is_possible

ORDERS = ("basic", "standard", "full")


class Comparison(NamedTuple):
    """Two setups on one treebank; the claim says that the second one is better."""

    first: Setup
    second: Setup
    figure: str = "f1"


@dataclass(frozen=True)
class Scale:
    """How much is trained. `epochs` are those of networks, `epochs_of_others` those of other parsers; 0 is
    the default. Networks and the parsers of other people are trained on the treebanks `networks` and
    `others`."""

    seeds: tuple[int, ...] = (1, 2, 3)
    epochs: int = 0
    hidden: int = 0
    curve: tuple[int, ...] = (100, 300, 1_000, 3_000, 10_000)
    encoder: str = ""
    peers: tuple[tuple[str, str], ...] = ()
    """Constituent parsers of other people: their names and their commands."""
    sentences_for_student: int = 500
    epochs_of_others: int = 0
    options_of_others: tuple[tuple[str, str, str], ...] = ()
    networks: tuple[str, ...] | None = None
    others: tuple[str, ...] | None = None

    def neural(self, treebank: str, **more: object) -> Setup:
        """Return a small neural setup."""
        options = (("hidden", str(self.hidden)),) if self.hidden else ()
        given = {"encoder": "bilstm", "epochs": self.epochs, "options": options, **more}
        return Setup(treebank, "neural", **given)  # type: ignore[arg-type]

    def has_network(self, treebank: str) -> bool:
        """Return whether networks are trained on a treebank."""
        return self.networks is None or treebank in self.networks

    def other(self, treebank: str, parser: str, one_shot: bool) -> Setup:
        """Return a setup of a parser of other people, some of which cannot be told a number of epochs."""
        has_epochs = any(option.name == "epochs" for option in find_parser(parser).Options.describe())
        epochs = self.epochs_of_others if has_epochs else 0
        options = tuple((name, value) for of, name, value in self.options_of_others if of == parser)
        return Setup(treebank, parser, epochs=epochs, one_shot=one_shot, options=options)

    def other_parsers(self, treebank: str) -> list[str]:
        """Return the parsers of other people that are trained on a treebank."""
        if self.others is not None and treebank not in self.others:
            return []
        return [name for name in installed_parsers() if name not in ("linear", "neural")]


def _no_comparison(lab: Lab, treebank: str, scale: Scale) -> Iterator[Comparison]:
    return iter(())


Compared = Callable[[Lab, str, Scale], Iterator[Comparison]]
Described = Callable[[Lab, str, Scale], Iterator[Setup]]
Decide = Callable[[Sequence[Run]], tuple[bool | None, str]]


@dataclass(frozen=True)
class Claim:
    """A claim; `compared` yields its comparisons, `described` other setups that its table shows.

    `decide` returns the verdict of a claim that no comparison decides, from its runs: whether it holds, and
    the sentence that says why. With a `margin`, the claim is that the second setup is at most so much worse.
    `paper` is what the paper says, and where; `how` is what is compared here.
    """

    name: str
    statement: str
    paper: str
    how: str
    compared: Compared = _no_comparison
    described: Described = lambda lab, treebank, scale: iter(())
    decide: Decide | None = None
    margin: float | None = None
    columns: tuple[str, ...] = ("F1",)

    @property
    def only_describes(self) -> bool:
        """Whether nothing is decided."""
        return self.decide is None and self.compared is _no_comparison


# ── what is compared ─────────────────────────────────────────────────────────────────────────────────


def linear(treebank: str, order: str = "standard", **more: object) -> Setup:
    """Return a setup of the linear parser."""
    return Setup(treebank, "linear", order, **more)  # type: ignore[arg-type]


def bases(treebank: str, scale: Scale) -> Iterator[Setup]:
    """Yield the setups of both engines whose encoding is varied."""
    yield linear(treebank, "full")
    if scale.has_network(treebank):
        yield scale.neural(treebank)


def encoded(lab: Lab, setup: Setup, encoding: Encoding) -> Setup:
    """Return a setup with an encoding; the usual one is left open, so that its runs serve other claims."""
    usual = Encoding.DIRECT if lab.is_discontinuous(setup.treebank) else Encoding.DELTA
    return replace(setup, encoding="" if encoding is usual else str(encoding))


def direct_beats_hn(lab: Lab, treebank: str, scale: Scale) -> Iterator[Comparison]:
    """Compare H&N with direct, in both engines."""
    for base in bases(treebank, scale):
        yield Comparison(encoded(lab, base, Encoding.HN), encoded(lab, base, Encoding.DIRECT))


def delta_reaches_direct(lab: Lab, treebank: str, scale: Scale) -> Iterator[Comparison]:
    """Compare direct with delta, in both engines; the paper has delta for continuous treebanks only."""
    if not lab.is_discontinuous(treebank):
        for base in bases(treebank, scale):
            yield Comparison(encoded(lab, base, Encoding.DIRECT), encoded(lab, base, Encoding.DELTA))


def stages(lab: Lab, treebank: str, scale: Scale) -> Iterator[Comparison]:
    """Compare one stage with two, for every parser that can have both."""
    yield Comparison(linear(treebank, one_shot=True), linear(treebank))
    for parser in scale.other_parsers(treebank):
        if all(is_possible(parser, one_shot) for one_shot in (True, False)):
            yield Comparison(*(scale.other(treebank, parser, one_shot) for one_shot in (True, False)))


def any_parser(lab: Lab, treebank: str, scale: Scale) -> Iterator[Setup]:
    """Yield every installed parser, in one stage and with our labeler."""
    for at, parser in enumerate(scale.other_parsers(treebank)):
        if not at:
            yield linear(treebank, "basic")
        for one_shot in (True, False):
            if is_possible(parser, one_shot):
                yield scale.other(treebank, parser, one_shot)


def orders(lab: Lab, treebank: str, scale: Scale) -> Iterator[Comparison]:
    """Compare every order with the next."""
    for lower, higher in pairwise(ORDERS):
        yield Comparison(linear(treebank, lower), linear(treebank, higher))


def all_orders(lab: Lab, treebank: str, scale: Scale) -> Iterator[Setup]:
    """Yield all orders."""
    return (linear(treebank, order) for order in ORDERS)


def crossings(lab: Lab, treebank: str, scale: Scale) -> Iterator[Comparison]:
    """Compare projective trees with crossing ones, where the treebank has them."""
    if lab.is_discontinuous(treebank):
        flat = linear(treebank, mode=str(Mode.CONTINUOUS), encoding=str(Encoding.DIRECT))
        yield Comparison(flat, linear(treebank))
        yield Comparison(flat, linear(treebank), "disc_f1")


def head_rules(lab: Lab, treebank: str, scale: Scale) -> Iterator[Comparison]:
    """Compare the outermost child with the table that is guessed."""
    for heads in ("leftmost", "rightmost"):
        yield Comparison(linear(treebank, heads=heads), linear(treebank))


def induced_rules(lab: Lab, treebank: str, scale: Scale) -> Iterator[Comparison]:
    """Compare the table with rules that are learned from the dependencies of a treebank, if it has some."""
    if lab.has_dependencies(treebank):
        yield Comparison(linear(treebank), linear(treebank, heads=INDUCED))


def grammars(lab: Lab, treebank: str, scale: Scale) -> Iterator[Comparison]:
    """Compare programs of other people with the reduction, on continuous treebanks."""
    if not lab.is_discontinuous(treebank):
        for name, command in scale.peers:
            yield Comparison(Setup(treebank, name, command=command), linear(treebank, "full"))


def ensembles(lab: Lab, treebank: str, scale: Scale) -> Iterator[Comparison]:
    """Compare one linear model with an ensemble of all seeds."""
    if len(scale.seeds) > 1:
        yield Comparison(linear(treebank), linear(treebank, members=len(scale.seeds)))


def reranking(lab: Lab, treebank: str, scale: Scale) -> Iterator[Comparison]:
    """Compare a linear model with a reranked one."""
    yield Comparison(linear(treebank), linear(treebank, rerank=True))


def networks(lab: Lab, treebank: str, scale: Scale) -> Iterator[Comparison]:
    """Compare the linear engine with networks: constituents that score, encoders, teaching."""
    if not scale.has_network(treebank):
        return
    network = scale.neural(treebank)
    yield Comparison(linear(treebank, "full"), network)
    without = replace(network, options=(*network.options, ("constituents", "off")))
    yield Comparison(without, network)
    if scale.encoder:
        yield Comparison(network, scale.neural(treebank, encoder=scale.encoder, options=()))
    few = min(scale.sentences_for_student, len(lab.trees(treebank, "train")) // 2)
    alone = replace(network, sentences=few)
    yield Comparison(alone, replace(alone, teacher=alone))


def curves(lab: Lab, treebank: str, scale: Scale) -> Iterator[Setup]:
    """Yield learning curves of both engines."""
    size = len(lab.trees(treebank, "train"))
    for sentences in (*(one for one in scale.curve if one < size), 0):
        yield linear(treebank, sentences=sentences)
        if scale.has_network(treebank):
            yield scale.neural(treebank, sentences=sentences)


def domains(lab: Lab, treebank: str, scale: Scale) -> Iterator[Setup]:
    """Yield models of english-gum and english-craft on each other's development part."""
    english = ("english-gum", "english-craft")
    if treebank in english and all(name in lab.names() for name in english):
        for test in english:
            yield linear(treebank, test=test if test != treebank else "")
            if scale.has_network(treebank):
                yield scale.neural(treebank, test=test if test != treebank else "")


def full_order(lab: Lab, treebank: str, scale: Scale) -> Iterator[Setup]:
    """Yield the linear parser of order full."""
    yield linear(treebank, "full")


def both_engines(lab: Lab, treebank: str, scale: Scale) -> Iterator[Setup]:
    """Yield the usual setups."""
    yield from bases(treebank, scale)


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
AT_LEAST_AS_GOOD = 0.5
"""Delta is at least as good as direct if the interval of its mean loss ends below this much F1."""
LATE_STAGES = ("labeler", "unaries")


def repairs_are_rare(runs: Sequence[Run]) -> tuple[bool | None, str]:
    """Decide by the share of repaired words."""
    shares = [(run.facts["repairs"].get("any", 0) / run.facts["words"], run.setup) for run in runs]
    if not shares:
        return None, "no run"
    shares.sort(key=lambda one: one[0])
    (best, _), (worst, setup) = shares[0], shares[-1]
    return worst <= RARE_REPAIRS, (
        f"{100 * best:.2f} to {100 * worst:.2f} % of the words of a run are repaired, most in "
        f"{setup.treebank} ({setup.name})"
    )


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
        f"labeler and unaries take {100 * min(shares):.0f} to {100 * max(shares):.0f} % of the time of a "
        f"run; for them a word in a sentence of the longest kind costs at most {max(growths):.2f} times as "
        "much as in one of middle length"
    )
    return max(shares) <= SMALL_SHARE and max(growths) <= SAME_COST, why


def unaries_are_easy(runs: Sequence[Run]) -> tuple[bool | None, str]:
    """Decide by the F1 of all nodes when the gold unaryless tree is given."""
    found = sorted(
        (run.facts["unaries"]["f1"], run.setup.treebank) for run in runs if run.facts.get("unaries")
    )
    if not found:
        return None, "no treebank has unary nodes"
    (lowest, worst), (highest, best) = found[0], found[-1]
    return lowest >= EASY, (
        f"F1 of all nodes, given the unaryless trees: {lowest:.2f} ({worst}) to {highest:.2f} ({best})"
    )


def others_work(runs: Sequence[Run]) -> tuple[bool | None, str]:
    """Decide by the F1 of each outside parser, relative to ours of order basic on the same treebank."""
    ours: dict[str, list[float]] = {}
    for run in runs:
        if run.setup.parser == "linear" and run.score is not None:
            ours.setdefault(run.setup.treebank, []).append(run.score.f1 or 0.0)
    shares = []
    for run in runs:
        if run.setup.parser != "linear" and (base := ours.get(run.setup.treebank)):
            found = 0.0 if run.score is None else run.score.f1 or 0.0
            shares.append((found / (sum(base) / len(base)), run))
    if not shares:
        return None, "no run of a parser of other people"
    share, run = min(shares, key=lambda one: one[0])
    parsers = sorted({run.setup.parser for _, run in shares})
    return share >= WORKS, (
        f"{' and '.join(parsers)}; of {len(shares)} runs the weakest, {run.setup.name} on "
        f"{run.setup.treebank}, has {100 * share:.0f} % of our F1"
    )


BASIC = ("F1", "±", "UAS", "LAS", "tokens / CPU s")
CLAIMS = (
    Claim(
        "encodings",
        "direct encoding > Hall and Nivre's",
        "“Both strategies are considerably more accurate than H&N-encoding” (section 4.1; Table 1: F1 89.39 "
        "and 90.89; 731 and 75 labels).",
        "Order full with the separate labeler, which is trained anew for every encoding.",
        direct_beats_hn,
        columns=("labels", "F1", "±", "LAS"),
    ),
    Claim(
        "delta",
        "delta encoding ≥ direct, on continuous treebanks",
        "“Delta-encoding leads to a slightly higher c-parsing accuracy than direct encoding” (section 4.1; "
        "Table 1: 90.94 and 90.89).",
        "As above. Confirmed if delta is significantly worse nowhere and loses less than "
        f"{AT_LEAST_AS_GOOD} F1 on average (95 % interval).",
        delta_reaches_direct,
        margin=AT_LEAST_AS_GOOD,
        columns=("labels", "F1", "±", "LAS"),
    ),
    Claim(
        "stages",
        "two stages > one",
        "“We found it advantageous to perform labeled d-parsing in two stages” (section 4.2; Table 1: 90.53 "
        "and 90.94).",
        "The linear parser of order standard, and every parser of other people that can label: its own "
        "labels against our labeler.",
        stages,
        columns=("F1", "±", "UAS", "LAS"),
    ),
    Claim(
        "parsers",
        "any off-the-shelf dependency parser works",
        "Table 1: six dependency parsers with F1 between 86.87 and 90.53, in one stage.",
        f"Confirmed if every parser has at least {100 * WORKS:.0f} % of the F1 of our order basic.",
        described=any_parser,
        decide=others_work,
        columns=("F1", "±", "UAS", "LAS", "labels", "tokens / CPU s", "training, CPU s"),
    ),
    Claim(
        "orders",
        "higher order > first order",
        "Table 1: TurboParser of the orders basic, standard and full has F1 87.63, 90.41 and 90.53.",
        "Each order against the next.",
        orders,
        all_orders,
        columns=BASIC,
    ),
    Claim(
        "crossings",
        "crossing branches come for free",
        "The same parsers, trained without the projective constraint, build discontinuous trees (sections "
        "3.2 and 5.3, Table 4).",
        "Order standard: projective trees against crossing ones. “For free” would also mean no loss of "
        "speed: see the table.",
        crossings,
        columns=("F1", "±", "Disc-F1", "tokens / CPU s"),
    ),
    Claim(
        "unaries",
        "unary nodes are easy",
        "“A relatively easy task”: F1 99.43 with gold unaryless trees; 11 % of the nodes are unary (section "
        "4.4).",
        f"Gold unaryless trees with predicted tags are given. Confirmed if F1 of all nodes is at least "
        f"{EASY:.0f} everywhere.",
        described=full_order,
        decide=unaries_are_easy,
        columns=("F1 given unaryless trees", "F1 of unaries", "unary nodes, %"),
    ),
    Claim(
        "repairs",
        "repairs are rare",
        "“These corrections were necessary only for 0.6 % of the tokens” (section 4.3; nesting).",
        f"Confirmed if at most {100 * RARE_REPAIRS:.0f} % of the words are repaired in every run.",
        described=both_engines,
        decide=repairs_are_rare,
        columns=(
            "repaired, %",
            "heads, %",
            "nesting, %",
            "symbols, %",
            "events, %",
            "F1",
            "F1, other nesting",
        ),
    ),
    Claim(
        "time",
        "labeler and unaries take a small share of the time, linear in the length",
        "The labeler takes “about 5 %” of the time, the unaries “less than 2 %” (sections 4.2 and 4.4).",
        f"Confirmed if both take at most {100 * SMALL_SHARE:.0f} % of the time of order full, whose parser "
        "is many times as fast as TurboParser, and if for them a word of the longest sentences costs at most "
        f"{SAME_COST} times as much as one of middle length.",
        described=full_order,
        decide=time_is_linear,
        columns=("tagger, %", "parser, %", "labeler, %", "unaries, %", "rest, %", "tokens / CPU s"),
    ),
    Claim(
        "heads",
        "a table of head rules > the outermost child",
        "The paper uses tables where there are any, and the leftmost or rightmost child for five languages "
        "(section 5.2); it does not say what that costs.",
        "Order standard. The table is the one that `spindle train` guesses.",
        head_rules,
        columns=("F1", "±", "UAS", "labels"),
    ),
    Claim(
        "induced",
        "not in the paper for English: induced head rules > a table",
        "Heads of Swedish are induced from a dependency treebank (section 5.2).",
        "Order standard. The rules are learned from the gold dependencies of the same sentences.",
        induced_rules,
        columns=("F1", "±", "UAS", "labels"),
    ),
    Claim(
        "grammars",
        "on par with grammars, and faster",
        "“On par with the Berkeley parser” (section 5.1, Table 2).",
        "Confirmed if F1 of the reduction is at least as high; programs are named with `--peer`.",
        grammars,
        columns=("F1", "±", "tokens / CPU s"),
    ),
    Claim(
        "ensembles",
        "not in the paper: an ensemble > one parser",
        "The paper calls ensembles orthogonal (section 5.2) and uses none.",
        "Order standard: one model against a vote of the models of all seeds on constituents.",
        ensembles,
        columns=("F1", "±", "Disc-F1", "tokens / CPU s"),
    ),
    Claim(
        "reranking",
        "not in the paper: a reranker > none",
        "The paper calls reranking orthogonal (section 5.2) and uses none.",
        "Order standard, without and with `train --rerank`.",
        reranking,
        columns=("F1", "±", "Disc-F1", "tokens / CPU s"),
    ),
    Claim(
        "networks",
        "not in the paper: networks, scores of constituents, teaching",
        "The paper is older.",
        "A bilstm without any pretrained part; a student of it that saw no other gold trees.",
        networks,
        columns=BASIC,
    ),
    Claim(
        "curves",
        "not in the paper: learning curves",
        "Nothing.",
        "Training sentences are spread evenly over each treebank. Nothing is decided.",
        described=curves,
        columns=("F1", "±", "training, CPU s"),
    ),
    Claim(
        "domains",
        "not in the paper: out of domain",
        "Nothing.",
        "Each English model parses the other treebank. The two differ in guidelines, too, so the loss is "
        "not one of domain alone. Nothing is decided.",
        described=domains,
        columns=("F1", "±"),
    ),
)
