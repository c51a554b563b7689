"""What is special about jest?"""

from __future__ import annotations

from trueup.verify.runners.javascript_runner import JavaScriptRunner

JEST = JavaScriptRunner(
    name="jest",
    programs=frozenset({"jest"}),
    packages=frozenset({"jest", "jest-cli"}),
    alone=("npx", "jest"),
    one_test=("-t",),
    by_pattern=True,
    by_path=("--runTestsByPath",),
)
