"""The command line: one file per command. Heavy imports live inside the command that needs them."""

from __future__ import annotations

import errno
import os
import sys

INTERNAL_ERROR = 70
CANCELLED = 130
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})


def main() -> None:
    """Run a command; errors that a person can act on are three lines, a bug leaves a crash report on disk."""
    if sys.platform == "win32":
        print("trueup does not run on Windows; it does in WSL.", file=sys.stderr)
        raise SystemExit(2)
    _open_what_is_closed()
    words = sys.argv[1:]
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
    except KeyboardInterrupt:
        raise SystemExit(CANCELLED) from None
    except BrokenPipeError:
        raise SystemExit(CANCELLED) from None
    except Exception as error:  # noqa: BLE001 - the last line of defence: a bug becomes a report, not a traceback
        raise SystemExit(_give_up(error)) from None


def _give_up(error: Exception) -> int:
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        from trueup.cli.screen import show_error
        from trueup.errors import UnverifiableError

        where = error.filename or "the output"
        full = UnverifiableError(f"{where} cannot be written", why=str(error.strerror), do="Make room, and try again.")
        show_error(full)
        return full.exit_code
    from trueup.cli.crash import report_crash

    report_crash(error)
    return INTERNAL_ERROR


def _open_what_is_closed() -> None:
    """`>&-`: the next file that is opened would become the standard output, of our children as well."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - until the end
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - until the end


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

    try:
        (sys.stdout if words else sys.stderr).write(version() if words == ["--version"] else overview())
        sys.stdout.flush()
    except BrokenPipeError:
        raise SystemExit(CANCELLED) from None
    except OSError as error:
        raise SystemExit(_give_up(error)) from None
    if not words:
        raise SystemExit(2)
