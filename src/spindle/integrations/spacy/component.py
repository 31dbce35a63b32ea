"""The component `spindle` of spaCy's pipelines."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from multiprocessing import parent_process
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, Self
from weakref import finalize

import numpy
from spacy.language import Language

from spindle.errors import SpindleError
from spindle.integrations.spacy import attributes
from spindle.integrations.spacy.stored import flat, forget, record_of, store
from spindle.models.bundled import bundled_name, find_model
from spindle.pipeline import Analysis, Parser, Sentence, load
from spindle.text import Span
from spindle.text.tokenizer import respell_quotes
from spindle.trees import Token

NAME = "spindle"
MODEL_FILE = "model"
"""The name of a stored model, below the folder of the component."""


class SpindleComponent:
    """Parses the documents of a spaCy pipeline.

    `model` is the name of a bundled model, a model file, or a loaded parser. It is loaded when the first
    document is parsed, once in each process.
    """

    def __init__(
        self,
        model: str | Path | Parser | None = None,
        *,
        name: str = NAME,
        k: int = 1,
        confidences: bool = False,
        threads: int | None = None,
        use_tags: bool = False,
        set_tags: bool = False,
        spans_key: str | None = None,
    ) -> None:
        self.name = name
        self.k = k
        self.confidences = confidences
        self.threads = threads
        self.use_tags = use_tags
        self.set_tags = set_tags
        self.spans_key = spans_key
        self._loaded: tuple[int, Parser] | None = None
        self._model: str | Path | None
        if isinstance(model, Parser):
            self._loaded = os.getpid(), model
            self._model = model.path
        else:
            find_model(model)  # raises an error for a name that no bundled model has
            self._model = model
        attributes.register()

    @property
    def parser(self) -> Parser:
        """The parser; it is loaded if this process has not done that yet."""
        if self._loaded is not None:
            process, parser = self._loaded
            # the threads of a neural network do not survive a fork, so a child loads the model anew
            if process == os.getpid() or parser.path is None:
                return parser
        parser = load(self._model)
        self._loaded = os.getpid(), parser
        return parser

    def __call__(self, doc: Any) -> Any:
        """Parse one document."""
        self._parse([doc])
        return doc

    def pipe(self, stream: Iterable[Any], *, batch_size: int = 1000) -> Iterator[Any]:
        """Parse documents, the sentences of `batch_size` documents together."""
        handle = self.get_error_handler()
        documents = iter(stream)
        while batch := list(islice(documents, batch_size)):
            try:
                self._parse(batch)
            except Exception:
                yield from self._one_by_one(batch, handle)
            else:
                yield from batch

    def _one_by_one(self, docs: Sequence[Any], handle: Callable[..., None]) -> Iterator[Any]:
        """Parse every document on its own, so that only those are lost that cannot be parsed."""
        for doc in docs:
            try:
                self._parse([doc])
            except Exception as error:
                handle(self.name, self, [doc], error)
            else:
                yield doc

    def set_error_handler(self, handler: Callable[..., None]) -> None:
        """Set the function that is called with documents that cannot be parsed; the default raises."""
        self._error_handler = handler

    def get_error_handler(self) -> Callable[..., None]:
        """Return the function that is called with documents that cannot be parsed."""
        return getattr(self, "_error_handler", _raise)

    # ── parsing ──────────────────────────────────────────────────────────────────────────────────────

    def _parse(self, docs: Sequence[Any]) -> None:
        parser = self.parser
        places: list[tuple[Any, int, list[int]]] = []
        inputs: list[Sentence] = []
        for doc in docs:
            forget(doc)
            if len(doc) and not doc.has_annotation("SENT_START"):
                _mark_sentences(doc, parser)
            for span in doc.sents if len(doc) else ():
                words = [number for number, token in enumerate(span) if not token.is_space]
                if words:
                    places.append((doc, span.start, words))
                    inputs.append(self._input(span, words, parser))
        # spaCy has a process for each core, if it has several at all
        threads = 1 if self.threads is None and parent_process() is not None else self.threads
        analyses = parser.analyse(inputs, threads=threads, k=self.k, confidences=self.confidences)
        for (doc, start, words), analysis in zip(places, analyses, strict=True):
            # white space at the end of a sentence is left out
            store(doc, start, start + words[-1] + 1, record_of(analysis, words))
            if self.set_tags:
                _write_tags(doc, start, words, analysis)
        if self.spans_key is not None:
            for doc in docs:
                _write_spans(doc, self.spans_key)

    def _input(self, span: Any, words: Sequence[int], parser: Parser) -> Sentence:
        texts = [flat(span[number].text) for number in words]
        if parser.splitter.style.penn_quotes:
            texts = [form for form, _, _ in respell_quotes([Span(text, 0, 0) for text in texts])]
        tags = [span[number].tag_ for number in words] if self.use_tags else [""] * len(texts)
        return Sentence(tuple([Token(text, tag) for text, tag in zip(texts, tags, strict=True)]))

    # ── the model in spaCy's own files ───────────────────────────────────────────────────────────────

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the model below the folder `path`, unless it is bundled: spaCy writes its name."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        if "model" not in exclude and self._own_file() is not None:
            data = self.to_bytes()  # before the file is opened, which may be the same
            (folder / MODEL_FILE).write_bytes(data)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> Self:
        """Use the model below the folder `path`, if there is one."""
        file = Path(path) / MODEL_FILE
        if "model" not in exclude and file.is_file():
            self._model, self._loaded = file, None
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Return the model file; nothing for a bundled model, which is where the package is."""
        file = self._own_file()
        return b"" if file is None or "model" in exclude else file.read_bytes()

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> Self:
        """Use the model in these bytes, which `to_bytes` returned."""
        if data and "model" not in exclude:
            # other processes load the model from this file; the folder is removed together with the component
            folder = mkdtemp(prefix="spindle-")
            finalize(self, rmtree, folder, ignore_errors=True)
            file = Path(folder) / MODEL_FILE
            file.write_bytes(data)
            self._model, self._loaded = file, None
        return self

    def _own_file(self) -> Path | None:
        """Return the model file, unless it is a bundled one."""
        if self._loaded is not None and self._loaded[1].path is None:
            raise SpindleError(
                "the parser of the component `spindle` has no model file",
                hint="save it first with `parser.save(path)`",
            )
        file = self._loaded[1].path if self._loaded is not None else find_model(self._model)
        return None if file is None or bundled_name(file) else file


@Language.factory(  # type: ignore[untyped-decorator]
    NAME,
    default_config={
        "model": "english",
        "k": 1,
        "confidences": False,
        "threads": None,
        "use_tags": False,
        "set_tags": False,
        "spans_key": None,
    },
    assigns=[
        *(f"doc._.{name}" for name in attributes.OF_DOC),
        *(f"span._.{name}" for name in attributes.OF_SPAN),
        *(f"token._.{name}" for name in attributes.OF_TOKEN),
    ],
)
def make_component(
    nlp: Language,
    name: str,
    model: str,
    k: int,
    confidences: bool,
    threads: int | None,
    use_tags: bool,
    set_tags: bool,
    spans_key: str | None,
) -> SpindleComponent:
    """Make the component; spaCy calls this for `nlp.add_pipe("spindle", config=…)`."""
    del nlp
    return SpindleComponent(
        model,
        name=name,
        k=k,
        confidences=confidences,
        threads=threads,
        use_tags=use_tags,
        set_tags=set_tags,
        spans_key=spans_key,
    )


def _mark_sentences(doc: Any, parser: Parser) -> None:
    """Set the beginnings of sentences that the parser's own splitter finds."""
    begins = [words[0].start for words in parser.splitter.sentences(doc.text)]
    following = iter(begins[1:])
    begin = next(following, None)
    starts = []
    for token in doc:
        # white space belongs to the sentence before it
        is_start = begin is not None and not token.is_space and token.idx + len(token) > begin
        starts.append(1 if token.i == 0 or is_start else -1)
        while begin is not None and token.idx + len(token) > begin:
            begin = next(following, None)
    # all at once: spaCy reads the whole document when a single token is changed
    doc.from_array(["SENT_START"], numpy.array(starts).astype("uint64"))


def _write_tags(doc: Any, start: int, words: Sequence[int], analysis: Analysis) -> None:
    for number, token in zip(words, analysis.tokens, strict=True):
        doc[start + number].tag_ = token.tag


def _write_spans(doc: Any, key: str) -> None:
    """Write all constituents into `doc.spans`; the parts of a discontinuous one have the same `span_id`."""
    from spacy.tokens import Span as SpacySpan

    doc.spans[key] = [
        SpacySpan(
            doc, part.start, part.end, label=one.label, span_id=f"{one.sentence.start}.{one.vertex.number}"
        )
        for one in doc._.constituents
        for part in one.spans
    ]


def _raise(name: str, component: object, docs: Sequence[Any], error: Exception) -> None:
    raise error
