"""What did a turn prove about a check? Words of the agent never do; an exit code only where it is the check's own."""

from __future__ import annotations

import re
from dataclasses import dataclass

from trueup.decide.commands import Declared, Ran, ran
from trueup.decide.session import Doing, Turn

TYPE_CHECKING = False  # as checkers of types know it; what reads outputs is loaded when a check has one
if TYPE_CHECKING:
    from trueup.evidence.failure import Failure

_LONGEST_OUTPUT = 200_000
_LAST_LINES = 2_000
"""Characters in which a tool sums up."""
_MISSING = 127
_TOLD_FIRST = re.compile(
    r"\A(?:(?:Chunk ID|Wall time|Total output lines|Original token count)\b[^\n]*\n)*"  # Codex
    r"(?:(?:Error: )?Exit code:? |Process exited with code:? |<returncode>)(\d{1,3})(?:</returncode>)?$",
    re.MULTILINE,
)
"""Before the output: Claude Code, Codex, mini-swe-agent."""
_TOLD_LAST = re.compile(
    r"^(?:Exit Code: |<?(?:(?:Process|Command) )?exited with (?:exit )?code:? |<returncode>"
    r"|<shellId: \w{1,40} (?:exited|completed) with exit code )(\d{1,3})(?:>|</returncode>)?$",
    re.MULTILINE,
)
"""A line of its own after it: Gemini, Qwen, Copilot. In the middle of a line it is about some other program."""
_NOT_THERE = re.compile(
    r"command not found|: not found|No such file or directory|not recognized as an internal|No module named pytest"
)
_COMPLAINS = re.compile(
    r"\b[1-9]\d{0,8} (?:failed|failing|failures?|errors?)\b|\bFAIL(?:ED|URES?)?\b|\b(?:failures|errors)=[1-9]"
    r"|(?:Failures|Errors): [1-9]|\bnot ok \d|BUILD FAIL"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One result of one check."""

    check: str
    failures: tuple[Failure, ...] = ()
    """None of them: it passed."""
    part: bool = False
    """It looked at less than all: a pass says nothing about the rest."""
    last: bool = True
    """Whether nothing came after it in the same command."""

    @property
    def passed(self) -> bool:
        return not self.failures


def checked(turn: Turn, declared: tuple[Declared, ...] = (), root: str = "") -> Checked | None:
    """What the last check in a turn said; None when there was none, or when nobody can tell."""
    if turn.doing is not Doing.RUN:
        return None
    run = ran(turn.args, declared, root)
    if run is None and turn.verify and not declared:
        run = Ran(check=" ".join(turn.args.split()))
    return _result(run, turn) if run else None


def exit_code_of(turn: Turn) -> int | None:
    """As the program reports it: in a field, in the output, or only as "failed"."""
    if turn.exit_code is not None:
        return turn.exit_code
    told = told_exit_code(turn.output)
    if told is not None:
        return told
    return 1 if turn.failed else None


def told_exit_code(output: str) -> int | None:
    """A command's exit code, where it is told only in the output: at its beginning, or as the last such line."""
    first = _TOLD_FIRST.match(output)
    codes = [first[1]] if first else _TOLD_LAST.findall(output[-_LONGEST_OUTPUT:])
    return int(codes[-1]) if codes else None


def _result(run: Ran, turn: Turn) -> Checked | None:
    from trueup.evidence.no_tests import says_no_tests

    output = turn.output[-_LONGEST_OUTPUT:]
    code = exit_code_of(turn)
    if code == _MISSING or (code != 0 and _could_not_start(output)):
        return None
    if code == 0 and (run.speaks or run.if_passed):
        return None if says_no_tests(output) else _checked(run)
    if code is not None and run.speaks:
        return _checked(run, _failures(run.check, output, code))
    return _by_the_text(run, output)


def _checked(run: Ran, failures: tuple[Failure, ...] = ()) -> Checked:
    return Checked(check=run.check, part=run.part, last=run.last, failures=failures)


def _could_not_start(output: str) -> bool:
    """The tool was not there: that says nothing about the work."""
    lines = [line for line in output.splitlines() if line.strip()]
    return bool(lines) and all(map(_NOT_THERE.search, lines))


def _by_the_text(run: Ran, output: str) -> Checked | None:
    """A pipe hides the exit code: what the tool itself says about its end decides, or nothing does."""
    from trueup.evidence.no_tests import says_no_tests
    from trueup.evidence.normalize import neutralise
    from trueup.evidence.text import GUESSED
    from trueup.evidence.tools import tool_of_text

    failures = _failures(run.check, output, None)
    told = [failure for failure in failures if failure.kind not in GUESSED]
    if told or _COMPLAINS.search(neutralise(output[-_LAST_LINES:])):
        return _checked(run, tuple(told) or failures)
    return _checked(run) if tool_of_text(output) and not says_no_tests(output) else None


def _failures(check: str, output: str, code: int | None) -> tuple[Failure, ...]:
    from trueup.evidence.text import failures_from_text

    return failures_from_text(check, output, exit_code=code, sources=_no_sources)


def _no_sources(path: str) -> None:  # noqa: ARG001 - a transcript holds no files
    return None
