"""What does `trueup` say before any command is loaded? Its commands and its version, without a library."""

from __future__ import annotations

COMMANDS = {
    "run": "let an agent work until your checks prove that the task is done",
    "check": "run your checks once, on a fresh copy of the checkout",
    "resume": "go on with a run that was killed, cancelled or got stuck",
    "review": "approve or reject a result that waits for a person",
    "cancel": "stop a run; everything it had is kept",
    "runs": "list the runs of this project",
    "items": "list the work items: what several runs on one task left",
    "item": "show, forget, export or import what is remembered of one",
    "diff": "show what a run changed, as a patch",
    "apply": "bring the result of a run into your checkout",
    "explain": "tell what a run did, and what fails since when",
    "proof": "show what a passed run was proven with",
    "flaky": "list tests that gave different answers on unchanged files",
    "report": "where the report of a run is: one page for people",
    "init": "write a commented trueup.toml",
    "doctor": "try everything that trueup needs, and say what works",
    "demo": "watch trueup at work on small projects: no key, no network",
    "clean": "remove old runs of this project",
    "fingerprint": "tell the failures of a log or report, as JSON",
    "guard": "keep an interactive agent honest: your checks answer for it",
    "hook": "what a guarded agent's program calls",
    "replay": "show where trueup would have spoken in a recorded session",
}
"""Each is the function `command` in the file of this name, which is imported when it is asked for."""

_ABOUT = """\
Usage: trueup COMMAND [OPTIONS] [ARGS]

  Drives any coding agent until your own checks prove the work is done, keeps
  the best state it has proven, and stops early, with a diagnosis, when the
  work will not converge.

    trueup run "fix the failing tests" --agent claude --check "pytest -q"

Commands (trueup COMMAND --help tells more):
"""

_ENDING = """
Options:
  --version   show the version
  -h, --help  show this message

Exit codes: 0 passed or nothing to do, 1 stuck (or failing checks), 2 usage,
3 out of budget, 4 unverifiable, 5 a person is needed, 70 a bug in trueup,
130 cancelled.
"""


def overview() -> str:
    width = max(map(len, COMMANDS))
    lines = (f"  {name:<{width}}  {does}\n" for name, does in COMMANDS.items())
    return f"{_ABOUT}{''.join(lines)}{_ENDING}"


def version() -> str:
    from trueup import __version__

    return f"trueup {__version__}\n"
