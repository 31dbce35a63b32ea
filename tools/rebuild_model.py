"""Rebuilds a bundled model: the encoder, the text or the teacher that it needs, then the training.

    python tools/rebuild_model.py dutch -o dutch.model
    python tools/rebuild_model.py fast --text text.tokens -o fast.model
    python tools/rebuild_model.py --list

The commands are printed before they run, so that they can be run by hand; --list only prints them. Treebanks
are read from --treebanks, whose folders have the names that docs/models.md uses. An interrupted training goes
on when the same command is given again. Training needs the extra `neural`.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
BENCHMARKS = HERE.parent / "benchmarks"
TREEBANKS = HERE.parents[1] / "shared" / "treebanks"
ENCODERS = Path("encoders")


class Places(NamedTuple):
    """Where everything is: the treebanks, the model that is written, and the raw text for a teacher."""

    treebanks: Path
    output: Path
    text: Path

    def treebank(self, *parts: str) -> str:
        """Return the path of a part of a treebank."""
        return str(self.treebanks.joinpath(*parts))


Commands = Iterator[list[str]]


def python(script: Path, *arguments: object) -> list[str]:
    """Return the command of a script."""
    return [sys.executable, str(script), *map(str, arguments)]


def spindle(*arguments: object) -> list[str]:
    """Return a command of Spindle."""
    return [sys.executable, "-m", "spindle", *map(str, arguments)]


def train(places: Places, *treebanks: str, dev: str, licence: str, **options: object) -> list[str]:
    """Return the command that trains a neural model on one thread."""
    given = [word for name, value in options.items() for word in (f"--{name}", value)]
    learnt = (*treebanks, "--dev", dev, "-o", places.output, "--parser", "neural", "--threads", 1)
    return spindle("train", *learnt, "--licence", licence, "--on-error", "skip", *given)


def encoder(name: str) -> Commands:
    """Yield the command that fetches an encoder, if it is not there."""
    if not (ENCODERS / name).exists():
        yield python(HERE / "get_encoders.py", name, ENCODERS / name)


def english(places: Places) -> Commands:
    """The accurate English model."""
    yield from encoder("opus-en-fr")
    where = f"hf:{ENCODERS / 'opus-en-fr'}"
    script = BENCHMARKS / "bundled_model.py"
    yield python(script, "english", where, "--epochs", 5, "--threads", 1, "-o", places.output)


def fast(places: Places) -> Commands:
    """The fast English model, a student of the accurate one."""
    script = BENCHMARKS / "bundled_model.py"
    yield python(script, "fast", "--text", places.text, "--threads", 1, "-o", places.output)


def light(places: Places) -> Commands:
    """The light English model, which is linear."""
    yield python(BENCHMARKS / "bundled_model.py", "light", "--threads", 1, "-o", places.output)


def dutch(places: Places) -> Commands:
    """Discontinuous Dutch."""
    yield train(
        places,
        places.treebank("dutch-alpino", "train.export"),
        places.treebank("dutch-alpino", "more.export.xz"),
        dev=places.treebank("dutch-alpino", "dev.export"),
        licence="LGPL 2.1 or later: Alpino treebank (van der Beek, Bouma, Malouf and van Noord 2002)",
        encoding="direct",
        epochs=20,
    )


def french(places: Places) -> Commands:
    """French, with the encoder of a translation model."""
    yield from encoder("opus-fr-en")
    yield train(
        places,
        places.treebank("french-sequoia", "train.mrg"),
        dev=places.treebank("french-sequoia", "dev.mrg"),
        licence="LGPL-LR: Sequoia (Candito and Seddah 2012); encoder of OPUS-MT fr-en (Tiedemann and "
        "Thottingal 2020, Apache 2.0)",
        encoder=f"hf:{ENCODERS / 'opus-fr-en'}",
        epochs=8,
    )


def icelandic(places: Places) -> Commands:
    """Icelandic, of the present and of the last three centuries."""
    yield train(
        places,
        places.treebank("icelandic-modern", "train"),
        places.treebank("icelandic-modern", "more"),
        dev=places.treebank("icelandic-modern", "dev"),
        licence="CC BY 4.0: IcePaHC 2024.03 (Wallenberg, Ingason, Sigurðsson and Rögnvaldsson)",
        epochs=20,
    )


def indonesian(places: Places) -> Commands:
    """Indonesian news."""
    yield train(
        places,
        places.treebank("indonesian-icon", "train.ptb"),
        dev=places.treebank("indonesian-icon", "dev.ptb"),
        licence="CC BY-SA 4.0: ICON (seacorenlp-data)",
        epochs=20,
    )


RECIPES: dict[str, Callable[[Places], Commands]] = {
    recipe.__name__: recipe for recipe in (english, fast, light, dutch, french, icelandic, indonesian)
}


def main() -> None:
    """Print the commands of a recipe and run them."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("name", nargs="?", choices=RECIPES)
    arguments.add_argument("-o", "--output", type=Path, help="default: NAME.model")
    arguments.add_argument("--treebanks", type=Path, default=TREEBANKS)
    arguments.add_argument("--text", type=Path, default=Path("text.tokens"), help="see teaching_text.py")
    arguments.add_argument("--list", action="store_true", help="print the commands only")
    given = arguments.parse_args()
    if given.name is None and not given.list:
        arguments.error(f"name a model: {', '.join(RECIPES)}")
    for name in [given.name] if given.name else RECIPES:
        output = given.output or Path(f"{name}.model")
        checkpoint = output.with_name(f"{output.name}.checkpoint")
        for command in RECIPES[name](Places(given.treebanks, output, given.text)):
            if checkpoint.exists() and str(output) in command:
                command.append("--resume")
            print(shlex.join(command), flush=True)
            if not given.list:
                subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
