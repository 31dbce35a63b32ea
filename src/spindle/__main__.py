"""`python -m spindle` is the `spindle` command."""

from spindle.cli.process import run

if __name__ == "__main__":
    run()
