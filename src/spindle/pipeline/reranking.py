"""The choice among the trees of a k-best list."""

from __future__ import annotations

from dataclasses import replace

from spindle.parsers.linear import Reranker
from spindle.pipeline.batch import Decoded, rows_of_sentences


def rerank(reranker: Reranker, found: Decoded, sentences: int, k: int, threads: int) -> Decoded:
    """Sort the trees of every sentence by their scores under the reranker; keep one if `k` is 1.

    The scores of the predictions become those of the reranker.
    """
    lists = rows_of_sentences(found.batch.owners, sentences)
    predictions = found.batch.predictions
    scores = reranker.scores(
        [[found.trees[row] for row in rows] for rows in lists],
        [[predictions[row].score or 0.0 for row in rows] for rows in lists],
        threads,
    )
    order: list[int] = []
    score_of: dict[int, float] = {}
    for rows, of_sentence in zip(lists, scores, strict=True):
        score_of |= zip(rows, of_sentence, strict=True)
        # sorting is stable: of equal scores the tree that the parser prefers comes first
        best_first = sorted(rows, key=score_of.__getitem__, reverse=True)
        order += best_first[:1] if k == 1 else best_first
    kept = found.rows(order)
    rescored = [
        replace(prediction, score=score_of[row])
        for row, prediction in zip(order, kept.batch.predictions, strict=True)
    ]
    return kept._replace(batch=kept.batch._replace(predictions=rescored))
