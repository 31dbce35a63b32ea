"""The experiments of the paper run on miniature copies of the corpora, laid out as they are distributed."""

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import spindle
from spindle.treebanks.conll import write_conllx
from spindle.treebanks.export import write_export
from spindle.treebanks.tigerxml import write_tigerxml
from spindle.trees import Dependencies, Token, Tree, Word

PAPER = Path(__file__).parents[2] / "benchmarks" / "paper.py"
NOUNS = ("cat", "dog", "tree", "house", "child", "bird", "stone", "river", "song", "mill")
VERBS = ("sees", "hears", "finds", "likes", "knows")


def brackets(count: int, tag: str = "NN") -> Iterator[str]:
    """Yield continuous sentences with functions, in the format of the Penn Treebank."""
    for at in range(count):
        subject, object, verb = NOUNS[at % 10], NOUNS[(at * 3 + 1) % 10], VERBS[at % 5]
        yield (
            f"( (S (NP-SBJ-1 (DT the) ({tag} {subject}))\n"
            f"    (VP (VBZ {verb}) (NP (NP (DT a) ({tag} {object})) (PP (IN of) (NP ({tag} wood)))))\n"
            f"    (. .)) )\n"
        )


def german(numbers: range | list[int]) -> Iterator[Tree]:
    """Yield discontinuous sentences like those of NEGRA and TIGER: punctuation at the root, edge labels."""
    for number in numbers:
        noun = NOUNS[number % 10]
        tokens = (
            Token("die", "ART", "der", "", "NK"),
            Token(noun, "NN", noun, "", "NK"),
            Token("kam", "VVFIN", "kommen", "", "HD"),
            Token("die", "PRELS", "der", "", "SB"),
            Token("singt", "VVFIN", "singen", "", "HD"),
            Token(".", "$.", ".", "", "--"),
        )
        yield Tree.build(
            tokens,
            ["VROOT", "S", "NP", "S"],
            [-1, 0, 1, 2],
            [2, 2, 1, 3, 3, 0],
            ["", "--", "SB", "RC"],
            str(number),
        )


def rows(trees: list[list[Token]]) -> str:
    """Flat dependencies in CoNLL-X, with the tags of the tokens."""
    return "".join(
        write_conllx(
            Dependencies(
                tuple(
                    Word(token.form, upos=token.tag, xpos=token.tag, head=0 if at == 0 else 1, deprel="x")
                    for at, token in enumerate(words)
                )
            )
            for words in trees
        )
    )


def write(path: Path, text: str, encoding: str = "utf-8") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding=encoding)


def paper(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PAPER), *arguments, "--order", "basic", "--epochs", "2"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def figures(printed: str, title: str, column: str) -> dict[str, str]:
    """Return a column of the table with this title, by the names of its rows."""
    lines = printed.partition(f"{title}\n\n")[2].partition("\n\n")[0].splitlines()
    head, _, *rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
    return {row[0]: row[head.index(column)] for row in rows}


def settings(parser: spindle.Parser) -> tuple[str, str, str, str]:
    """Return what the model was trained with: head rules, encoding, tags, and mode."""
    chosen = parser.card.chosen
    return chosen["heads"], str(parser.settings.encoding), chosen["tags"], str(parser.settings.mode)


def test_penn_treebank(tmp_path: Path) -> None:
    for section in range(25):
        write(tmp_path / f"parsed/mrg/wsj/{section:02}/wsj_{section:02}01.mrg", "".join(brackets(3)))
        write(tmp_path / f"parsed/prd/wsj/{section:02}/wsj_{section:02}01.prd", "not these\n")
    refused = paper("ptb", str(tmp_path))
    assert "PTB: 60 / 3 / 3 sentences, where the paper has 39,832 / 1,700 / 2,416" in refused.stderr
    done = paper("ptb", str(tmp_path), "--any-count", "--output", str(tmp_path))
    assert done.returncode == 0, done.stderr
    paper_figures = {"LR": "89.90", "LP": "90.40", "F1": "90.20", "words/s": "957"}
    assert figures(done.stdout, "PTB §23", "the paper") == paper_figures
    assert figures(done.stdout, "PTB §23", "Carreras et al. 2008")["words/s"] == "–"
    # the training sentences are the same
    assert figures(done.stdout, "PTB §23", "ours")["F1"] == "100.00"
    assert figures(done.stdout, "PTB §22", "ours")["F1"] == "100.00"
    assert "evalb|prm:collins" in done.stdout
    parser = spindle.load(tmp_path / "PTB-jackknifed.model")
    assert settings(parser) == ("collins", "delta", "jackknife", "continuous")
    assert parser.stages.tagger is not None
    assert parser.stages.labeler is not None


def spmrl_copy(folder: Path, language: str, trees: list[Tree], text: str, kind: str) -> None:
    name, upper = language.capitalize(), language.upper()
    for part in ("train5k" if language in ("hebrew", "swedish") else "train", "dev", "test"):
        root = folder / f"SPMRL_SHARED_2014/{upper}_SPMRL"
        words = [list(tree.tokens) for tree in trees]
        write(root / f"gold/{kind}/{part}/{part}.{name}.gold.{kind}", text)
        write(root / f"gold/conll/{part}/{part}.{name}.gold.conll", rows(words))
        predicted = [[token._replace(tag=token.tag.replace("NN", "NNP")) for token in one] for one in words]
        write(root / f"pred/conll/{part}/{part}.{name}.pred.conll", rows(predicted))


def test_spmrl(tmp_path: Path) -> None:
    from spindle.treebanks import ReadingReport, Source
    from spindle.treebanks.bracket import read_bracket

    text = "".join(" ".join(sentence.split()) + "\n" for sentence in brackets(12, "NN##g=f|lem=x##"))
    trees = [tree for tree in read_bracket(Source.from_text(text), ReadingReport()) if isinstance(tree, Tree)]
    for language in ("polish", "swedish"):
        spmrl_copy(tmp_path, language, trees, text, "ptb")
    refused = paper("spmrl", str(tmp_path), "--language", "polish")
    assert "12 / 12 / 12 sentences, where the paper has 6,578 / 821 / 822" in refused.stderr
    both = ("--language", "polish", "--language", "swedish", "--output", str(tmp_path))
    done = paper("spmrl", str(tmp_path), "--any-count", *both)
    assert done.returncode == 0, done.stderr
    table = "SPMRL 2014, predicted tags: F1"
    theirs = {"Polish": "91.20", "Swedish": "82.80", "average": "87.00"}
    assert figures(done.stdout, table, "the paper") == theirs
    assert figures(done.stdout, table, "Berkeley")["Swedish"] == "79.19"
    assert figures(done.stdout, table, "ours")["Polish"] == "100.00"
    assert "spmrl|prm:spmrl" in done.stdout
    parser = spindle.load(tmp_path / "Polish-provided.model")
    assert settings(parser) == ("leftmost", "delta", "gold", "continuous")
    # it was trained on the provided tags, and has no tagger
    assert parser.stages.tagger is None
    assert "induced" in spindle.load(tmp_path / "Swedish-provided.model").card.chosen["heads"]


def test_tiger_of_spmrl(tmp_path: Path) -> None:
    trees = list(german(range(1, 21)))
    spmrl_copy(tmp_path, "german", trees, "".join(write_tigerxml(trees)), "xml")
    done = paper("tiger-spmrl", str(tmp_path), "--any-count")
    assert done.returncode == 0, done.stderr
    gold, provided = "TIGER-SPMRL, gold tags", "TIGER-SPMRL, provided tags"
    assert list(figures(done.stdout, gold, "the paper").items())[:2] == [
        ("F1, ≤ 40", "82.56"),
        ("EX, ≤ 40", "45.25"),
    ]
    assert figures(done.stdout, provided, "the paper")["F1, ≤ 70"] == "77.72"
    assert figures(done.stdout, provided, "Versley 2014a")["F1, all"] == "–"
    for table in (gold, provided):
        assert set(figures(done.stdout, table, "ours").values()) == {"100.00"}


def test_tiger_of_hall_and_nivre(tmp_path: Path) -> None:
    write(tmp_path / "corpus/tiger_release.export", "".join(write_export(german(range(1, 41)))), "latin-1")
    done = paper("tiger-hn", str(tmp_path), "--any-count")
    assert done.returncode == 0, done.stderr
    assert "TIGER-H&N: 32 / 4 / 4 sentences" in done.stderr
    table = "TIGER-H&N, jackknifed tags"
    assert figures(done.stdout, table, "the paper")["EX, all"] == "44.48"
    assert figures(done.stdout, table, "ours")["EX, ≤ 30"] == "100.00"


def test_negra(tmp_path: Path) -> None:
    numbers = [*range(1, 25), *range(18_601, 18_606), *range(19_601, 19_606)]
    write(tmp_path / "negra-corpus.export", "".join(write_export(german(numbers))), "latin-1")
    refused = paper("negra", str(tmp_path))
    assert "NEGRA: 26 / 3 / 5 sentences, where the paper has 18,602 / 1,000 / 1,000" in refused.stderr
    done = paper("negra", str(tmp_path), "--any-count", "--output", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert figures(done.stdout, "NEGRA, gold tags", "the paper")["EX, all"] == "46.70"
    assert figures(done.stdout, "NEGRA, jackknifed tags", "ours")["F1, ≤ 40"] == "100.00"
    for tags, learned_from in (("gold", "gold"), ("jackknifed", "jackknife")):
        parser = spindle.load(tmp_path / f"NEGRA-{tags}.model")
        assert settings(parser) == ("negra", "direct", learned_from, "discontinuous")
        assert parser.stages.unaries is None


def test_averages_of_the_copied_figures_equal_those_of_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PAPER.parent))
    module = import_module("paper")
    columns = zip(*(language.f1 for language in module.LANGUAGES.values()), strict=True)
    averages = dict(zip(module.SPMRL_PARSERS, (sum(column) / 8 for column in columns), strict=True))
    printed = (78.45, 81.17, 83.72, 83.69, 86.72, 84.22)
    assert list(averages.values()) == pytest.approx(printed, abs=0.006)


@pytest.mark.parametrize("experiment", ["ptb", "spmrl", "tiger-spmrl", "tiger-hn", "negra"])
def test_an_empty_folder_is_reported(experiment: str, tmp_path: Path) -> None:
    done = paper(experiment, str(tmp_path))
    assert done.returncode == 1
    assert "there is no" in done.stderr
    assert "Traceback" not in done.stderr
