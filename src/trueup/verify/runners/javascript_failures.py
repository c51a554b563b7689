"""Where and how did a JavaScript test fail? The error that it threw, in terms of the tree under test."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from trueup.evidence.failure import Failure, Phase
from trueup.evidence.normalize import neutralise
from trueup.evidence.parsers.found import before, kind_and_message
from trueup.evidence.parsers.javascript import is_stack, js_frames
from trueup.evidence.places import foreign, shorten, source_at
from trueup.verify.runners.base import RunContext
from trueup.verify.runners.javascript_events import Error

_MESSAGE_LINES = 12
_EXCERPT_LINES = 60
_LONGEST_VALUE = 300
_NAMED = re.compile(
    r"^\s{0,8}(?:Uncaught )?((?:[A-Z]\w{0,60})?(?:Error|Exception))(?: \[\w{1,60}\])?: (.+)$", re.MULTILINE
)
_AT_TOP = re.compile(r"^(?:file://)?(?P<path>/[^\n:]{1,500}):(?P<line>\d{1,9})$", re.MULTILINE)
_IN_TEXT = re.compile(r"(?P<path>/[^\n:()]{1,500}\.\w{1,8}): [^\n]{0,300}\((?P<line>\d{1,9}):\d{1,9}\)")

_AT_FILE = re.compile(r"^At file: (?P<path>[^\n:]{1,500}):(?P<line>\d{1,9})", re.MULTILINE)
_CODE = re.compile(r"\s{0,8}>?\s{0,8}\d{1,9} ?[:|]|\s{0,200}[|^]?\s{0,200}\^+\s*$|At file: ")
_POSITION = re.compile(r"\s?\(\d{1,9}:\d{1,9}\)$", re.MULTILINE)
_JEST_ADVICE = re.compile(
    r"^[ ]{0,8}Jest encountered an unexpected token\n.*?^[ ]{0,8}Details:\n\n", re.MULTILINE | re.DOTALL
)

Place = tuple[str, int]


def test_failure(run: RunContext, test_id: str, error: Error, repro: str | None) -> Failure:
    kind, message = _kind_and_message(run, error)
    return _failure(run, error, subject=test_id, phase=Phase.RUN, test=True, kind=kind, message=message, repro=repro)


def other_failure(run: RunContext, subject: str, error: Error, phase: Phase, repro: str | None) -> Failure:
    """A file that could not be collected, or what failed beside the tests."""
    kind, message = _kind_and_message(run, error)
    if phase is Phase.COLLECT:
        named = _NAMED.search(_clean(run, error.text or error.message or error.stack))
        kind, message = (named[1], named[2]) if named else (kind, message)
        message = _with_line(run, error, message)
    return _failure(run, error, subject=subject, phase=phase, test=False, kind=kind, message=message, repro=repro)


def _failure(
    run: RunContext, error: Error, *, subject: str, phase: Phase, test: bool, kind: str, message: str, repro: str | None
) -> Failure:
    place = next(_places(run, error), None)
    source_line = source_at(*place, run.sources) if place else None
    return Failure(
        check=run.check,
        subject=subject,
        phase=phase,
        kind=kind,
        message=shorten("\n".join(message.strip().splitlines()[:_MESSAGE_LINES]), 1000),
        file=place[0] if place else None,
        line=place[1] if place else None,
        source_line=None if source_line is None else run.redact(source_line),
        excerpt=_excerpt(run, error, kind, message),
        repro=repro,
        test=test,
    )


def _kind_and_message(run: RunContext, error: Error) -> tuple[str, str]:
    if error.kind:
        return _kind(run, error), _with_values(run, error)
    lines = _clean(run, error.stack or error.message or error.text).splitlines()
    return kind_and_message(before(lines, is_stack), "Error")


def _kind(run: RunContext, error: Error) -> str:
    """An error that came from another process has lost its class; its stack begins with it."""
    kind = _clean(run, error.kind).strip() or "Error"
    return kind_and_message(_clean(run, error.stack).splitlines()[:1], kind)[0] if kind == "Error" else kind


def _with_values(run: RunContext, error: Error) -> str:
    """A message of the test's own does not show what was compared."""
    message = _clean(run, error.message).strip()
    values = {"expected": _clean(run, error.expected), "actual": _clean(run, error.actual)}
    if not error.expected or all(value in message for value in values.values()):
        return message
    return "\n".join([message, *(f"{name}: {shorten(value, _LONGEST_VALUE)}" for name, value in values.items())])


def _with_line(run: RunContext, error: Error, message: str) -> str:
    """The line itself instead of its number: such messages are alike, and their identity has nothing else."""
    said = [line for line in _POSITION.sub("", message).splitlines() if not _CODE.match(line)]
    place = next(_places(run, error), None)
    line = source_at(*place, run.sources) if place else None
    return "\n".join([*said, *([f"> {run.redact(line)}"] if line else [])])


def _excerpt(run: RunContext, error: Error, kind: str, message: str) -> str:
    """The error with its stack, as far as it lies in the tree."""
    text = _JEST_ADVICE.sub("", _clean(run, error.text or error.stack))
    lines = [line for line in text.splitlines() if not (is_stack(line) and foreign(_path_in(line)))]
    said = "\n".join(lines).strip()
    head = "" if message.split("\n", 1)[0].strip() in said else f"{kind}: {message}\n"
    return shorten(_head_and_tail(f"{head}{said}\n{_clean(run, error.diff)}".strip()), 8000)


def _head_and_tail(text: str) -> str:
    lines = text.splitlines()
    if len(lines) <= _EXCERPT_LINES:
        return text
    half = _EXCERPT_LINES // 2
    return "\n".join([*lines[:half], f"[… {len(lines) - 2 * half} lines left out …]", *lines[-half:]])


def _path_in(line: str) -> str:
    return next((frame.path for frame in js_frames([line])), "node:unknown")


# --- places ------------------------------------------------------------------------------------------------------


def _places(run: RunContext, error: Error) -> Iterator[Place]:
    """Innermost first; only what the tree holds itself."""
    for path, line in _named_places(error):
        inside = _inside(run, path)
        if not foreign(f"/{inside}") and run.sources(inside) is not None:
            yield inside, line


def _named_places(error: Error) -> Iterator[Place]:
    yield from error.frames
    for text in (error.stack, error.text, error.message):
        plain = neutralise(text)
        # The place of a syntax error stands above it, or in its message; the stack is the loader's.
        for pattern in (_AT_TOP, _IN_TEXT, _AT_FILE):
            yield from ((m["path"], int(m["line"])) for m in pattern.finditer(plain))
        yield from ((frame.path, frame.line) for frame in js_frames(plain.splitlines()))


def _inside(run: RunContext, path: str) -> str:
    if path.startswith("file://"):
        path = unquote(path.removeprefix("file://"))
    path = path.partition("?")[0]
    for base in (f"{run.folder.resolve()}/", f"{run.folder}/"):
        path = path.removeprefix(base)
    # vitest writes some paths as if the project were the root of everything.
    return path.removeprefix("./").lstrip("/")


def _clean(run: RunContext, text: str) -> str:
    """Without secrets, before any cut can halve one. Nobody but us knows the bench: its paths are the project's own."""
    plain = run.redact(neutralise(text))
    for base in (run.folder.resolve(), run.folder):
        plain = plain.replace(f"file://{base}/", "").replace(f"{base}/", "")
    return plain
