"""`python -m trueup`: the command line, where no script is installed."""

from __future__ import annotations

from trueup.cli import main

if __name__ == "__main__":
    main()
