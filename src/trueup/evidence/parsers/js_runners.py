"""What failed, as Playwright's runner, Jasmine, AVA, Bun and Deno print it?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from trueup.evidence.parsers.found import Block, Found, Lines, before, blocks, kind_and_message, starting, trimmed
from trueup.evidence.parsers.javascript import is_code_or_stack, is_stack, js_frames, with_source
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import Frame, first_own

_PLAYWRIGHT = Pattern(r"\s{1,4}\d{1,6}\) (?:\[[^\]\n]{1,80}\] › )?(\S{1,500}\.\w{1,8}):\d{1,9}:\d{1,9} › (.{1,1000})$")
_PLAYWRIGHT_ENDS = Pattern(r"\s{1,4}\d{1,9} (?:failed|flaky|passed|skipped|did not run|interrupted)\b|\[\d{1,6}/\d")


def playwright(lines: Lines) -> Iterator[Found]:
    """With retries a failure is told again and again: the first time counts."""
    for block in blocks(lines, _PLAYWRIGHT, lambda line: _PLAYWRIGHT_ENDS.match(line) is not None):
        body = before(block.body, lambda line: line.strip().startswith("Retry #"))
        kind, message = kind_and_message(before(body, is_code_or_stack), "Error")
        yield Found(
            owner=block.heading[1],
            name=block.heading[2].rstrip("─ "),
            kind=kind,
            message=message,
            frame=with_source(first_own(js_frames(body)), body),
            excerpt=block.text(),
            span=block.span,
        )


_JASMINE = Pattern(r"(?:\d{1,6}\) |Suite error: )(.{1,1000})$")
_JASMINE_ENDS = Pattern(r"\d{1,9} specs?, |Pending:|Finished in |Executed \d|Incomplete: ")


def jasmine(lines: Lines) -> Iterator[Found]:
    for block in blocks(lines, _JASMINE, lambda line: _JASMINE_ENDS.match(line) is not None):
        if block.body and block.body[0] == "  Message:":
            said = [line for line in block.body if not is_stack(line) and line not in {"  Message:", "  Stack:"}]
            kind, message = kind_and_message(said, "Failed")
            yield Found(
                name=block.heading[1],
                kind=kind,
                message=message,
                frame=first_own(js_frames(block.body)),
                excerpt=block.text(),
                span=block.span,
            )


_AVA_RULE = Pattern(r" {2}─{1,200}$")
_AVA_COUNT = Pattern(r" {2}\d{1,9} (?:tests?|hooks?|uncaught|unhandled|known) ")
_AVA_FAILED = Pattern(r"\s{2,4}✘ \[fail\]: ")
_AVA_PLACE = Pattern(r" {2}(?:› )?(?P<path>[^\s:]{1,500}\.\w{1,8}):(?P<line>\d{1,9})(?::\d{1,9})?$")
_AVA_CODE = Pattern(r" {1,8}(\d{1,9}): ?(.*)$")
_AVA_CLASS = Pattern(r"(?:Error \((\w{1,100})\)|(\w{0,100}(?:Error|Exception))) \{$")


def ava(lines: Lines) -> Iterator[Found]:
    """Between two rules: the name, the place with its lines, what differs, the stack."""
    if any(map(_AVA_FAILED.match, lines)):
        for block in blocks(lines, _AVA_RULE, lambda line: _AVA_COUNT.match(line) is not None):
            said = trimmed(block.body)
            if len(said) > 1:
                yield _ava_failure(said[0], said[1:], block)


def _ava_failure(name: str, said: list[str], block: Block) -> Found:
    text = [line for line in block.body if not _AVA_CODE.match(line) and not _AVA_PLACE.match(line)]
    told = trimmed(before(text, is_stack))[1:]
    kinds = [m[1] or m[2] for m in map(_AVA_CLASS.match, said) if m]
    return Found(
        name=name,
        kind=kinds[0] if kinds else "AssertionError",
        message="\n".join(told),
        frame=_ava_frame(block.body),
        excerpt=block.text(),
        span=block.span,
    )


def _ava_frame(body: Lines) -> Frame | None:
    place = next((m for m in map(_AVA_PLACE.match, body) if m), None)
    if place is None:
        return first_own(js_frames(body))
    code = (m for m in map(_AVA_CODE.match, body) if m)
    source = next((m[2].strip() for m in code if m[1] == place["line"]), None)
    return Frame(path=place["path"], line=int(place["line"]), source=source)


_BUN_FILE = Pattern(r"(\S{1,500}\.\w{1,8}):$")
_BUN_RESULT = Pattern(r"(\((?:pass|fail|skip|todo)\)|[✓✗»✎]) (.{1,1000}?)(?: \[[\d.]{1,16} ?m?s\])?$")
_BUN_COUNT = Pattern(r" {1,4}\d{1,9} (?:pass|fail)$")
_CARET = Pattern(r"\s{0,400}\^$")
_BUN_CODE = Pattern(r"\s{0,8}\d{1,9} \| ?(.*)$")


def bun(lines: Lines) -> Iterator[Found]:
    """What a test said stands above its result. The list at the end tells nothing new."""
    file, start = "", 0
    told = before(lines, _BUN_COUNT.match)
    if len(told) == len(lines):  # it always counts; others use its signs, and tell what was wrong below them
        return
    for number, line in enumerate(told):
        heading, result = _BUN_FILE.match(line), _BUN_RESULT.match(line)
        if heading:
            file, start = heading[1], number + 1
        elif result:
            said = lines[start:number]
            if result[1] in {"(fail)", "✗"} and trimmed(said):
                yield _bun_failure(file, result[2], said, range(start, number + 1))
            start = number + 1


def _bun_failure(file: str, name: str, said: Lines, span: range) -> Found:
    told = [line for line in said if not _BUN_CODE.match(line) and not _CARET.match(line)]
    text = [line.removeprefix("error: ") for line in trimmed(before(told, is_stack))]
    kind, message = kind_and_message(text, "error")
    return Found(
        owner=file,
        name=name,
        kind=kind,
        message=message,
        frame=_pointed(said, _BUN_CODE),
        excerpt="\n".join(said),
        span=span,
    )


def _pointed(said: Lines, code: Pattern) -> Frame | None:
    """The first frame of the project, and the line above the first caret."""
    source = next((m[1].strip() for one, two in pairwise(said) if _CARET.match(two) and (m := code.match(one))), None)
    frame = first_own(js_frames(said))
    return Frame(path=frame.path, line=frame.line, source=source) if frame else None


_DENO = Pattern(r"(\S.{0,1000}) => (\S{1,500}\.\w{1,8}):\d{1,9}:\d{1,9}$")
_DENO_CODE = Pattern(r"\s{1,200}(\S.*)$")


def deno(lines: Lines) -> Iterator[Found]:
    start = next((n for n, line in enumerate(lines) if line == " ERRORS"), len(lines))
    for block in blocks(lines[start:], _DENO, starting(" FAILURES", "FAILED |")):
        if trimmed(block.body):
            kind, message = kind_and_message(_deno_said(block.body), "error")
            yield Found(
                owner=block.heading[2],
                name=block.heading[1],
                kind=kind,
                message=message,
                frame=_pointed(block.body, _DENO_CODE),
                excerpt=block.text(),
                span=range(start + block.start, start + block.span.stop),
            )


def _deno_said(body: Lines) -> list[str]:
    caret = next((n for n, line in enumerate(body) if _CARET.match(line)), len(body))
    told = before(body[: max(0, caret - 1)] if caret < len(body) else body, is_stack)
    return [line.removeprefix("error: ").removeprefix("(in promise) ") for line in trimmed(told)]
