"""`spindle completion`: print a script that completes verbs and options in a shell."""

from __future__ import annotations

import click


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for a shell.

    \b
    Examples:
      eval "$(spindle completion bash)"                                    in ~/.bashrc
      eval "$(spindle completion zsh)"                                     in ~/.zshrc
      spindle completion fish > ~/.config/fish/completions/spindle.fish
    """
    from click.shell_completion import get_completion_class

    from spindle.cli import COMPLETION, cli

    script = get_completion_class(shell)
    assert script is not None
    click.echo(script(cli, {}, "spindle", COMPLETION).source())
