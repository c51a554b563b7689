"""What is special about Node's own test runner? It is Node itself, told to test."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from trueup.verify.runners.javascript_runner import JavaScriptRunner

_VALUED = frozenset({"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions"})
"""Options of Node whose value may be the next word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTestRunner(JavaScriptRunner):
    def prefix(self, argv: tuple[str, ...]) -> tuple[str, ...]:
        """The options belong to Node and stay; files are left away."""
        for index, word in enumerate(argv):
            if PurePath(word).name in self.programs:
                return _with_options(argv, index)
        return ()


def _with_options(argv: tuple[str, ...], program: int) -> tuple[str, ...]:
    """() unless `--test` stands before the first word that is neither an option nor the value of one."""
    end = program + 1
    while end < len(argv) and (argv[end].startswith("-") or argv[end - 1] in _VALUED):
        end += 1
    return argv[:end] if "--test" in argv[program + 1 : end] else ()


NODE_TEST = NodeTestRunner(
    name="node:test",
    programs=frozenset({"node", "nodejs"}),
    packages=frozenset(),
    alone=("node", "--test"),
    one_test=(),
)
