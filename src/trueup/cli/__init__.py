"""The command line: one file per command. Heavy imports live inside the command that needs them."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # as checkers of types know it: loading `typing` costs more than some answers
if TYPE_CHECKING:
    from typing import NoReturn

INTERNAL_ERROR = 70
CANCELLED = 130
_OTHERWISE = {
    "run": "The run is recorded: trueup report",
    "resume": "The run is recorded: trueup report",
    "hook": "The session goes on without it.",
}
"""Commands whose exit code is true although what they said was lost."""


def main() -> NoReturn:
    """Run a command; errors that a person can act on are three lines, a bug leaves a crash report on disk."""
    if sys.platform == "win32":
        print("trueup does not run on Windows; it does in WSL.", file=sys.stderr)
        raise SystemExit(2)
    from trueup.cli.streams import delivered, fill_in

    fill_in()
    words = sys.argv[1:]
    raise SystemExit(delivered(_exit_code(words), otherwise=_OTHERWISE.get(words[0], "") if words else ""))


def _exit_code(words: list[str]) -> int:
    try:
        _answer(words)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except (KeyboardInterrupt, BrokenPipeError):
        return CANCELLED
    except Exception as error:  # noqa: BLE001 - the last line of defence: a bug becomes a report, not a traceback
        from trueup.cli.streams import is_lack_of_room, undelivered

        if is_lack_of_room(error):
            return undelivered(error)
        from trueup.cli.crash import report_crash

        report_crash(error)
        return INTERNAL_ERROR
    return 0


def _answer(words: list[str]) -> None:
    if not words or words[0] in {"-h", "--help", "--version"}:
        _introduce(words)
        return
    if words[0] == "hook" and len(words) > 2 and not {"-h", "--help"} & set(words):  # noqa: PLR2004 - an agent and an event
        from trueup.guard.hook import main as answer_hook

        answer_hook(words[1:])  # somebody waits for it: nothing else is imported
        return
    from trueup.errors import TrueupError

    try:
        _perform(words)
    except TrueupError as error:
        from trueup.cli.screen import show_error

        show_error(error, as_json="--json" in sys.argv)
        raise SystemExit(error.exit_code) from None


def _perform(words: list[str]) -> None:
    if words[0] == "fingerprint":
        from trueup.cli.identities import PLAIN, answer_plainly

        if PLAIN.issuperset(words[1:]):
            answer_plainly(words[1:])
    from trueup.cli.app import application

    application(words)()


def _introduce(words: list[str]) -> None:
    """What needs no command is answered without loading one. Nothing asked is a mistake, but a common one."""
    from trueup.cli.overview import overview, version

    (sys.stdout if words else sys.stderr).write(version() if words == ["--version"] else overview())
    if not words:
        raise SystemExit(2)
