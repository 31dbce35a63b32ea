"""`python -m spindle` is the `spindle` command."""

from spindle.cli import main

if __name__ == "__main__":
    main()
