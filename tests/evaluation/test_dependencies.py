"""Attachment scores, with and without punctuation."""

from __future__ import annotations

from pathlib import Path

from spindle.evaluation import DependencyScore, evaluate_dependencies

GOLD = """\
# sent_id = 1
1\tthe\t_\tDET\tDT\t_\t2\tNP#1\t_\t_
2\tcat\t_\tNOUN\tNN\t_\t3\tS#2\t_\t_
3\tsleeps\t_\tVERB\tVBZ\t_\t0\troot\t_\t_
4\t.\t_\tPUNCT\t.\t_\t3\tS#2\t_\t_

"""


def score(tmp_path: Path, gold: str, pred: str) -> DependencyScore:
    (tmp_path / "gold.conllu").write_text(gold)
    (tmp_path / "pred.conllu").write_text(pred)
    return evaluate_dependencies(tmp_path / "gold.conllu", tmp_path / "pred.conllu")


def test_heads_labels_and_both(tmp_path: Path) -> None:
    pred = (
        GOLD.replace("2\tNP#1", "3\tNP#1")
        .replace("3\tS#2\t_\t_\n3", "3\tS#1\t_\t_\n3")
        .replace("3\tS#2", "1\tS#2")
    )
    figures = score(tmp_path, GOLD, pred).to_dict(per_sentence=True)
    assert (figures["words"], figures["words_no_punctuation"]) == (4, 3)
    assert (figures["uas"], figures["las"], figures["label_accuracy"]) == (50.0, 25.0, 75.0)
    assert (figures["uas_no_punctuation"], figures["las_no_punctuation"]) == (200 / 3, 100 / 3)
    assert figures["per_sentence"][0]["heads"] == 2
    assert figures["signature"].startswith("dependencies|")


def test_problems_are_reported_and_left_out(tmp_path: Path) -> None:
    second = GOLD.replace("sent_id = 1", "sent_id = 2")
    result = score(tmp_path, GOLD + second, GOLD + second.replace("cat", "dog"))
    assert result.to_dict()["left_out"] == 1
    assert result.to_dict()["las"] == 100.0
    assert result.to_dict()["problems"] == [
        {"sentence": "2", "problem": "word mismatch: 'cat' in gold, 'dog' in the prediction"}
    ]
    assert score(tmp_path, GOLD, GOLD.replace("4\t.", "").split("\n4")[0]).to_dict()["missing"] == 1
    assert score(tmp_path, GOLD + second, GOLD).to_dict()["problems"][0]["problem"] == "not in the prediction"
    assert score(tmp_path, GOLD, second).coverage == {
        "sentences": 1,
        "scored": 0,
        "missing": 1,
        "left_out": 0,
        "extra": 1,
    }


def test_missing_sentences_count_as_wrong(tmp_path: Path) -> None:
    second = GOLD.replace("sent_id = 1", "sent_id = 2")
    counted = score(tmp_path, GOLD + second, GOLD)
    assert counted.to_dict()["las"] == counted.to_dict()["las_no_punctuation"] == 50.0
    assert "missing:count|scored:1/2" in counted.signature
    skipped = evaluate_dependencies(tmp_path / "gold.conllu", tmp_path / "pred.conllu", missing="skip")
    assert skipped.to_dict()["las"] == 100.0


def test_scores_add_up(tmp_path: Path) -> None:
    one = score(tmp_path, GOLD, GOLD)
    assert "las 100.00" in str(one)
    assert (one + one).everything == tuple(2 * count for count in one.everything)


def test_nothing_to_score_is_undefined(tmp_path: Path) -> None:
    headless = GOLD.replace("\t3\t", "\t_\t")
    figures = score(tmp_path, headless, GOLD).to_dict()
    assert figures["uas"] is None
    assert figures["problems"][0]["problem"] == "word 2 has no head in gold"
