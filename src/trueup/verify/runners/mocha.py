"""What is special about mocha?"""

from __future__ import annotations

from trueup.verify.runners.javascript_runner import JavaScriptRunner

MOCHA = JavaScriptRunner(
    name="mocha",
    programs=frozenset({"mocha", "_mocha"}),
    packages=frozenset({"mocha"}),
    alone=("npx", "mocha"),
    one_test=("--fgrep",),
)
