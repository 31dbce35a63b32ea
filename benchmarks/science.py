"""Test the claims of the paper again, on the open treebanks, and write a page about each of them.

    python benchmarks/science.py                                  # everything; many hours, resumable
    python benchmarks/science.py --quick                          # everything on cuts, in minutes
    python benchmarks/science.py orders heads --treebank english-gum --treebank german-pcc
    python benchmarks/science.py --sentences 1000 --dev-sentences 1000 --seeds 1,2 --minutes 60
    python benchmarks/science.py --no-training                    # the page from the runs that are kept
    python benchmarks/science.py grammars --peer "berkeley=bash berkeley.sh {train} {dev} {output}"

CLAIMs are the names in science_claims.py. Every setup is trained with three seeds (--seeds) on `train`, and
scored on `dev`, which is used for nothing else: the last epoch is kept. Words alone are parsed. Runs are made
seed by seed and treebank by treebank, in the order of the command line, and kept in --runs, so that an
interrupted command continues where it stopped, also on another machine; see science_store.py.

Differences are tested by paired approximate randomisation over sentences and seeds; the p-values of all
comparisons of a page are corrected together (Holm). The page is science.md in --output, with its plots.
A program of --peer reads one tree a line from {train}, parses the words of {dev} and writes {output}.
"""

from __future__ import annotations

import shlex
import sys
import time
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from measuring import TREEBANKS, command_line
from science_claims import CLAIMS, Claim, Scale
from science_lab import Lab, Run
from science_page import FOLDER, Page
from science_setup import Setup
from science_store import Store

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent / "build"
DEFAULT_TREEBANKS = (
    "german-pcc",
    "indonesian",
    "french-sequoia",
    "icelandic-modern",
    "dutch-alpino",
    "english-gum",
    "english-craft",
)
QUICK_TREEBANKS = ("english-gum", "german-pcc")
QUICK_SENTENCES = (300, 120)
QUICK_SEEDS = "1,2"
QUICK_SCALE = {
    "epochs": 2,
    "hidden": 48,
    "curve": (100,),
    "sentences_for_student": 100,
    "epochs_of_others": 1,
    "options_of_others": (
        ("udpipe", "hidden_layer", "50"),
        ("mst", "sentences", "100"),
        ("zpar", "sentences", "100"),
        ("turbo", "order", "basic"),
    ),
    "networks": ("german-pcc",),
    "others": ("german-pcc",),
}


def claims_named(names: Sequence[str]) -> list[Claim]:
    """Return the claims with these names, or all; exit for others."""
    known = {claim.name: claim for claim in CLAIMS}
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"there is no claim {', '.join(unknown)}; there are {', '.join(known)}")
    return [known[name] for name in names] if names else list(CLAIMS)


def setups_of(lab: Lab, treebanks: Sequence[str], claims: Sequence[Claim], scale: Scale) -> list[Setup]:
    """Return everything that is trained, each setup once, treebank by treebank."""
    found: dict[Setup, None] = {}
    for treebank in treebanks:
        for claim in claims:
            for comparison in claim.compared(lab, treebank, scale):
                found |= dict.fromkeys((comparison.first, comparison.second))
            found |= dict.fromkeys(claim.described(lab, treebank, scale))
    return list(found)


def planned(setups: Sequence[Setup], seeds: Sequence[int]) -> list[tuple[Setup, int]]:
    """Return all runs in their order: seed by seed, but an ensemble once and last."""
    single = [(setup, seed) for seed in seeds for setup in setups if not setup.members]
    return single + [(setup, seeds[0]) for setup in setups if setup.members]


def used_again(setups: Sequence[Setup]) -> frozenset[Setup]:
    """Return the setups whose models another setup needs."""
    bases = {replace(setup, members=0, test="") for setup in setups if setup.members or setup.test}
    return frozenset(bases | {setup.teacher for setup in setups if setup.teacher is not None})


def test_claims(given: Namespace) -> str:
    """Train what is missing, and write the page and its plots; return the page."""
    cut = QUICK_SENTENCES if given.quick else (given.sentences, given.dev_sentences)
    lab = Lab(given.treebanks, Store(given.runs), given.models, cut, tuple(given.whole))
    known = lab.names()
    usual = QUICK_TREEBANKS if given.quick else DEFAULT_TREEBANKS
    treebanks = given.treebank or [name for name in usual if name in known] or known
    if unknown := [name for name in treebanks if name not in known]:
        sys.exit(
            f"{given.treebanks}: no treebank {', '.join(unknown)}; there are {', '.join(known) or 'none'}"
        )
    claims = claims_named(given.claims)
    scale = scale_of(given)
    setups = setups_of(lab, treebanks, claims, scale)
    lab = replace(lab, reused=used_again(setups))
    runs: dict[Setup, list[Run]] = {setup: [] for setup in setups}
    missing = []
    end = time.monotonic() + 60 * given.minutes
    plan = planned(setups, scale.seeds)
    for number, (setup, seed) in enumerate(plan, start=1):
        run = lab.kept(setup, seed)
        if run is None and given.training and time.monotonic() < end:
            print(f"{number}/{len(plan)} {setup.treebank}: {setup.name}, seed {seed}", flush=True)
            run = lab.run(setup, seed)
        if run is None:
            missing.append((setup, seed))
        else:
            runs[setup].append(run)
    page = Page(lab, treebanks, claims, scale, runs, missing, command_of(given), given.rounds)
    given.output.mkdir(parents=True, exist_ok=True)
    text = page.text()
    (given.output / "science.md").write_text(text, encoding="utf-8")
    for name, svg in page.plots.items():
        place = given.output / FOLDER / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(svg, encoding="utf-8")
    return text


def scale_of(given: Namespace) -> Scale:
    """Return how much is trained."""
    seeds = tuple(int(seed) for seed in (given.seeds or (QUICK_SEEDS if given.quick else "1,2,3")).split(","))
    peers = tuple((name, command) for name, _, command in (one.partition("=") for one in given.peer))
    chosen = {name: tuple(getattr(given, name)) for name in ("networks", "others") if getattr(given, name)}
    options = []
    for one in given.set:
        name, _, value = one.partition("=")
        parser, _, option = name.partition(".")
        options.append((parser, option, value))
    more = {"options_of_others": tuple(options)} if options else {}
    settings = {**(QUICK_SCALE if given.quick else {}), **chosen, **more}
    return Scale(seeds=seeds, encoder=given.encoder, peers=peers, **settings)  # type: ignore[arg-type]


def command_of(given: Namespace) -> str:
    """Return the command that makes the page again."""
    words = ["python", "benchmarks/science.py", *given.claims]
    words += ["--quick"] * given.quick
    for name in ("sentences", "dev_sentences", "seeds", "encoder"):
        if value := getattr(given, name):
            words += [f"--{name.replace('_', '-')}", str(value)]
    for flag, name in (
        ("treebank", "treebank"),
        ("whole", "whole"),
        ("network", "networks"),
        ("other", "others"),
        ("set", "set"),
    ):
        for value in getattr(given, name) or ():
            words += [f"--{flag}", value]
    return shlex.join([*words, "--output", "docs"])


def arguments(given: Sequence[str] | None = None) -> Namespace:
    """Read the command line."""
    options = command_line(__doc__)
    options.add_argument("claims", nargs="*", metavar="CLAIM")
    options.add_argument("--quick", action="store_true", help="small cuts of two treebanks, small networks")
    options.add_argument("--treebank", action="append", metavar="NAME", help="can be repeated")
    options.add_argument("--treebanks", type=Path, default=TREEBANKS, metavar="FOLDER")
    options.add_argument("--sentences", type=int, metavar="N", help="train on N sentences of a treebank")
    options.add_argument("--dev-sentences", type=int, metavar="N", help="parse N sentences of a treebank")
    options.add_argument(
        "--whole", action="append", default=[], metavar="NAME", help="a treebank without cut"
    )
    options.add_argument("--seeds", default="", metavar="N,N,…", help="default: 1,2,3")
    options.add_argument("--network", action="append", dest="networks", metavar="NAME", help="treebanks for")
    options.add_argument("--other", action="append", dest="others", metavar="NAME", help="treebanks for")
    options.add_argument("--set", action="append", default=[], metavar="PARSER.OPTION=VALUE")
    options.add_argument(
        "--encoder", default="", metavar="hf:NAME", help="a pretrained encoder, for `networks`"
    )
    options.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND")
    options.add_argument(
        "--minutes", type=float, default=float("inf"), metavar="N", help="start no run after so many minutes"
    )
    options.add_argument("--rounds", type=int, default=5_000, metavar="N", help="of the significance test")
    options.add_argument("--no-training", dest="training", action="store_false")
    options.add_argument("--runs", type=Path, metavar="FOLDER")
    options.add_argument("--models", type=Path, default=BUILD / "science-models", metavar="FOLDER")
    options.add_argument("--output", type=Path, default=Path(), metavar="FOLDER")
    chosen = options.parse_args(given)
    chosen.runs = chosen.runs or (BUILD / "science-quick" if chosen.quick else HERE / "science")
    return chosen


def main() -> None:
    """Test the claims and print the page."""
    print(test_claims(arguments()), end="")


if __name__ == "__main__":
    main()
