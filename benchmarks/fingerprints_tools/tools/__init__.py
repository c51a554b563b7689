"""Which tools are shown broken programs?"""

from __future__ import annotations

from benchmarks.fingerprints_tools.tools import (
    builds,
    commands,
    compilers,
    crashes,
    linters,
    native_tests,
    others,
    plugins,
    python,
    sixth,
    told,
    told_again,
    told_fourth,
    told_sixth,
    told_third,
    unknown,
)

TOOLS = (
    *compilers.TOOLS,
    *native_tests.TOOLS,
    *others.TOOLS,
    *plugins.TOOLS,
    *linters.TOOLS,
    *python.TOOLS,
    *builds.TOOLS,
    *crashes.TOOLS,
    *told.TOOLS,
    *told_again.TOOLS,
    *told_third.TOOLS,
    *told_fourth.TOOLS,
    *told_sixth.TOOLS,
    *sixth.TOOLS,
    *unknown.TOOLS,
    *commands.TOOLS,
)
