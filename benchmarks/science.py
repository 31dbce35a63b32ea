"""Test the claims of the paper again, on the open treebanks, and write a page about each of them.

    python benchmarks/science.py                                  # everything; many hours, resumable
    python benchmarks/science.py --quick                          # everything on cuts, in minutes
    python benchmarks/science.py encodings orders --treebank english-gum --treebank german-pcc
    python benchmarks/science.py grammars --peer "berkeley=bash berkeley.sh {train} {dev} {output}"

CLAIMs are encodings, stages, parsers, orders, crossings, unaries, repairs, time, heads, grammars, beyond,
curves and domains. Every setup is trained with three seeds (--seeds), on `train`, and scored on `dev`, which
is used for nothing else: the last epoch is kept. Words alone are parsed. Runs are kept in --runs, by a
fingerprint of code, data and setup, so that an interrupted command continues where it stopped.

Differences are tested by paired approximate randomisation over sentences and seeds; the p-values of all
comparisons of a page are corrected together (Holm). The page is science.md in --output, with its plots.
A program of --peer reads one tree a line from {train}, parses the words of {dev} and writes {output}.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from measuring import TREEBANKS, command_line
from science_claims import CLAIMS, Claim, Scale
from science_lab import Lab, Run, Setup
from science_page import claims_named, page

DEFAULT_TREEBANKS = (
    "english-gum",
    "english-craft",
    "dutch-alpino",
    "german-pcc",
    "french-sequoia",
    "icelandic-modern",
    "indonesian",
)
QUICK_TREEBANKS = ("english-gum", "german-pcc")
QUICK_SENTENCES = (300, 120)
QUICK_SCALE = {
    "epochs": 3,
    "hidden": 64,
    "curve": (100, 200),
    "sentences_for_student": 100,
    "epochs_of_others": 2,
}


def setups_of(lab: Lab, treebanks: Sequence[str], claims: Sequence[Claim], scale: Scale) -> list[Setup]:
    """Return everything that is trained, each setup once."""
    found: dict[Setup, None] = {}
    for treebank in treebanks:
        for claim in claims:
            for comparison in claim.compared(lab, treebank, scale):
                found |= dict.fromkeys((comparison.first, comparison.second))
            found |= dict.fromkeys(claim.described(lab, treebank, scale))
    return list(found)


def test_claims(given: Namespace) -> str:
    """Train what is missing, and write the page and its plots; return the page."""
    cut = QUICK_SENTENCES if given.quick else (given.sentences, None)
    lab = Lab(given.treebanks, given.runs, cut)
    known = lab.names()
    usual = QUICK_TREEBANKS if given.quick else DEFAULT_TREEBANKS
    treebanks = given.treebank or [name for name in usual if name in known] or known
    if unknown := [name for name in treebanks if name not in known]:
        sys.exit(
            f"{given.treebanks}: no treebank {', '.join(unknown)}; there are {', '.join(known) or 'none'}"
        )
    try:
        claims = claims_named(given.claims)
    except KeyError as error:
        sys.exit(f"there is no claim {error}; there are {', '.join(claim.name for claim in CLAIMS)}")
    peers = tuple((name, command) for name, _, command in (one.partition("=") for one in given.peer))
    scale = Scale(encoder=given.encoder, peers=peers, **(QUICK_SCALE if given.quick else {}))  # type: ignore[arg-type]
    setups = setups_of(lab, treebanks, claims, scale)
    runs: dict[Setup, list[Run]] = {}
    for number, setup in enumerate(setups, start=1):
        for seed in given.seeds:
            if not lab.is_done(setup, seed):
                print(f"{number}/{len(setups)} {setup.treebank}: {setup.name}, seed {seed}", flush=True)
            runs.setdefault(setup, []).append(lab.run(setup, seed))
    text, plots = page(lab, treebanks, claims, scale, runs, about(given, treebanks))
    given.output.mkdir(parents=True, exist_ok=True)
    (given.output / "science.md").write_text(text, encoding="utf-8")
    for name, svg in plots.items():
        (given.output / name).write_text(svg, encoding="utf-8")
    return text


def about(given: Namespace, treebanks: Sequence[str]) -> str:
    """Return the paragraph that says what was run."""
    sizes = f"the first {QUICK_SENTENCES[0]} training and {QUICK_SENTENCES[1]} development sentences of each"
    cut = f"**Cuts only**: {sizes}; such small cuts say little about whole treebanks. " if given.quick else ""
    return (
        f"{cut}Treebanks: {', '.join(treebanks)}; seeds {', '.join(map(str, given.seeds))}. "
        "From words alone; "
        "every sentence counted. Confirmed: significantly better in at least half of the comparisons and "
        "significantly worse in none; refuted: the other way round; p by paired approximate randomisation "
        "over sentences and seeds, corrected for all comparisons of this page (Holm), 0.05. What needs the "
        "licensed treebanks of the paper (Penn Treebank, SPMRL, TIGER, NEGRA) cannot be said here.\n"
    )


def arguments(given: Sequence[str] | None = None) -> Namespace:
    """Read the command line."""
    options = command_line(__doc__)
    options.add_argument("claims", nargs="*", metavar="CLAIM")
    options.add_argument("--quick", action="store_true", help="small cuts of two treebanks, small networks")
    options.add_argument("--treebank", action="append", metavar="NAME", help="can be repeated")
    options.add_argument("--treebanks", type=Path, default=TREEBANKS, metavar="FOLDER")
    options.add_argument("--sentences", type=int, metavar="N", help="train on the first N sentences only")
    options.add_argument("--seeds", default="1,2,3", metavar="N,N,…")
    options.add_argument(
        "--encoder", default="", metavar="hf:NAME", help="a pretrained encoder, for `beyond`"
    )
    options.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND")
    options.add_argument("--runs", type=Path, default=Path("build/science"), metavar="FOLDER")
    options.add_argument("--output", type=Path, default=Path(), metavar="FOLDER")
    chosen = options.parse_args(given)
    chosen.seeds = [int(seed) for seed in chosen.seeds.split(",")]
    return chosen


def main() -> None:
    """Test the claims and print the page."""
    print(test_claims(arguments()), end="")


if __name__ == "__main__":
    main()
