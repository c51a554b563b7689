"""Would a change publish a secret? What an agent wrote into a file goes wherever the branch is pushed."""

from __future__ import annotations

from collections.abc import Iterator

from trueup.act.trees import Change
from trueup.decide.moves import Suspicion
from trueup.evidence.redact import Redactor
from trueup.perform.context import Context

WHY = "holds a password, token or key"


def leaked(context: Context, tree: str) -> tuple[Suspicion, ...]:
    """Files, by content or name, that hold a secret which was in none of the changed files before.

    Neither the secret nor the line that it stands in is quoted.
    """
    changes = context.store.diff(context.start, tree)
    blobs = context.store.blobs(entry.oid for change in changes for entry in (change.old, change.new) if entry)
    known = context.redactor.secrets_in("\n".join(_texts(changes, blobs)))
    found: list[Suspicion] = []
    for change in changes:
        text = f"{change.path}\n{_text(blobs[change.new.oid])}" if change.new else ""
        new = context.redactor.secrets_in(text) - known
        if new:
            found.append(_suspicion(context.redactor, change.path, text, new))
    return tuple(found)


def _texts(changes: tuple[Change, ...], blobs: dict[str, bytes]) -> Iterator[str]:
    """What was there before."""
    for change in changes:
        if change.old:
            yield change.path
            yield _text(blobs[change.old.oid])


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _suspicion(redactor: Redactor, path: str, text: str, new: frozenset[str]) -> Suspicion:
    # The name takes the first line of the text; where only the name is at fault, that is line 1, too.
    line = min(text[: text.index(secret)].count("\n") for secret in new)
    return Suspicion(path=redactor.redact(path), line=max(line, 1), text="", why=WHY)
