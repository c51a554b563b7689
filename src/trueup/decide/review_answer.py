"""Is this a reviewer's answer to our question, and what does it say?

One JSON object that repeats the question's nonce and keeps to the schema. Prose decides nothing, an answer to another
question is none, and neither are two answers that contradict each other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from trueup.decide.review import Aspect, Point

LARGEST = 1_000_000
"""Characters of a file or a message in which an answer is looked for."""
LONGEST = 8_000
"""Characters of all the texts in an answer: the next attempt gets every one of them."""
_MOST_POINTS = 50
_MOST_QUOTES = 20
"""So often may a message name the nonce."""
_MOST_TRIED = _MOST_POINTS + 10
"""Beginnings of objects before it: the answer's own, and those of its points."""
_KEYS = frozenset({"nonce", "approved", "feedback", "points"})
_POINT_KEYS = frozenset({"aspect", "demand", "subject", "file"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    approved: bool
    feedback: str
    points: tuple[Point, ...] = ()
    """In the order in which they count."""

    @property
    def length(self) -> int:
        return len(self.feedback) + sum(len(p.demand) + len(p.subject) + len(p.file) for p in self.points)


class NoAnswerError(Exception):
    """Says in a few words why it is none."""


def answer_of_file(text: str, nonce: str) -> Answer:
    """The file is the answer and nothing else; a fence or a second object makes it none."""
    if len(text) > LARGEST:
        raise NoAnswerError("the answer is larger than 1 MB")
    try:
        return _checked(json.loads(text, object_pairs_hook=_once), nonce)
    except (ValueError, RecursionError) as error:
        raise NoAnswerError(f"the answer is not one JSON object: {error}") from error


def answer_of_message(text: str, nonce: str) -> Answer:
    """A model's last message: the object with the nonce counts, wherever it stands. Nobody else knows the nonce."""
    answers = {_checked(one, nonce) for one in _objects_with(text[-LARGEST:], nonce)}
    if not answers:
        raise NoAnswerError("it said nothing that answers the question: no JSON object repeats its nonce")
    if len(answers) > 1:
        raise NoAnswerError("it gave two answers that contradict each other")
    return answers.pop()


def _objects_with(text: str, nonce: str) -> Iterator[dict[str, Any]]:
    """From the end: a message may quote whatever it likes before it comes to its answer."""
    at = len(text)
    for _ in range(_MOST_QUOTES):
        at = text.rfind(nonce, 0, at)
        if at < 0:
            return
        found = next(filter(None, (_object_over(text, start, at, nonce) for start in _beginnings(text, at))), None)
        if found is not None:
            yield found


def _beginnings(text: str, before: int) -> Iterator[int]:
    """Of what may be objects, the nearest first."""
    for _ in range(_MOST_TRIED):
        before = text.rfind("{", 0, before)
        if before < 0:
            return
        yield before


def _object_over(text: str, start: int, place: int, nonce: str) -> dict[str, Any] | None:
    """The object that begins here, if its nonce is the one at that place or comes after it."""
    try:
        one, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return one if end > place and one.get("nonce") == nonce else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise NoAnswerError("the answer contradicts itself: a key comes twice")
    return dict(pairs)


_DECODER = json.JSONDecoder(object_pairs_hook=_once)


def _checked(raw: Any, nonce: str) -> Answer:
    if not isinstance(raw, dict) or raw.keys() - _KEYS or not {"nonce", "approved"} <= raw.keys():
        raise NoAnswerError("the answer has not just the keys nonce, approved, feedback and points")
    if raw["nonce"] != nonce:
        raise NoAnswerError("the answer belongs to another question: its nonce is wrong")
    approved, points = raw["approved"], raw.get("points", [])
    if not isinstance(approved, bool):
        raise NoAnswerError("`approved` is neither true nor false")
    if not isinstance(points, list) or len(points) > _MOST_POINTS:
        raise NoAnswerError(f"`points` is not a list of at most {_MOST_POINTS}")
    in_order = sorted(map(_point, points), key=lambda point: list(Aspect).index(point.aspect))
    answer = Answer(approved=approved, feedback=_text(raw, "feedback"), points=tuple(in_order))
    if answer.length > LONGEST:
        raise NoAnswerError(f"the answer is longer than {LONGEST} characters")
    if approved and answer.points:
        raise NoAnswerError("the answer approves and makes demands at once")
    if not approved and not answer.points and not answer.feedback:
        raise NoAnswerError("the answer rejects without saying why")
    return answer


def _point(raw: Any) -> Point:
    if not isinstance(raw, dict) or raw.keys() - _POINT_KEYS or raw.get("aspect") not in list(Aspect):
        raise NoAnswerError(f"a point has no aspect of {', '.join(Aspect)}, or other keys than {_named(_POINT_KEYS)}")
    demand = _text(raw, "demand")
    if not demand:
        raise NoAnswerError("a point demands nothing")
    return Point(aspect=Aspect(raw["aspect"]), demand=demand, subject=_text(raw, "subject"), file=_text(raw, "file"))


def _text(raw: dict[str, Any], key: str) -> str:
    value = raw.get(key, "")
    if not isinstance(value, str):
        raise NoAnswerError(f"`{key}` is not a text")
    return value.encode("utf-8", "replace").decode().strip()  # half a character cannot be written down


def _named(keys: frozenset[str]) -> str:
    return ", ".join(sorted(keys))
