"""How is a move, a record or a task written as text, and read back as exactly the same value?"""

from __future__ import annotations

import json
from typing import Any, TypeVar, cast, get_args

from trueup.decide.moves import Move, Record
from trueup.decide.outcome import Outcome
from trueup.decide.task import Task
from trueup.errors import InvariantError, UnverifiableError
from trueup.evidence.report import Report

T = TypeVar("T")

KINDS: dict[str, type] = {kind.__name__: kind for kind in (*get_args(Move), *get_args(Record), Task)}


def encode(value: Move | Record | Task | Outcome | Report) -> str:
    """ASCII only, so that file names which are no text (lone surrogates) and NaN survive as well."""
    import msgspec

    return json.dumps(msgspec.to_builtins(value), separators=(",", ":"))


def decode(kind: str, body: str) -> Move | Record | Task:
    """`kind` is the class name. What this version does not know is refused, never guessed."""
    if kind not in KINDS:
        raise UnverifiableError(
            f"the journal holds an entry of the unknown kind {kind!r}",
            why="It was written by a newer trueup.",
            do="Use that version (`trueup --version` shows this one's), or start a new run.",
        )
    return cast("Move | Record | Task", decode_as(KINDS[kind], body))


def decode_as(kind: type[T], body: str) -> T:
    import msgspec

    try:
        return msgspec.convert(json.loads(body), kind)
    except (ValueError, RecursionError, InvariantError) as error:  # msgspec's and json's own are ValueErrors
        raise UnverifiableError(
            f"the journal holds a {kind.__name__} that cannot be read: {error}",
            why="It was written by a newer trueup, or the file was damaged.",
            do="Use the version that wrote it, or start a new run.",
        ) from error


def encode_json(value: Any) -> str:
    """For plain values: facts, paths and keys. ASCII only, for the same reason as in `encode`."""
    return json.dumps(value, separators=(",", ":"))


def decode_json(body: str) -> Any:
    return json.loads(body)
