"""A program was tried: did it start, and if not, is that its own fault?"""

from __future__ import annotations

import re
from typing import Any

from trueup.act.declared import Needs
from trueup.act.process import Completed
from trueup.evidence.failure import Failure
from trueup.verify.verifiers.base import Bench, Verdict
from trueup.verify.verifiers.import_errors import LIBRARY, NO_SERVER, NOT_CONFIGURED, NOT_ITSELF, doubt_missing
from trueup.verify.verifiers.plans import Plan

NAME = "entrypoint"
_RAISED = re.compile(
    r"^(?:\w+\.)*([A-Z]\w*(?:Error|Exception|Exit|Interrupt|Warning|NotFound|Configured|Required)):? ?(.*)$"
)
_FRAME = re.compile(r'^\s*File "([^"]+)", line (\d+)', re.MULTILINE)
_PLACE = re.compile(r"/\S*?/(?:site-packages|image\d+)/")
_NOT_FOUND = 400
_LONGEST = 600
_LAST = 2_000


def judged(
    plan: Plan, answer: dict[str, Any], done: Completed, bench: Bench, needs: Needs, *, tampered: bool
) -> Verdict:
    if tampered:
        message = "while it ran, something wrote to its installed packages; they were thrown away"
        return Verdict(failures=(about(NAME, plan, "tampered", message),), looked_at=1)
    if not answer:
        why = "it took too long" if done.timed_out else done.not_started or done.stderr.text().strip()[-300:]
        return Verdict(error=f"{plan.told} could not be tried: {why or f'exit code {done.exit_code}'}")
    wrong = _wrong(plan, answer, bench)
    if wrong is None:
        return Verdict(looked_at=1)
    kind, message = wrong
    output = str(answer.get("output", ""))
    doubt = _doubt(plan, answer, output) or _doubt_installed(output, needs)
    file, line = _where(output, plan)
    source = _source(bench, file, line) if file else plan.start.source
    failure = Failure(
        check=NAME,
        subject=f"{plan.start.file} {kind}",
        kind=kind,
        message=(f"not judged, because {doubt}: {message}" if doubt else message)[:_LONGEST],
        file=file or plan.start.file,
        line=line if file else plan.start.line,
        source_line=source,
        excerpt=_PLACE.sub("", output[-_LAST:]),
        test=False,
    )
    return Verdict(advice=(failure,), looked_at=1) if doubt else Verdict(failures=(failure,), looked_at=1)


def _wrong(plan: Plan, answer: dict[str, Any], bench: Bench) -> tuple[str, str] | None:
    """Kind and message; None when all is well."""
    if "answered" in answer:
        status = int(answer["answered"])
        path = bench.settings.get("path")
        if path and status >= _NOT_FOUND:
            return "bad-answer", f"{plan.told!r} answers {path} with {status}"
        return None
    if answer.get("alive"):
        return None
    if answer.get("late"):
        if not plan.serves:
            return None
        what = "listens, but answers no request" if answer.get("listened") else "runs, but listens on no port"
        return "no-answer", f"{plan.told!r} {what}; it was ended"
    code = answer.get("exit")
    if code == 0:
        return ("ended", f"{plan.told!r} ended at once instead of serving") if plan.serves else None
    raised = _raised(str(answer.get("output", "")))
    if raised:
        return raised[0], f"{plan.told!r} does not start: {raised[0]}: {raised[1]}".rstrip(": ")
    last = _last_line(str(answer.get("output", "")))
    return "exit", f"{plan.told!r} ended with exit code {code}" + (f": {last}" if last else "")


def _raised(output: str) -> tuple[str, str] | None:
    """The last exception that it shows."""
    for line in reversed(output.splitlines()):
        if match := _RAISED.match(line.strip().removeprefix("Error: ")):
            return match[1], _PLACE.sub("", match[2])
    return None


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return _PLACE.sub("", lines[-1]) if lines else ""


def _doubt(plan: Plan, answer: dict[str, Any], output: str) -> str:
    if NO_SERVER.search(output):
        return "it needs a server that is not here"
    if NOT_CONFIGURED.search(output) or re.search(r"KeyError: '[A-Z][A-Z0-9_]+'", output):
        return "it needs settings that are not here"
    if LIBRARY.search(output):
        return "a library of the system is not installed here"
    if plan.helps and "Traceback" not in output and answer.get("exit"):
        return "it may not know --help"
    return ""


def _doubt_installed(output: str, needs: Needs) -> str:
    """Of what others install: its extras and it itself are not installed here."""
    if not needs.installable:
        return ""
    if re.search(r"^(?:[\w.]+\.)?(?:PackageNotFoundError|DistributionNotFound)\b", output, re.MULTILINE):
        return NOT_ITSELF
    names = re.findall(r"No module named '([\w.]+)'", output)
    return next(filter(None, (doubt_missing(name.partition(".")[0], needs) for name in names)), "")


def _where(output: str, plan: Plan) -> tuple[str | None, int | None]:
    """The last frame in the project's own code."""
    placed = plan.start.image.placed
    for place, number in reversed(_FRAME.findall(output)):
        inside = re.sub(r"^.*?/image\d+(?=/)", "", place)
        if inside in placed and inside != place:
            return placed[inside], int(number)
    return None, None


def _source(bench: Bench, file: str, line: int | None) -> str | None:
    lines = (bench.files.text(file) or "").splitlines()
    return lines[line - 1].strip() if line and 0 < line <= len(lines) else None


def about(check: str, plan: Plan, kind: str, message: str, *, line: bool = False) -> Failure:
    """A failure of what a command starts; `line`: of the command itself, as it is written."""
    return Failure(
        check=check,
        subject=f"{plan.start.file} {kind}",
        kind=kind,
        message=message,
        file=plan.start.file,
        line=plan.start.line if line else None,
        source_line=plan.start.source if line else None,
        test=False,
    )
