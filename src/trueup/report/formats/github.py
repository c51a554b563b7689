"""How do the checks look in GitHub Actions? Annotations beside the lines, and a summary of the step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from trueup.decide.comparison import Found, Newness
from trueup.evidence.failure import Key, check_of, subject_of
from trueup.report.formats.findings import Findings, Voice, headline, outcome, remarks
from trueup.report.quote import fenced, inline
from trueup.report.text import Redact, place, plural, short_name, span, unchanged

SHOWN = 10
"""GitHub shows no more errors, and no more warnings, of one step."""
SUMMARY_BYTES = 1024 * 1024
"""GitHub refuses the summary of a step that is longer."""
_LONGEST_TITLE = 200
_LONGEST_MESSAGE = 2000
_LONGEST_EXCERPT = 4000
_MOST_NAMED = 500
_ROOM_FOR_THE_END = 200


# --- annotations -------------------------------------------------------------------------------------------------


def workflow_commands(findings: Findings, *, redact: Redact = unchanged) -> str:
    """Workflow commands: new failures are errors, old ones warnings; what GitHub would not show is counted."""
    voice = Voice(redact)
    failing = [f for f in findings.ordered if f.newness in {Newness.NEW, None}]
    others = [f for f in findings.ordered if f.newness in {Newness.CHANGED, Newness.KNOWN}]
    stopped = list(_stopped(findings, voice))[:SHOWN]
    errors = [*(_about(f, voice) for f in failing), *(_gone(k, findings, voice) for k in findings.comparison.vanished)]
    shown = [*errors[: SHOWN - len(stopped)], *stopped]
    lines = [_command("error", *one) for one in shown]
    lines += [_command("warning", *_about(f, voice)) for f in others[:SHOWN]]
    left = len(errors) + len(stopped) - len(shown) + max(len(others) - SHOWN, 0)
    more = f"; {plural(left, 'more finding')} in the summary of this step" if left else ""
    ending = _command("notice", {"title": "trueup"}, voice.line(headline(findings)) + more)
    return "".join(f"{line}\n" for line in (*lines, ending))


def _about(found: Found, voice: Voice) -> tuple[dict[str, str], str]:
    failure = found.failure
    where = {"file": voice.name(failure.file)} if failure.file else {}
    if failure.file and failure.line is not None:
        where["line"] = str(failure.line)
    title = voice.line(failure.subject or failure.check, _LONGEST_TITLE)
    message = voice.block(failure.message, _LONGEST_MESSAGE) or voice.line(failure.kind)
    mark = f"{found.newness}: " if found.newness else ""
    return {**where, "title": title}, mark + message


def _gone(key: Key, findings: Findings, voice: Voice) -> tuple[dict[str, str], str]:
    title = voice.line(subject_of(key), _LONGEST_TITLE)
    return {"title": title}, f"new: {voice.line(findings.base)} has this test, here it does not run"


def _stopped(findings: Findings, voice: Voice) -> Iterator[tuple[dict[str, str], str]]:
    if findings.report.void:
        yield {"title": "no answer"}, voice.line(findings.report.void, _LONGEST_MESSAGE)
    for result in findings.not_run:
        yield {"title": f"{voice.line(result.check)} could not run"}, voice.line(result.reason, _LONGEST_MESSAGE)


def _command(kind: str, properties: dict[str, str], message: str) -> str:
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{kind} {told}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


# --- the summary of the step ---------------------------------------------------------------------------------------


def summary(findings: Findings, *, redact: Redact = unchanged, room: int = SUMMARY_BYTES) -> str:
    """Markdown, new failures first, in no more than `room` bytes; what was left out is said."""
    parts = list(_sections(findings, Voice(redact)))
    kept: list[str] = []
    used = 0
    for part in parts:
        used += len(part.encode("utf-8", "backslashreplace"))
        if used > room - _ROOM_FOR_THE_END:
            kept.append(f"\n{len(parts) - len(kept)} more left out: a summary has no more room.\n")
            break
        kept.append(part)
    text = "".join(kept)
    return text if len(text.encode("utf-8", "backslashreplace")) <= room else ""


def _sections(findings: Findings, voice: Voice) -> Iterator[str]:
    comparison = findings.comparison
    yield f"## trueup: {_escaped(voice.line(headline(findings)))}\n\n"
    yield _table(findings, voice)
    by = {state: [f for f in comparison.found if f.newness is state] for state in (*Newness, None)}
    base = _escaped(voice.line(findings.base))
    yield from _in_full("New failures", by[Newness.NEW], voice)
    yield from _in_full("Failures", by[None], voice)
    yield from _listed(f"Gone: {base} has these tests, here they do not run", map(_key, comparison.vanished), voice)
    yield from _in_full(f"Failing on {base} as well, in another way", by[Newness.CHANGED], voice)
    yield from _listed(f"Failing on {base} as well", (_row(f) for f in by[Newness.KNOWN]), voice)
    yield from _listed("Fixed", map(_key, comparison.fixed), voice)
    yield from _listed("To know", remarks(findings), voice)


def _table(findings: Findings, voice: Voice) -> str:
    rows = [
        f"| {_cell(r.check, voice)} | {_cell(outcome(r), voice)} | {_cell(r.command, voice)} | {span(r.duration)} |\n"
        for r in findings.report.results
    ]
    return "".join(["| check | result | command | time |\n|---|---|---|---|\n", *rows, "\n"])


def _in_full(title: str, found: Iterable[Found], voice: Voice) -> Iterator[str]:
    for number, one in enumerate(found):
        failure = one.failure
        if number == 0:
            yield f"### {title}\n\n"
        where = place(failure, folders=True)
        at = f" at {inline(voice.name(where))}" if where else ""
        text = fenced(voice.block(failure.excerpt or failure.message or failure.kind, _LONGEST_EXCERPT), "text")
        alone = f"\n\nAlone: {inline(voice.line(failure.repro))}" if failure.repro else ""
        yield f"{inline(voice.name(failure.subject or failure.check))}{at}\n\n{text}{alone}\n\n"


def _listed(title: str, rows: Iterable[str], voice: Voice) -> Iterator[str]:
    those = list(rows)
    if those:
        yield f"### {title}\n\n"
    for row in islice(those, _MOST_NAMED):
        yield f"- {inline(voice.line(row))}\n"
    if len(those) > _MOST_NAMED:
        yield f"- and {len(those) - _MOST_NAMED} more\n"
    if those:
        yield "\n"


def _key(key: Key) -> str:
    return subject_of(key) or check_of(key)


def _row(found: Found) -> str:
    where = place(found.failure, folders=True)
    return f"{short_name(found.failure.key)} · {found.failure.kind}" + (f" · {where}" if where else "")


def _cell(text: str, voice: Voice) -> str:
    """A bar divides the cells of a table even inside a code span."""
    return inline(voice.line(text)).replace("|", "\\|") if text else ""


_MARKUP = str.maketrans({char: f"\\{char}" for char in "\\`*_{}[]<>()#+-!|~&@"})


def _escaped(text: str) -> str:
    return text.translate(_MARKUP)
