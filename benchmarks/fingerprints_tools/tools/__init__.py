"""Which tools are shown broken programs?"""

from __future__ import annotations

from benchmarks.fingerprints_tools.tools import builds, commands, compilers, crashes, linters, python, unknown

TOOLS = (
    *compilers.TOOLS,
    *linters.TOOLS,
    *python.TOOLS,
    *builds.TOOLS,
    *crashes.TOOLS,
    *unknown.TOOLS,
    *commands.TOOLS,
)
