"""Is this a reviewer's answer to our question, and what does it say?

One JSON object that repeats the question's nonce and keeps to the schema. Prose decides nothing, an answer to another
question is none, and neither are two answers that contradict each other.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from trueup.decide.review import Aspect, Point

LARGEST = 1_000_000
"""Characters of an answer, in a file or in a message."""
_MOST_TRIED = 400
"""Beginnings of objects in one message."""
_MOST_POINTS = 50
_LONGEST = 8_000
_KEYS = frozenset({"nonce", "approved", "feedback", "points"})
_POINT_KEYS = frozenset({"aspect", "demand", "subject", "file"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    approved: bool
    feedback: str
    points: tuple[Point, ...] = ()


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
    found = [one for one in _objects(text[-LARGEST:]) if one.get("nonce") == nonce]
    if not found:
        raise NoAnswerError("it said nothing that answers the question: no JSON object repeats its nonce")
    answers = {_checked(one, nonce) for one in found}
    if len(answers) > 1:
        raise NoAnswerError("it gave two answers that contradict each other")
    return answers.pop()


def _objects(text: str) -> list[dict[str, Any]]:
    decoder = json.JSONDecoder(object_pairs_hook=_once)
    found, at = [], 0
    for _ in range(_MOST_TRIED):
        at = text.find("{", at)
        if at < 0:
            break
        try:
            one, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError, NoAnswerError):
            at += 1
            continue
        found.append(one)
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise NoAnswerError("the answer contradicts itself: a key comes twice")
    return dict(pairs)


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
    answer = Answer(approved=approved, feedback=_text(raw, "feedback"), points=tuple(map(_point, points)))
    if approved and answer.points:
        raise NoAnswerError("the answer approves and makes demands at once")
    if not approved and not answer.points and not answer.feedback:
        raise NoAnswerError("the answer rejects without saying why")
    return answer


def _point(raw: Any) -> Point:
    if not isinstance(raw, dict) or raw.keys() - _POINT_KEYS or raw.get("aspect") not in set(Aspect):
        raise NoAnswerError(f"a point has no aspect of {', '.join(Aspect)}, or other keys than {_named(_POINT_KEYS)}")
    demand = _text(raw, "demand")
    if not demand:
        raise NoAnswerError("a point demands nothing")
    return Point(aspect=Aspect(raw["aspect"]), demand=demand, subject=_text(raw, "subject"), file=_text(raw, "file"))


def _text(raw: dict[str, Any], key: str) -> str:
    value = raw.get(key, "")
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise NoAnswerError(f"`{key}` is not a text of at most {_LONGEST} characters")
    return value.strip()


def _named(keys: frozenset[str]) -> str:
    return ", ".join(sorted(keys))
