"""The `spindle` command."""


def main() -> None:
    """Run the command."""
