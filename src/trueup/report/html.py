"""How does a finished run look on one page that can be mailed? No scripts, nothing loaded, everything escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from trueup.decide.state import State
from trueup.report import diagnosis
from trueup.report.events import Header, RunEnded
from trueup.report.lines import attempt_lines, baseline_lines, header_lines, outcome_lines, proof_line, rules_lines
from trueup.report.text import Redact, block, plain, short_name, unchanged, wording

_MOST = 50
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
pre { overflow-x: auto; padding: .8rem; border: 1px solid #8884; border-radius: 6px; font-size: 13px; }
h1 .status { padding: .1rem .6rem; border-radius: 6px; color: #fff; background: #a33; }
h1 .passed, h1 .nothing_to_do { background: #2a7d3c; }
summary { cursor: pointer; }
"""


def report_html(header: Header | None, state: State, ended: RunEnded, *, redact: Redact = unchanged) -> str:
    status = ended.outcome.status
    title = f"{status.replace('_', ' ')} · {plain(redact(state.task.text))[:120]}"
    run = f"run {plain(header.run)}" if header else ""
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>",
        f'<h1><span class="status {escape(status)}">{escape(status.replace("_", " "))}</span> {escape(run)}</h1>',
        *_sections(header, state, ended, redact),
        "</body>\n</html>",
    ]
    return "\n".join(parts) + "\n"


def _sections(header: Header | None, state: State, ended: RunEnded, redact: Redact) -> Iterator[str]:
    yield _section("Task", [state.task.text], redact)
    yield _section("Outcome", _outcome(header, state, ended), redact)
    yield _section("What happened", _timeline(state), redact)
    for failure in diagnosis.current_failures(state)[:_MOST]:
        name = f"{short_name(failure.key)}: {wording(failure.kind, failure.message)}"
        about = f"{failure.fingerprint}  {failure.place}\n\n{failure.excerpt or failure.message}"
        yield f"<details><summary>{_safe(name, redact)}</summary>{_pre([about], redact)}</details>"
    if header:
        yield _section("Set-up", header_lines(header), redact)


def _outcome(header: Header | None, state: State, ended: RunEnded) -> list[str]:
    return outcome_lines(
        ended.outcome,
        state,
        ended.branch,
        branch_note=ended.branch_note,
        changed=ended.changed,
        project=header.project if header else "your checkout",
        withheld=header.withheld if header else (),
    )


def _timeline(state: State) -> Iterator[str]:
    if state.baseline:
        yield from baseline_lines(state.baseline, state)
    if state.rules and not state.rules.kept:  # otherwise it is an attempt
        yield from rules_lines(state.rules)
    for view in state.attempts:
        yield from attempt_lines(view, state)
        yield from rules_lines(view.remedied) if view.remedied else ()
    if state.proof:
        yield proof_line(state.proof)


def _section(title: str, lines: Iterable[str], redact: Redact) -> str:
    return f"<section><h2>{escape(title)}</h2>{_pre(lines, redact)}</section>"


def _pre(lines: Iterable[str], redact: Redact) -> str:
    return f"<pre>{_safe(chr(10).join(lines).rstrip(), redact)}</pre>"


def _safe(text: str, redact: Redact) -> str:
    return escape(redact(block(text)))
