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


def rows(trees: list[list[Token]], **columns: str) -> str:
    """Flat dependencies in CoNLL-X, with the tags of the tokens, or with columns of your own.

    A value with a hyphen is for the words at even and at odd positions.
    """
    values = [{name: value.split("-")[odd and -1] for name, value in columns.items()} for odd in (0, 1)]
    return "".join(
        write_conllx(
            Dependencies(
                tuple(
                    Word(**{**_columns(token), **values[at % len(values)]}, head=0 if at == 0 else 1)
                    for at, token in enumerate(words)
                )
            )
            for words in trees
        )
    )


def _columns(token: Token) -> dict[str, str]:
    return {"form": token.form, "upos": token.tag, "xpos": token.tag, "deprel": "x"}


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
    gold = "TIGER-SPMRL, gold tags, lemmas and morphology"
    provided = "TIGER-SPMRL, provided tags, lemmas and morphology"
    assert list(figures(done.stdout, gold, "the paper").items())[:2] == [
        ("F1, ≤ 40", "82.56"),
        ("EX, ≤ 40", "45.25"),
    ]
    assert figures(done.stdout, provided, "the paper")["F1, ≤ 70"] == "77.72"
    assert figures(done.stdout, provided, "Versley 2014a")["F1, all"] == "–"
    for table in (gold, provided):
        ours = figures(done.stdout, table, "ours")
        assert float(ours.pop("words/s").replace(",", "")) > 0
        assert set(ours.values()) == {"100.00"}


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
    jackknifed = "NEGRA, jackknifed tags"
    assert figures(done.stdout, jackknifed, "ours")["F1, ≤ 40"] == "100.00"
    assert figures(done.stdout, jackknifed, "the paper")["words/s"] == "618"
    assert figures(done.stdout, "NEGRA, gold tags", "the paper")["words/s"] == "–"
    for tags, learned_from in (("gold", "gold"), ("jackknifed", "jackknife")):
        parser = spindle.load(tmp_path / f"NEGRA-{tags}.model")
        assert settings(parser) == ("negra-released", "direct", learned_from, "discontinuous")
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


@pytest.mark.parametrize("column", ["xpos", "lemma", "feats"])
def test_every_provided_column_changes_the_model(
    column: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fine tag is the tag; lemma and morphology are features. The coarse tag changes nothing."""
    monkeypatch.syspath_prepend(str(PAPER.parent))
    module = import_module("paper")
    text = "".join(" ".join(sentence.split()) + "\n" for sentence in brackets(12))
    trees = [spindle.parse_tree(line) for line in text.splitlines()]
    words = [[Token(token.form, token.tag) for token in tree.tokens] for tree in trees]

    def weights(**columns: str) -> bytes:
        for part in ("train", "dev", "test"):
            folder = tmp_path / "POLISH_SPMRL"
            write(folder / f"gold/ptb/{part}/{part}.Polish.gold.ptb", text)
            write(folder / f"pred/conll/{part}/{part}.Polish.pred.conll", rows(words, **columns))
        corpus = module.spmrl(tmp_path, "polish").checked((12, 12, 12), any_count=False)
        options = spindle.TrainOptions(
            order="basic", epochs=2, heads="leftmost", threads=1, parser_options={"bits": 14}
        )
        parser = module.trained(corpus, module.PROVIDED, options, None)
        found: bytes = parser.backend.to_part().arrays["arcs"].tobytes()
        return found

    same = {"xpos": "t", "lemma": "l", "feats": "num=sg"}
    assert weights(upos="X", **same) == weights(upos="Y", **same)
    assert weights(upos="X", **same) != weights(upos="X", **{**same, column: "even-odd"})


def test_gold_tags_are_tags_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PAPER.parent))
    module = import_module("paper")
    trees = list(german(range(1, 3)))
    assert any(token.lemma for token in trees[0].tokens)
    [tokens, _] = (tree.tokens for tree in module.prepared(trees, module.GOLD))
    assert [token.tag for token in tokens] == [token.tag for token in trees[0].tokens]
    assert not any(token.lemma or token.morph for token in tokens)
    assert module.prepared(trees, module.RICH) == tuple(trees)


def test_trees_of_traces_only_and_failures_shift_no_pairing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(PAPER.parent))
    module = import_module("paper")
    empty = "( (S (NP-SBJ (-NONE- *)) (VP (-NONE- *?*))) )\n"
    for section in range(25):
        sentences = list(brackets(3))
        folder = tmp_path / f"parsed/mrg/wsj/{section:02}"
        write(folder / f"wsj_{section:02}01.mrg", "".join([sentences[0], empty, *sentences[1:]]))
    corpus = module.ptb(tmp_path).checked((80, 4, 4), any_count=False)
    assert [len(corpus.parts[part]) for part in ("train", "dev", "test")] == [60, 3, 3]
    options = spindle.TrainOptions(order="basic", epochs=2, heads="collins", threads=1)
    parser = module.trained(corpus, module.GOLD, options, None)
    outcome = module.parsed(parser, corpus, module.GOLD)
    forms = [
        [[token.form for token in tree.tokens] for tree in trees] for trees in (outcome.found, outcome.gold)
    ]
    assert forms[0] == forms[1]
    assert outcome.score("evalb").f1 == 100
    failed = outcome._replace(found=[None, *outcome.found[1:]])
    score = failed.score("evalb")
    assert score.precision == 100
    assert 50 < score.recall < 100


def test_table_1_of_the_penn_treebank(tmp_path: Path) -> None:
    for section in range(25):
        write(tmp_path / f"parsed/mrg/wsj/{section:02}/wsj_{section:02}01.mrg", "".join(brackets(3)))
    chosen = ("--any-count", "--table", "1", "--only", "linear", "--output", str(tmp_path))
    done = paper("ptb", str(tmp_path), *chosen)
    assert done.returncode == 0, done.stderr
    table = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in done.stdout.splitlines()
        if line.startswith("|")
    ]
    head, _, *rows = table
    assert {"UAS", "LAS", "F1", "words / CPU s"} <= set(head)
    assert [(row[0], row[1]) for row in rows] == [
        ("linear basic + labeler", "delta"),
        ("linear standard + labeler", "delta"),
        *(("linear full + labeler", encoding) for encoding in ("hn", "direct", "delta")),
    ]
    assert all(float(row[head.index("F1")]) > 90 for row in rows)
    assert (tmp_path / "table1-PTB.jsonl").read_text().count("\n") == 5
    refused = paper("negra", str(tmp_path), "--table", "1")
    assert refused.returncode == 2
