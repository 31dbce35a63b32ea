"""Checks an installed Spindle: each bundled model parses a sentence, from Python and by the command.

Needs nothing but the package, so that it can run in an empty environment: `python check_installed.py`.
"""

from __future__ import annotations

import subprocess
import sys

import spindle

SENTENCE = "The public is still cautious."
TREE = "(ROOT (S (NP (DT The) (NN public)) (VP (VBZ is) (ADVP (RB still)) (ADJP (JJ cautious))) (. .)))"
ENGLISH = ("english", "fast", "light")
OTHERS = {"dutch": "Zij zag de hond die blafte.", "french": "Le chat dort sur la table."}


def main() -> None:
    """Stop with a message if a tree is not the expected one."""
    expected = spindle.parse_tree(TREE)
    names = [model.name for model in spindle.models()]
    for name in names:
        sentence = OTHERS.get(name, SENTENCE)
        tree = spindle.load(name).parse(sentence)
        if len(tree.tokens) != len(sentence.split()) + 1:
            sys.exit(f"{name}: parsed {tree!r}")
    for model in ENGLISH:
        command = [sys.executable, "-m", "spindle", "parse", SENTENCE, "--model", model]
        printed = subprocess.check_output(command, text=True, encoding="utf-8").strip()
        if printed != TREE:
            sys.exit(f"{model}: `spindle parse` printed {printed}")
        parser = spindle.load(model)
        if parser.text_model is None:
            sys.exit(f"{model}: the trained model of raw text is missing")
        tree = parser.parse(SENTENCE)
        if tree.labels != expected.labels or tree.tokens != expected.tokens:
            sys.exit(f"{model}: parsed {tree!r}")
    print(f"spindle {spindle.__version__} in {spindle.__file__}: {', '.join(names)} parse")


if __name__ == "__main__":
    main()
