"""Which tools are made to fail?"""

from __future__ import annotations

from benchmarks.fingerprints.tools import compiled, fresh, javascript, library, python, scripts, unseen

TOOLS = (*python.TOOLS, *javascript.TOOLS, *compiled.TOOLS, *scripts.TOOLS, *unseen.TOOLS, *fresh.TOOLS, *library.TOOLS)
