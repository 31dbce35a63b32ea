"""`spindle parse`: trees for text."""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spindle.cli.common import Reporter, check_output, note, resumable
from spindle.cli.corpus_options import check_corpus_options, corpus_options
from spindle.cli.names import MODEL, ModelOption
from spindle.cli.options import (
    DEPENDENCIES,
    FILE,
    TREES,
    input_kind_option,
    lines_option,
    output_option,
    reading_options,
    threads_option,
    to_option,
)
from spindle.cli.pictures import PICTURES, PictureStyle, check_ending, picture_format, write_pictures
from spindle.cli.table_options import TABLES, TableOptions, table_options

if TYPE_CHECKING:
    from spindle.pipeline import Analysis, ParsingFace, Sentence
    from spindle.treebanks.files import OnError

MAX_K = 10_000
"""The largest number of trees of a sentence; `spindle.pipeline` has the same limit."""
NOT_WITH_ENGINE = ("constraints", "no_heads")
"""Options of one process that a corpus does not have."""
OUTPUTS = (
    *("bracket", "discbracket", "export", "tigerxml", "conllu", "conllu-tree", "json"),
    *TABLES,
    *PICTURES,
)


@click.command()
@click.argument("inputs", metavar="[FILE…|-|TEXT]", nargs=-1, type=FILE)
@output_option("OUT", "The file to write", required=False)
@to_option(
    *OUTPUTS,
    default="by OUT's ending; jsonl for tables, else bracket, or discbracket if the model is discontinuous",
)
@click.option("--model", "models", cls=ModelOption, metavar="NAME|FILE", type=MODEL, multiple=True)
@input_kind_option
@lines_option
@click.option(
    "--tags",
    type=click.Choice(["gold", "predicted"]),
    help="Use the tags that are given, or predict them. [default: gold for tagged, else predicted]",
)
@threads_option
@click.option(
    "--scores", is_flag=True, help="Write the confidence of each constituent; needs --to json, or a table."
)
@click.option(
    "--k-best",
    "k",
    type=click.IntRange(1, MAX_K),
    default=1,
    metavar="N",
    help="Up to N best trees of each sentence, all different. Exact if the model is of order basic, else the "
    "best of a list of candidates.",
)
@click.option(
    "--max-length",
    type=click.IntRange(min=2),
    default=400,
    show_default=True,
    metavar="N",
    help="Parse longer sentences in pieces of at most N words.",
)
@click.option(
    "--constraints",
    metavar="FILE",
    type=FILE,
    help="What the tree of each sentence must be like: JSON lines, one per sentence.",
)
@click.option("--no-heads", is_flag=True, help="Do not show heads in pictures.")
@table_options
@click.option("--resume", is_flag=True, help="Continue after the last complete sentence in OUT.")
@reading_options(*TREES, *DEPENDENCIES)
@corpus_options
@click.pass_context
def parse(
    context: click.Context,
    inputs: tuple[str, ...],
    output: str,
    to: str | None,
    models: tuple[str, ...],
    kind: str | None,
    lines: str,
    tags: str | None,
    threads: int | None,
    scores: bool,
    k: int,
    max_length: int,
    constraints: str | None,
    no_heads: bool,
    tables: TableOptions,
    resume: bool,
    from_: str | None,
    text_encoding: str | None,
    on_error: OnError,
    engine: str | None,
    scheduler: str | None,
    workers: int | None,
    partition_size: str | None,
    tries: int | None,
) -> None:
    """Parse text, words or treebanks into constituent trees.

    An argument that is not a file and contains a blank is a text to parse. Output keeps the order of the
    input; an empty line gives an empty line. Lines of standard input are answered as they arrive, and in
    batches if many arrive at once.

    \b
    Examples:
      spindle parse "The public is still cautious."
      spindle parse news.txt -o news.ptb --model my.model
      spindle parse news.txt -o news.ptb --model a.model --model b.model
      spindle parse "The public is still cautious." -o tree.png
      spindle parse dev.export --input trees --tags gold --to export -o parsed.export
      cat tokenised.txt | spindle parse - --input tokens --to json --scores
      spindle parse news.parquet -o parsed.parquet --text-field body --id-field id
      spindle parse 'news/*.txt.gz' -o parsed --engine dask --scheduler tcp://head:8786
    """
    check_corpus_options(context, engine, inputs, output, NOT_WITH_ENGINE)
    if engine is not None:
        if to in PICTURES:
            raise click.UsageError("--engine writes trees, not pictures.")
        from spindle.cli.parse_corpus import parse_into_folder

        given = {
            "to": to,
            "input": kind,
            "lines": lines,
            "tags": tags,
            "format": from_,
            "text_encoding": text_encoding,
            "k": k,
            "scores": scores,
            "max_length": max_length,
            "text_field": tables.text_field,
            "tokens_field": tables.tokens_field,
            "tags_field": tables.tags_field,
            "id_field": tables.id_field,
            "columns": tables.names,
            "one_row": tables.one_row,
            "prefix": tables.prefix,
            "engine": engine,
            "scheduler": scheduler,
            "workers": workers,
            "threads": threads,
            "partition_size": partition_size,
            "tries": tries,
        }
        parse_into_folder(
            inputs, output, models, **{key: one for key, one in given.items() if one is not None}
        )
        return
    from spindle.cli.parse_input import Arguments, is_text, kind_of
    from spindle.cli.parse_record import check_record, describe, remove_orphan, remove_record, write_record
    from spindle.outputs import only_writer
    from spindle.pipeline import Ensemble, load
    from spindle.pipeline.constraints import read_constraints
    from spindle.pipeline.face import constrain
    from spindle.pipeline.inputs import InputKind
    from spindle.pipeline.outputs import check_resumable, is_compressed, opened, output_format
    from spindle.pipeline.table_outputs import rows_done, table_format, write_parquet_rows
    from spindle.tables import TableFormat
    from spindle.text import Lines

    if not inputs:
        if sys.stdin.isatty():
            raise click.UsageError("Nothing to parse: give a file, a sentence, or - for standard input.")
        inputs = ("-",)
    files = [name for name in inputs if not is_text(name)]
    check_output(files, output)
    if resume and output == "-":
        raise click.UsageError("--resume continues a file; name it with -o.")
    if missing := next((name for name in files if name != "-" and not Path(name).exists()), None):
        raise click.UsageError(f"There is no file {missing}; a sentence to parse must contain a blank.")
    parser = load(models) if len(models) > 1 else load(models[0] if models else None)
    gc.freeze()  # the model stays in memory, so the garbage collector can skip it
    click.get_current_context().call_on_close(gc.unfreeze)  # so that the core's objects are freed at exit
    input_kind = None if kind is None else InputKind(kind)
    kinds = [kind_of(argument, input_kind, from_) for argument in inputs]
    reads_tables = any(kind.is_table for kind in kinds)
    to = to or _format_of(output, parser, reads_tables)
    tables.check(kinds, to)
    _check_format(to, parser, scores, k, resume)
    check_ending(output, to)
    if no_heads and to not in PICTURES:
        raise click.UsageError(f"--no-heads is for pictures: --to {', '.join(PICTURES)}.")
    if k > 1 and parser.gives_k_best and not parser.k_best_is_exact:
        note("the trees after the first are the best of a list of candidates; a better one may be missing")
    builder = tables.builder(parser, k, scores, reads_tables) if to in TABLES else None
    reporter = Reporter(output)
    arguments = Arguments(
        parser,
        input_kind,
        tags,
        from_,
        text_encoding,
        on_error,
        reporter,
        Lines(lines),
        tables.fields(builder),
    )
    for argument in inputs:
        arguments.check(argument)
    is_file = output != "-" and (Path(output).is_file() or not Path(output).exists())
    if is_file:
        click.get_current_context().with_resource(only_writer(Path(output)))
    made_by = None
    if is_file and to not in PICTURES:
        options: dict[str, object] = {
            "to": to,
            "input": kind,
            "tags": tags,
            "from": from_,
            "text encoding": text_encoding,
        }
        options |= {"--k-best": k, "--max-length": max_length, "--scores": scores, **tables.to_dict()}
        if constraints is not None:
            options["--constraints"] = constraints
        parsers = parser.parsers if isinstance(parser, Ensemble) else (parser,)
        paths = [one.path for one in parsers if one.path is not None]
        made_by = describe(inputs, paths, options)
        if resume:
            check_resumable(output)
            check_record(output, inputs, made_by)
        write_record(output, made_by)
        click.get_current_context().call_on_close(partial(remove_orphan, output))
    sentences: Iterator[Sentence] = (one for argument in inputs for one in arguments.read(argument))
    if constraints is not None:
        if k > 1:
            raise click.UsageError("A sentence with --constraints has one tree; leave --k-best out.")
        sentences = constrain(sentences, read_constraints(constraints), parser.splitter)
    tally = Tally()
    analyses = tally.watch(
        parser.analyse(
            sentences,
            threads=threads,
            longest=max_length,
            k=k,
            confidences=scores,
            is_ready=arguments.is_ready,  # a line is answered before the next one is waited for
        )
    )
    if to in PICTURES:
        trees = (
            (
                analysis.sentence.id or str(number),
                candidate.tree.replace(heads=None) if no_heads else candidate.tree,
            )
            for number, analysis in enumerate(analyses, start=1)
            for candidate in analysis.candidates
        )
        write_pictures(trees, output, to, PictureStyle())
    elif builder is not None and to == "parquet":
        done = rows_done(output) if resume else 0
        _skip(sentences, done, builder.completes, output)
        with resumable(output):
            write_parquet_rows(analyses, output, builder, arguments.schema(inputs), done)
    else:
        if builder is None:
            format = output_format(to, parser, k)
        else:
            format = table_format(TableFormat(to), output, builder)
        if not resume:  # a failure on the first sentence must not leave a file with nothing but its head
            analyses = chain(list(islice(analyses, 1)), analyses)
        can_resume = output != "-" and not is_compressed(output)
        with (
            resumable(output) if can_resume else nullcontext(),
            opened(output, format, resume) as (stream, done),
        ):
            _skip(sentences, done, format.counts, output)
            number = done
            for analysis in analyses:
                number += format.counts(analysis.sentence)
                stream.write(format.write(analysis, number))
                if not is_compressed(output):
                    stream.flush()
    if made_by is not None and not resume:
        remove_record(output)
    tally.report()
    reporter.sum_up()


def _skip(sentences: Iterator[Sentence], done: int, counts: Callable[[Sentence], bool], output: str) -> None:
    """Skip the sentences of `done` units; `counts` tells whether a unit ends with a sentence."""
    skipped = 0
    while skipped < done:
        sentence = next(sentences, None)
        if sentence is None:
            note(f"{output} already has more than the input; nothing was added")
            return
        skipped += counts(sentence)


def _format_of(out: str, parser: ParsingFace, reads_tables: bool) -> str:
    from spindle.tables import format_of_table
    from spindle.treebanks.formats import format_by_ending

    table = format_of_table(out)
    if table is not None and (reads_tables or table != "jsonl"):
        return table
    ending = Path(out).suffix.removeprefix(".")
    if ending in ("json", "jsonl"):
        return "json"
    if picture := picture_format(out):
        return picture
    by_ending = format_by_ending(out)
    if by_ending in OUTPUTS:
        return by_ending
    if reads_tables:
        return "jsonl"
    return "bracket" if parser.settings.mode == "continuous" else "discbracket"


def _check_format(to: str, parser: ParsingFace, scores: bool, k: int, resume: bool) -> None:
    """Raise a usage error for options that do not work together."""
    if to == "bracket" and parser.settings.mode != "continuous":
        raise click.UsageError("The model gives discontinuous trees; write discbracket, export or tigerxml.")
    if scores and to not in ("json", *TABLES):
        raise click.UsageError("Only JSON output and tables have scores; add --to json.")
    if scores and not parser.gives_confidences:
        raise click.UsageError("The model's parser gives no confidences, so there are no scores.")
    if resume and to in PICTURES:
        raise click.UsageError("A picture cannot be resumed; start anew without --resume.")
    if resume and k > 1 and to not in ("bracket", "discbracket", "json", *TABLES):
        raise click.UsageError(f"--resume cannot tell the trees of one sentence apart in {to} with --k-best.")


class Tally:
    """Counts repairs, and sentences that were parsed in pieces."""

    def __init__(self) -> None:
        self.tokens = self.repaired = self.cut = 0
        self.repairs: Counter[str] = Counter()

    def watch(self, analyses: Iterator[Analysis]) -> Iterator[Analysis]:
        """Yield the analyses and count them."""
        for analysis in analyses:
            self.tokens += len(analysis.sentence.tokens)
            self.cut += analysis.pieces > 1
            for candidate in analysis.candidates[:1]:
                self.repaired += len(candidate.repairs.tokens)
                self.repairs.update(candidate.repairs.counts)
            yield analysis

    def report(self) -> None:
        """Print the number of repairs, and of sentences that were parsed in pieces."""
        if self.repairs:
            kinds = ", ".join(f"{kind} {count}" for kind, count in self.repairs.most_common())
            share = self.repaired / self.tokens
            note(f"repaired {self.repaired:,} of {self.tokens:,} tokens ({share:.2%}): {kinds}")
        if self.cut:
            note(f"sentences longer than --max-length, parsed in pieces: {self.cut:,}")
