"""`python fuzz_parsers.py TARGET [libFuzzer's options] [corpus]`: throw what atheris thinks of at one reader.

Needs atheris, which `make fuzz` installs into a folder of its own.
"""

from __future__ import annotations

import sys
from importlib import import_module


def main() -> None:
    atheris = import_module("atheris")
    name, *options = sys.argv[1:]
    with atheris.instrument_imports(include=["trueup.evidence", "trueup.verify.runners"]):
        targets = import_module("fuzz_targets").TARGETS
    atheris.Setup([sys.argv[0], *options], targets[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
