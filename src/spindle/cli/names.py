"""Names that shells complete: models, parsers, head rules. A file name is a value of most of them, too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class NameOrFile(click.Path):
    """A name out of some, or a file. The verb that uses the value reports if it is neither.

    `names` is called only for completion, so that it can import what it needs.
    """

    def __init__(self, names: Callable[[], Iterable[tuple[str, str]]], *, allows_files: bool = True) -> None:
        super().__init__(readable=False, allow_dash=True)
        self.names, self.allows_files = names, allows_files

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names with what they are, and let the shell complete file names."""
        from click.shell_completion import CompletionItem

        # bash completes files only if they come first, and only if no name matches
        files = [CompletionItem(incomplete, type="file")] if self.allows_files else []
        known = ((name, meaning) for name, meaning in self.names() if name.startswith(incomplete))
        return [*files, *(CompletionItem(name, help=meaning) for name, meaning in known)]


def _models() -> Iterable[tuple[str, str]]:
    from spindle.models.bundled import list_models

    return [(model.name, model.description) for model in list_models()]


def _parsers() -> Iterable[tuple[str, str]]:
    from spindle.parsers.registry import PARSERS, package_of, plugins

    added = [(name, f"of the package {package_of(entry)}") for name, entry in plugins().items()]
    return [*((name, "") for name in PARSERS), *added]


def _head_rules() -> Iterable[tuple[str, str]]:
    from spindle.heads import available_rules, load_rules

    return [(name, load_rules(name).title) for name in available_rules()]


def _head_rules_or_try() -> Iterable[tuple[str, str]]:
    return [*_head_rules(), ("try", "compare some on the development trees")]


MODEL = NameOrFile(_models)
PARSER = NameOrFile(_parsers, allows_files=False)
HEADS = NameOrFile(_head_rules)
HEADS_OR_TRY = NameOrFile(_head_rules_or_try)


class ModelOption(click.Option):
    """`--model`, whose help names the models that come with Spindle."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option and its help with the names of the bundled models."""
        from spindle.models.bundled import DEFAULT, DESCRIPTIONS, bundled_models

        names = "; ".join(f"{name} ({DESCRIPTIONS.get(name, '')})" for name in bundled_models())
        self.help = f"A model file, or a model that comes with Spindle: {names or 'none here'}. Several "
        self.help += (
            "of one annotation scheme vote on every tree. hf://owner/name is a model on the Hugging Face Hub."
        )
        self.help += f" [default: {DEFAULT}]" if DEFAULT in bundled_models() else ""
        return super().get_help_record(ctx)
