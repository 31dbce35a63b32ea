"""The page of science.py, in Markdown."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from science_claims import Claim, Comparison, Scale
from science_columns import gap_table, run_table
from science_lab import PARTS, Lab, Run
from science_plots import costs, differences, learning_curves, lines
from science_setup import Setup
from science_statistics import SIGNIFICANT, Outcome, Runs, Verdict, decision, holm, outcome
from science_texts import INTRODUCTION, LIMITS

FOLDER = "science"
"""The folder of the plots, beside the page."""
SCORED = re.compile(r"\|scored:[^|]+")


@dataclass
class Page:
    """The page about some claims, from the runs that are there; `missing` are planned runs that are not."""

    lab: Lab
    treebanks: Sequence[str]
    claims: Sequence[Claim]
    scale: Scale
    runs: Runs
    missing: Sequence[tuple[Setup, int]]
    command: str
    rounds: int
    plots: dict[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """Return the page; its plots are in `plots` then."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield "# The claims of the paper, tested again\n"
        yield INTRODUCTION.format(
            command=self.command, rounds=self.rounds, tests=len(self._outcomes), level=SIGNIFICANT
        )
        yield "| claim | verdict | why | treebanks | smallest and largest p | missing runs |"
        yield "|---|---|---|---|---|---|"
        for claim in self.claims:
            yield self._summary(claim)
        yield ""
        for claim in self.claims:
            yield from self._section(claim)
        yield LIMITS
        yield from self._data()

    # ── what belongs to a claim ──────────────────────────────────────────────────────────────────────

    @cached_property
    def _compared(self) -> dict[str, list[Comparison]]:
        return {
            claim.name: [one for name in self.treebanks for one in claim.compared(self.lab, name, self.scale)]
            for claim in self.claims
        }

    @cached_property
    def _described(self) -> dict[str, list[Setup]]:
        """The setups that the table of each claim shows, those with a run."""
        found = {}
        for claim in self.claims:
            setups: dict[Setup, None] = {}
            for name in self.treebanks:
                setups |= dict.fromkeys(claim.described(self.lab, name, self.scale))
                for one in claim.compared(self.lab, name, self.scale):
                    setups |= dict.fromkeys((one.first, one.second))
            found[claim.name] = list(setups)
        return found

    @cached_property
    def _outcomes(self) -> list[tuple[str, Outcome]]:
        tested = [
            (claim.name, found)
            for claim in self.claims
            for one in self._compared[claim.name]
            if (found := outcome(one, self.runs, self.rounds)) is not None
        ]
        corrected = holm([one for _, one in tested])
        return [(name, one) for (name, _), one in zip(tested, corrected, strict=True)]

    def _of(self, claim: Claim) -> list[Outcome]:
        return [one for name, one in self._outcomes if name == claim.name]

    def _runs_of(self, claim: Claim) -> list[Sequence[Run]]:
        return [self.runs[setup] for setup in self._described[claim.name] if self.runs[setup]]

    def _verdict(self, claim: Claim) -> Verdict:
        outcomes, described = self._of(claim), self._runs_of(claim)
        is_complete = len(outcomes) == len(self._compared[claim.name]) and len(described) == len(
            self._described[claim.name]
        )
        return decision(claim, outcomes, described, is_complete=is_complete)

    def _missing_of(self, claim: Claim) -> list[tuple[Setup, int]]:
        wanted = set(self._described[claim.name])
        return [(setup, seed) for setup, seed in self.missing if setup in wanted]

    # ── the parts of the page ────────────────────────────────────────────────────────────────────────

    def _summary(self, claim: Claim) -> str:
        found, outcomes = self._verdict(claim), self._of(claim)
        ps = [one.p for one in outcomes]
        treebanks = {runs[0].setup.treebank for runs in self._runs_of(claim)}
        tested = {one.comparison.first.treebank for one in outcomes} or treebanks
        missing = len(self._missing_of(claim))
        cells = (
            f"[{claim.statement}](#{claim.name})",
            f"**{found.word}**",
            found.why,
            str(len(tested)),
            f"{min(ps):.4f} to {max(ps):.4f}" if ps else "",
            str(missing or ""),
        )
        return f"| {' | '.join(cells)} |"

    def _section(self, claim: Claim) -> Iterator[str]:
        found, outcomes, described = self._verdict(claim), self._of(claim), self._runs_of(claim)
        yield f"## {claim.name.capitalize()}\n"
        yield f"**The claim:** {claim.statement}.\n"
        yield f"**The paper:** {claim.paper}\n"
        yield f"**Here:** {claim.how}\n"
        yield f"**{found.word.capitalize()}**: {found.why}.\n"
        if outcomes:
            yield self._plot(claim.name, differences(outcomes, f"Difference in F1: {claim.statement}"))
            yield from outcome_table(outcomes)
            yield ""
        if claim.name == "curves" and described:
            yield self._plot(
                "curves", lines(learning_curves(self.lab, described), "F1 by training sentences")
            )
        if claim.name == "time" and described:
            title = "CPU seconds per million words, by sentence length (both axes logarithmic)"
            yield self._plot("time", lines(costs(described), title, logarithmic=True))
        if described:
            yield from run_table(described, claim.columns)
            yield ""
        if claim.name == "crossings" and described:
            yield "Discontinuous constituents, all runs together:\n"
            yield from gap_table(described)
            yield ""
        yield from self._coverage(claim)

    def _plot(self, name: str, svg: str) -> str:
        self.plots[f"{name}.svg"] = svg
        return f"![Plot: {name}]({FOLDER}/{name}.svg)\n"

    def _coverage(self, claim: Claim) -> Iterator[str]:
        scored: dict[str, set[str]] = defaultdict(set)
        signatures: dict[str, None] = {}
        for runs in self._runs_of(claim):
            for run in runs:
                if run.score is not None:
                    name = run.setup.test or run.setup.treebank
                    scored[name].add(run.score.totals.scored_of_all)
                    signatures[SCORED.sub("", run.score.signature)] = None
        if scored:
            coverage = ", ".join(f"{name} {'; '.join(sorted(of))}" for name, of in scored.items())
            yield f"Scored: {coverage}. Signatures: {', '.join(f'`{one}`' for one in signatures)}.\n"
        if missing := self._missing_of(claim):
            seeds = sorted({seed for _, seed in missing})
            counts = {
                seed: Counter(setup.treebank for setup, its in missing if its == seed) for seed in seeds
            }
            rest = "; ".join(
                f"seed {seed}: {', '.join(f'{name} {count}' for name, count in of.items())}"
                for seed, of in counts.items()
            )
            yield f"Planned and not run: {rest}.\n"

    def _data(self) -> Iterator[str]:
        yield "## Data and runs\n"
        yield "| treebank | training sentences, of | development sentences, of | discontinuous, % | scheme |"
        yield "|---|---|---|---|---|"
        for name in self.treebanks:
            sizes = [
                f"{len(self.lab.trees(name, part)):,} of {len(self.lab.whole(name, part)):,}"
                for part in PARTS
            ]
            dev = self.lab.trees(name, "dev")
            crossing = 100 * sum(not tree.is_continuous for tree in dev) / len(dev)
            scheme = self.lab.scheme(Setup(name))
            yield f"| {name} | {' | '.join(sizes)} | {crossing:.1f} | {scheme} |"
        yield "\nCuts are spread evenly over a treebank.\n"
        done = [run for runs in self.runs.values() for run in runs]
        seeds = ", ".join(map(str, self.scale.seeds))
        dates = sorted({run.made for run in done}) or ["never"]
        yield (
            f"{len(done)} runs, seeds {seeds}, made from {dates[0]} to {dates[-1]}; planned and missing: "
            f"{len(self.missing)}. Runs are kept in `benchmarks/science`, by a key of data, setup, seed and "
            "the declared versions of the engines; the command goes on from there."
        )
        others = [run for run in done if run.behaviour != self.lab.behaviour]
        if others:
            yield (
                f"\n{len(others)} of them were made by code that parses the demo treebank differently than "
                "the code that wrote this page."
            )


def outcome_table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the lines of a table of comparisons."""
    yield "| treebank | first | second | figure | first | second | difference | 95 % | p (Holm) | runs |"
    yield f"|{'---|' * 10}"
    for one in outcomes:
        first, second, figure = one.comparison
        mark = "**" if one.sign else ""
        cells = (
            *(
                first.treebank,
                first.name,
                second.name,
                FIGURES[figure],
                f"{one.first:.2f}",
                f"{one.second:.2f}",
            ),
            f"{mark}{one.difference:+.2f}{mark}",
            "{:+.2f} to {:+.2f}".format(*one.interval),
            f"{one.p:.4f}",
            "{}, {}".format(*one.runs),
        )
        yield f"| {' | '.join(cells)} |"


FIGURES = {"f1": "F1", "disc_f1": "Disc-F1"}
