"""What do the runners add to the environment of a command? Whoever runs tests takes all of it away again.

A tool that is started *by a test* is part of what is tested. It must not be heard as if the check had started it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from trueup.verify.runners.base import RunContext


def additions(run: RunContext) -> Mapping[str, str]:
    """Variable -> what was put into it."""
    return {
        "PYTHONPATH": str(python_home(run)),
        "PYTEST_ADDOPTS": probe_option(run),
        "NODE_OPTIONS": preload_option(run),
        "PATH": str(programs_home(run)),
        **clang_variables(run),
    }


def others(run: RunContext, own: tuple[str, ...]) -> dict[str, str]:
    """Without the variables that a probe takes care of itself."""
    return {name: added for name, added in additions(run).items() if name not in own}


def python_home(run: RunContext) -> Path:
    """Modules for any Python."""
    return run.scratch / "probe"


def programs_home(run: RunContext) -> Path:
    """Stand-ins for programs."""
    return run.scratch / "programs"


def probe_module(run: RunContext) -> str:
    return f"_trueup_probe_{run.nonce}"


def probe_option(run: RunContext) -> str:
    """The option that makes pytest load the plug-in."""
    return f"-p {probe_module(run)}"


def clang_log(run: RunContext) -> Path:
    return run.records / f"clang-{run.nonce}.log"


def clang_variables(run: RunContext) -> dict[str, str]:
    """What makes clang write down its complaints; nothing where the user has asked for that already."""
    log = {"CC_LOG_DIAGNOSTICS": "1", "CC_LOG_DIAGNOSTICS_FILE": str(clang_log(run))}
    return {} if "CC_LOG_DIAGNOSTICS" in run.env else log


def node_home(run: RunContext) -> Path:
    return run.scratch / "node_modules" / "trueup"  # a folder that tools which measure coverage leave out


def preload_name(run: RunContext) -> str:
    return f"trueup-{run.nonce}.cjs"


def preload_option(run: RunContext) -> str:
    """The option that makes Node load the probe first. Node divides NODE_OPTIONS at blanks, outside of quotes."""
    text = f"--require={node_home(run) / preload_name(run)}"
    if not re.search(r'[\s"\\]', text):
        return text
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}"'
