"""What is special about vitest?"""

from __future__ import annotations

from trueup.verify.runners.javascript_runner import JavaScriptRunner

VITEST = JavaScriptRunner(
    name="vitest",
    programs=frozenset({"vitest"}),
    packages=frozenset({"vitest"}),
    alone=("npx", "vitest"),
    once=("run",),
    one_test=("-t",),
    by_pattern=True,
)
