"""The trained pipeline: from words to constituent trees."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice, repeat
from pathlib import Path
from threading import Lock
from time import perf_counter, thread_time
from typing import Any

from spindle import __version__
from spindle.errors import ConstraintError, ParserError
from spindle.models import ModelFile, ModelPart, read_model, write_model
from spindle.models.bundled import HUB, bundled_name, find_model
from spindle.parsers import Backend, is_parser, name_of
from spindle.parsers.in_order import in_order
from spindle.pipeline.analysis import Analysis, Candidate, KBest
from spindle.pipeline.batch import Batch, Decoded, check_lists, distinct
from spindle.pipeline.card import Card
from spindle.pipeline.confidence import node_confidences
from spindle.pipeline.constrained import Plan, check_constraints, plans
from spindle.pipeline.constraints import Constraints
from spindle.pipeline.conventions import Punctuation
from spindle.pipeline.face import (
    MAX_LENGTH,
    MAX_THREADS,
    ParsingFace,
    check_request,
    constrain,
    in_batches,
)
from spindle.pipeline.long_sentences import cut, join
from spindle.pipeline.model_check import check_model, naming_the_file
from spindle.pipeline.reranking import rerank
from spindle.pipeline.sentence import Input, Sentence
from spindle.pipeline.settings import PipelineSettings
from spindle.pipeline.stages import Stages, Steps, Tokens, resolve_steps, tag
from spindle.reduction import Repairs, encode, read_labels, repair
from spindle.text import BoundaryModel, model_for
from spindle.text.bundled import PART as TEXT_PART
from spindle.trees import DTree, Tree

KIND = "parser"
"""The kind of a model file that holds a pipeline."""
K_BEST_MARGIN = 4
"""Different heads may decode to the same tree, so the backend is asked for this many times `k` d-trees."""

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, repr=False)
class Parser(ParsingFace):
    """A dependency parser, and the stages that turn its predictions into constituent trees.

    Call it with a text: `parser("It works. It is fast.")` returns a `Document`. A parser can be used from
    several threads. It is pickled as a reference to its model file, so that processes can share it.

    `path` is the file that the parser was loaded from or saved to; None if there is none. `seconds` sums up
    the CPU time of every step, over all threads that the pipeline runs on.
    """

    backend: Backend
    settings: PipelineSettings
    stages: Stages = Stages()  # noqa: RUF009
    card: Card = Card()  # noqa: RUF009
    text_model: BoundaryModel | None = None
    seconds: Counter[str] = field(default_factory=Counter, compare=False)
    path: Path | None = field(default=None, init=False, compare=False)
    _steps: Steps = field(init=False, compare=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_steps", resolve_steps(self.backend, self.stages, self.settings))

    def __repr__(self) -> str:
        name = "not saved" if self.path is None else self.path.name
        return f"<Parser {name}: {name_of(type(self.backend))}, {self.settings.mode} trees>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the parser as a reference to its model file, without weights."""
        if self.path is None:
            raise ParserError(
                "a parser without a model file cannot be pickled",
                hint="save it first with `parser.save(path)`",
            )
        name = bundled_name(self.path) or str(self.path)
        backend = type(self.backend)
        return load, (name, None if is_parser(name_of(backend)) else backend)

    @property
    def predicts_tags(self) -> bool:
        """Whether the model tags words that have no tags."""
        return self.stages.tagger is not None or "tags" in self.settings.predicted

    @property
    def gives_k_best(self) -> bool:
        """Whether it can give several analyses of a sentence."""
        return self.backend.gives_k_best

    @property
    def k_best_is_exact(self) -> bool:
        """Whether no tree outside a k-best list scores more than those in it."""
        return self.backend.k_best_is_exact and self.stages.reranker is None

    @property
    def gives_confidences(self) -> bool:
        """Whether it can give the confidence of every constituent."""
        return "confidences" in self.backend.predicts

    # ── parsing ──────────────────────────────────────────────────────────────────────────────────────

    def analyse(
        self,
        sentences: Iterable[Input],
        *,
        threads: int | None = None,
        longest: int = MAX_LENGTH,
        k: int = 1,
        confidences: bool = False,
        batch: int | None = None,
        is_ready: Callable[[], bool] = lambda: True,
        constraints: Iterable[Constraints | None] | None = None,
    ) -> Iterator[Analysis]:
        """As `parse_many`, but yield full analyses: `k` best trees, repairs, and confidences on request.

        `is_ready` tells whether the next sentence is there without waiting. A batch ends before one that is
        not, so that the analyses of all others are yielded first.
        """
        check_request(self, sentences, threads=threads, longest=longest, k=k, batch=batch)
        if constraints is not None:
            sentences = constrain(sentences, constraints, self.splitter)
        return self._analyses(sentences, threads, longest, k, confidences, batch, is_ready)

    def _analyses(
        self,
        sentences: Iterable[Input],
        threads: int | None,
        longest: int,
        k: int,
        confidences: bool,
        batch: int | None,
        is_ready: Callable[[], bool],
    ) -> Iterator[Analysis]:
        splitter = self.splitter
        inputs = (Sentence.of(given, splitter) for given in sentences)
        batches = in_batches(inputs, batch or self.backend.batch, is_ready)
        threads = min(threads or os.cpu_count() or 1, MAX_THREADS)
        at_a_time = threads if self.backend.parallel and batch != 1 else 1

        def analyse(sentences: Sequence[Sentence]) -> list[Analysis]:
            return list(self._analyse_batch(sentences, longest, k, confidences, threads // at_a_time))

        for analyses in in_order(analyse, batches, at_a_time, is_ready):
            yield from analyses

    def _analyse_batch(
        self, sentences: Sequence[Sentence], longest: int, k: int, confidences: bool, threads: int
    ) -> Iterator[Analysis]:
        """Parse sentences, those with more than `longest` words in pieces."""
        for sentence in sentences:
            if sentence.constraints:
                self._check_constraints(sentence, longest, k)
        pieces = [cut(sentence, longest) for sentence in sentences]
        flat = [one for cuts in pieces for one in cuts]
        parsed = self._parse_pieces(flat, k, confidences, threads)
        found = iter(self._constrained(flat, parsed, confidences, threads))
        for sentence, cuts in zip(sentences, pieces, strict=True):
            candidates = list(islice(found, len(cuts)))
            if len(cuts) > 1:
                yield Analysis(sentence, _placed([self._joined(sentence, candidates)], sentence), len(cuts))
            else:
                yield Analysis(sentence, _placed(candidates[0] if candidates else (), sentence))

    # ── constraints ──────────────────────────────────────────────────────────────────────────────────

    def _check_constraints(self, sentence: Sentence, longest: int, k: int) -> None:
        """Raise a `ConstraintError` for constraints that contradict each other or the request."""
        assert sentence.constraints is not None
        if k > 1:
            raise ConstraintError("a sentence with constraints has only its best analysis; leave `k` at 1")
        if len(sentence.tokens) > longest:
            raise ConstraintError(
                f"a sentence of {len(sentence.tokens)} words is parsed in pieces, which have no constraints",
                hint="allow longer sentences",
            )
        check_constraints(
            sentence.tokens, sentence.constraints, self.settings.mode, self.settings.conventions
        )

    def _constrained(
        self,
        sentences: Sequence[Sentence],
        found: list[tuple[Candidate, ...]],
        confidences: bool,
        threads: int,
    ) -> list[tuple[Candidate, ...]]:
        """Parse the sentences anew whose best tree breaks a constraint."""
        waiting: dict[int, list[Plan]] = {}
        for at, sentence in enumerate(sentences):
            if (
                sentence.constraints
                and sentence.constraints.has_structure
                and self._broken(sentence, found[at])
            ):
                tokens = found[at][0].tree.tokens
                settings = self.settings
                waiting[at] = plans(tokens, sentence.constraints, settings.mode, settings.conventions)
        while waiting:
            numbers = list(waiting)
            again = self._parse_pieces(
                [sentences[at] for at in numbers],
                1,
                confidences,
                threads,
                [waiting[at].pop(0) for at in numbers],
            )
            for at, candidates in zip(numbers, again, strict=True):
                found[at] = candidates
                if not (broken := self._broken(sentences[at], candidates)):
                    del waiting[at]
                elif not waiting[at]:
                    raise ConstraintError(
                        f"no tree of the model satisfies the constraints: {'; '.join(broken)}"
                    )
        return found

    def _broken(self, sentence: Sentence, candidates: Sequence[Candidate]) -> list[str]:
        assert sentence.constraints is not None
        functions = self.settings.conventions.functions_in_labels
        return sentence.constraints.violations(candidates[0].tree, ignore_functions=functions)

    def _guided(self, batch: Batch, guides: Sequence[Plan], threads: int) -> Batch:
        """Return the batch with heads that satisfy the constraints, where there are such heads."""
        tables = self.backend.arc_scores(batch.tokens, batch.predictions, threads)
        trees = []
        for plan, table, prediction in zip(guides, tables, batch.predictions, strict=True):
            found = plan.trees(table)
            if not found and not plan.raises_punctuation:
                conflict = "; ".join(plan.conflict(table))
                raise ConstraintError(
                    f"no tree of the model satisfies these constraints together: {conflict}"
                )
            trees.append(found or [list(prediction.heads)])
        predictions = self.backend.reattach(batch.tokens, batch.predictions, trees, threads)
        return batch._replace(predictions=predictions)

    def _restored(self, tree: Tree, plan: Plan | None) -> Tree:
        conventions = self.settings.conventions
        is_literal = plan is not None and not plan.raises_punctuation
        if is_literal and conventions.punctuation is Punctuation.RESTORE:
            conventions = replace(conventions, punctuation=Punctuation.MOVE)
        return conventions.restore(tree)

    def _joined(self, sentence: Sentence, pieces: Sequence[tuple[Candidate, ...]]) -> Candidate:
        """One tree over the best trees of the pieces, without confidences, which hold for the pieces only."""
        repairs = Repairs()
        start = 0
        for best, *_ in pieces:
            for kind, tokens in best.repairs.items():
                for token in tokens:
                    repairs.add(kind, start + token)
            start += len(best.tree)
        tree = join([best.tree for best, *_ in pieces], self.settings.conventions.wrapper)
        tree = tree.replace(id=sentence.id, comments=sentence.comments)
        return Candidate(tree, encode(tree).dtree, repairs=repairs)

    # ── the four steps of the paper ──────────────────────────────────────────────────────────────────

    def _parse_pieces(
        self,
        sentences: Sequence[Sentence],
        k: int,
        confidences: bool,
        threads: int,
        guides: Sequence[Plan] | None = None,
    ) -> list[tuple[Candidate, ...]]:
        """The best trees of every sentence: tags and arcs, labels, d-trees, constituents.

        With `guides`, one per sentence, the trees follow them.
        """
        if not sentences:
            return []
        reranker = None if guides else self.stages.reranker
        wanted = K_BEST_MARGIN * k if k > 1 else 1
        if reranker is not None:
            wanted = max(wanted, reranker.candidates)
        found = self._decode(sentences, wanted, threads, guides)
        if reranker is not None:
            with self._timed("reranker"):
                found = rerank(reranker, found, len(sentences), k, threads)
        batch, dtrees, repairs, decoded = found
        with self._timed("functions"):
            trees = self._steps.functions.label(decoded, threads)
        with self._timed("restore"):
            trees = [
                self._restored(tree, plan)
                for tree, plan in zip(trees, guides or repeat(None, len(trees)), strict=True)
            ]
        kept = distinct(trees, batch.owners, len(sentences), k)
        with self._timed("confidences"):
            sure = self._confidences(batch, dtrees, decoded, trees, kept, threads) if confidences else {}
        return [
            tuple(
                Candidate(trees[at], dtrees[at], sure.get(at), batch.predictions[at].score, repairs[at])
                for at in numbers
            )
            for numbers in kept
        ]

    def candidate_trees(
        self, sentences: Sequence[Sentence], wanted: int, threads: int
    ) -> Iterator[list[tuple[Tree, float]]]:
        """Yield up to `wanted` different trees of every sentence with the scores of the parser.

        The trees have no functions, and not the conventions of the treebank: a reranker learns from them.
        """
        for batch in in_batches(iter(sentences), self.backend.batch, lambda: True):
            found = self._decode(batch, wanted, threads)
            scores = found.batch.predictions
            for rows in distinct(found.trees, found.batch.owners, len(batch), wanted):
                yield [(found.trees[row], scores[row].score or 0.0) for row in rows]

    def _decode(
        self,
        sentences: Sequence[Sentence],
        wanted: int,
        threads: int,
        guides: Sequence[Plan] | None = None,
    ) -> Decoded:
        """Up to `wanted` d-trees of every sentence, and their constituent trees."""
        with self._timed("tagger"):
            tagged = tag(self._steps.tags, sentences, threads)
        with self._timed("parser"):
            batch = self._predict(sentences, tagged, wanted, threads)
        if guides:
            with self._timed("constraints"):
                batch = self._guided(batch, guides, threads)
        with self._timed("labeler"):
            labels = self._steps.labels.label(batch.tokens, batch.predictions, threads)
        with self._timed("repair"):
            dtrees, repairs = self._repair(batch, labels, guides)
        with self._timed("unaries"):
            decoded = self._steps.trees.decode(dtrees, batch.predictions, threads)
            if guides:
                fitted = [plan.fit(tree) for plan, tree in zip(guides, decoded, strict=True)]
                decoded, dtrees = [tree for tree, _ in fitted], [dtree for _, dtree in fitted]
        return Decoded(batch, dtrees, repairs, decoded)

    def _predict(self, sentences: Sequence[Sentence], tagged: Tokens, wanted: int, threads: int) -> Batch:
        if wanted > 1:
            lists = self.backend.parse_k_best(tagged, wanted, threads)
        else:
            lists = [[prediction] for prediction in self.backend.parse(tagged, threads)]
        check_lists(sentences, lists, self.backend)
        owners = [owner for owner, predictions in enumerate(lists) for _ in predictions]
        predictions = [prediction for predictions in lists for prediction in predictions]
        tokens = [
            tagged[owner] if prediction.tokens is None or sentences[owner].is_tagged else prediction.tokens
            for owner, prediction in zip(owners, predictions, strict=True)
        ]
        for row, owner in enumerate(owners):
            if fixed := sentences[owner].constraints:
                tokens[row] = fixed.tagged(tokens[row])
        return Batch([sentences[owner] for owner in owners], owners, predictions, tokens)

    def _repair(
        self, batch: Batch, labels: Sequence[Sequence[str]], guides: Sequence[Plan] | None = None
    ) -> tuple[list[DTree], list[Repairs]]:
        """Read the labels and repair every prediction, so that its d-tree is ordered."""
        dtrees: list[DTree] = []
        counts: list[Repairs] = []
        mode, encoding = self.settings.mode, self.settings.encoding
        each = guides or repeat(None, len(batch.sentences))
        rows = zip(batch.sentences, batch.tokens, batch.predictions, labels, each, strict=True)
        for sentence, tokens, prediction, encoded, plan in rows:
            symbols, indices, faults = read_labels(prediction.heads, encoded, encoding)
            if plan is not None:
                indices = plan.separate(prediction.heads, indices)
            dtree, repairs = repair(
                tokens,
                prediction.heads,
                symbols,
                indices,
                mode=mode,
                id=sentence.id,
                comments=sentence.comments,
            )
            for kind, touched in faults.items():
                for token in touched:
                    repairs.add(kind, token)
            if plan is not None:
                dtree = plan.with_nodes(dtree)
            dtrees.append(dtree)
            counts.append(repairs)
        return dtrees, counts

    def _confidences(
        self,
        batch: Batch,
        dtrees: Sequence[DTree],
        decoded: Sequence[Tree],
        trees: Sequence[Tree],
        kept: Sequence[Sequence[int]],
        threads: int,
    ) -> dict[int, tuple[float, ...]]:
        """The confidence of every node of the kept trees, where the backend gives head probabilities."""
        first = [numbers[0] for numbers in kept]  # head probabilities are the same for all analyses
        heads = self.backend.head_probabilities(
            [batch.tokens[at] for at in first], [batch.predictions[at] for at in first], threads
        )
        chosen = [at for numbers in kept for at in numbers]
        labels = self._steps.labels.probabilities(
            [batch.tokens[at] for at in chosen], [batch.predictions[at] for at in chosen], threads
        )
        found: dict[int, tuple[float, ...]] = {}
        for at, of_labels in zip(chosen, labels, strict=True):
            table = heads[batch.owners[at]]
            if table is not None:
                found[at] = node_confidences(
                    decoded[at], trees[at], dtrees[at], table, of_labels, self.settings.calibration
                )
        return found

    @contextmanager
    def _timed(self, step: str) -> Iterator[None]:
        start = thread_time()
        yield
        with self._lock:
            self.seconds[step] += thread_time() - start  # type: ignore[assignment]

    # ── saving ───────────────────────────────────────────────────────────────────────────────────────

    def save(self, path: str | Path) -> None:
        """Write everything into one file. The inverse is `load`."""
        write_model(path, self.to_model_file())
        object.__setattr__(self, "path", Path(path).resolve())

    def to_model_file(self) -> ModelFile:
        """Return the content of the file that `save` writes."""
        settings = {"parser": name_of(type(self.backend)), **self.settings.to_dict()}
        parts = {
            "pipeline": ModelPart(settings),
            "parser": self.backend.to_part(),
            **self.stages.to_parts(),
        }
        if self.text_model is not None:
            parts[TEXT_PART] = self.text_model.to_part()
        return ModelFile(KIND, self.card.to_dict(), parts, f"spindle {__version__}")

    def push_to_hub(
        self,
        repository: str,
        *,
        language: str | None = None,
        licence: str | None = None,
        private: bool | None = None,
        revision: str | None = None,
        message: str | None = None,
        token: str | None = None,
    ) -> str:
        """Upload the parser to the Hugging Face Hub, as `owner/name`; return the address of the commit.

        The repository is created if there is none, `private` or not. It gets the model file, and a card made
        from the model's own unless a person has written one. `language` is an ISO code for the card,
        `licence` replaces that of the training data. `revision` is a branch. The token is that of
        `hf auth login` or HF_TOKEN unless it is given.
        """
        from spindle.integrations.huggingface.upload import push

        return push(
            self,
            repository,
            language=language,
            licence=licence,
            private=private,
            revision=revision,
            message=message,
            token=token,
        )


def verify(path: str | Path, parser: type[Backend] | None = None) -> ModelFile:
    """Check a model file without building anything from it; return its content, or raise a `ModelError`."""
    path = find_model(path)
    model = read_model(path, KIND)
    with naming_the_file(path):
        check_model(model, parser).check_part(model.parts["parser"])
        PipelineSettings.from_dict(model.parts["pipeline"].settings)
    return model


def load(
    path: str | Path | None = None, parser: type[Backend] | None = None, *, mapped: bool = False
) -> Parser:
    """Read a model file, or a bundled model by its name; without a name, the default one.

    `hf://owner/name` is a model on the Hugging Face Hub. `parser` is the class of a backend that is neither
    built in nor installed as a plug-in. `mapped` is that of `read_model`.
    """
    is_on_hub = str(path).startswith(HUB)
    path = find_model(path)
    start = perf_counter()
    model = read_model(path, KIND, mapped=mapped)
    with naming_the_file(path):
        loaded = _assembled(model, parser)
    # the cache of the hub has links with the names of files, each for one revision, to files without names
    object.__setattr__(loaded, "path", path.absolute() if is_on_hub else path.resolve())
    _logger.debug("%s: loaded in %.2f s", path, perf_counter() - start)
    return loaded


def _assembled(model: ModelFile, parser: type[Backend] | None) -> Parser:
    backend = check_model(model, parser)
    card = Card.from_dict(model.card)
    text_model = model_for(card.training.files)
    if TEXT_PART in model.parts:
        text_model = BoundaryModel.from_part(model.parts[TEXT_PART])
    return Parser(
        backend.from_part(model.parts["parser"]),
        PipelineSettings.from_dict(model.parts["pipeline"].settings),
        Stages.from_parts(model.parts),
        card,
        text_model,
    )


def _placed(candidates: Iterable[Candidate], sentence: Sentence) -> KBest:
    """The candidates; their trees know where the sentence is in its text, if that is known."""
    if not sentence.spans:
        return KBest(candidates)
    offsets = [(span.start, span.end) for span in sentence.spans]
    return KBest(replace(one, tree=one.tree.with_text(sentence.text, offsets)) for one in candidates)
