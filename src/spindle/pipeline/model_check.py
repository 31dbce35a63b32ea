"""The check of a whole model file, before anything computes with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spindle.errors import ModelError, ParserError, SpindleError
from spindle.models import ModelFile
from spindle.models.schema import SchemaError
from spindle.parsers import Backend, find_parser, is_parser
from spindle.pipeline import card, settings
from spindle.pipeline.stages import STAGES
from spindle.text.boundaries import SETTINGS as TEXT_SETTINGS
from spindle.text.bundled import PART as TEXT_PART

HOSTILE = "the file is damaged, or was made to do harm: do not use it"


def check_model(model: ModelFile, parser: type[Backend] | None = None) -> type[Backend]:
    """Check all settings of a model against their schemas, and return the class of its parser.

    `parser` is the class of a backend that is neither built in nor installed as a plug-in. Raises a
    `SchemaError` or a `ModelError`.
    """
    unknown = model.parts.keys() - {"pipeline", "parser", TEXT_PART, *STAGES}
    if unknown:
        raise SchemaError(f"the model has an unknown part {min(unknown)!a}")
    for name in ("pipeline", "parser"):
        if name not in model.parts:
            raise SchemaError(f"the model has no part {name}")
    card.SCHEMA(dict(model.card), "card")
    values = model.parts["pipeline"].settings
    settings.SETTINGS(values, "pipeline")
    for name in STAGES.keys() & model.parts.keys():
        STAGES[name].check_part(model.parts[name], name)
    if TEXT_PART in model.parts:
        TEXT_SETTINGS(model.parts[TEXT_PART].settings, TEXT_PART)
    name = values["parser"]
    if parser is None and not is_parser(name):
        raise ParserError(
            f"its parser {name!a} is not installed; install its package, or load it with its class as "
            "`parser`"
        )
    backend = parser or find_parser(name)
    backend.SETTINGS(model.parts["parser"].settings, "parser")
    return backend


@contextmanager
def naming_the_file(path: Path) -> Iterator[None]:
    """Turn every error of a model that does not fit together into a `ModelError` of one line."""
    try:
        yield
    except SpindleError as error:
        hint = error.hint
        raise ModelError(f"{path}: {_line(error.cause)}", hint=hint) from None
    except SchemaError as error:
        raise ModelError(f"{path}: {error}", hint=HOSTILE) from None
    except KeyError as error:
        raise ModelError(f"{path}: the model has no {error.args[0]!a}", hint=HOSTILE) from error
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, OSError) as error:
        # the checksums are right, so the file is as it was written
        raise ModelError(f"{path}: the model does not fit together: {_line(str(error))}") from error


def _line(text: str) -> str:
    return (text.strip().splitlines() or ["?"])[0][:300]
