"""What does an agent's result file claim, and can it be believed?

The file is written by the agent: it may be anything, a link, a pipe, a gigabyte, two answers in one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from trueup.act.agents.base import believable_session, believable_tokens, believable_total, believable_usd, shown
from trueup.act.plain_file import NotPlainError, read_plain

LARGEST = 1_000_000
_NOTE_LENGTH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    usd: float | None = None
    total_usd: float | None = None
    problem: str = ""
    tokens: int | None = None
    note: str = ""
    session: str = ""


class _UnusableError(Exception):
    """Says in one sentence why the file is not taken."""


def read_claim(path: Path) -> Claim:
    """One JSON object `{"usd": number, "tokens": integer, "note": text, "session": text}`, each of them optional.

    An agent that goes on with an earlier session and knows only what that has cost in all says `"total_usd"` instead
    of `"usd"`, and names the session.
    """
    try:
        content = _parse(_read(path))
    except _UnusableError as error:
        return Claim(problem=str(error))
    note, session = content.get("note"), believable_session(content.get("session"))
    usd, problem = believable_usd(content.get("usd"))
    total, problem_of_total = believable_total(content.get("usd"), content.get("total_usd"), session)
    named = content.keys() & {"usd", "total_usd"}
    problem = problem or problem_of_total or ("" if named else "the result file names no cost")
    return Claim(
        usd=None if problem else usd,
        total_usd=None if problem else total,
        problem=problem,
        session=session,
        tokens=believable_tokens(content.get("tokens")),
        note=shown(note, _NOTE_LENGTH) if isinstance(note, str) else "",
    )


def _read(path: Path) -> bytes:
    try:
        content = read_plain(path, largest=LARGEST)
    except NotPlainError as error:
        raise _UnusableError(f"the result file {error}") from error
    if content is None:
        raise _UnusableError("the agent wrote no result file")
    return content


def _parse(content: bytes) -> dict[str, object]:
    try:
        parsed = json.loads(content, object_pairs_hook=_no_repeated_key)
    except (ValueError, RecursionError) as error:
        raise _UnusableError(f"the result file is not JSON: {shown(str(error))}") from error
    if not isinstance(parsed, dict):
        raise _UnusableError(f"the result file holds a {type(parsed).__name__}, not one object")
    return parsed


def _no_repeated_key(pairs: list[tuple[str, object]]) -> dict[str, object]:
    content = dict(pairs)
    if len(content) != len(pairs):
        raise _UnusableError("the result file contradicts itself: a key comes twice")
    return content
