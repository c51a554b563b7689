"""What did a check decide about the files, in words that only this very run of it can have written?

A decision is one JSON object that repeats the run's nonce and keeps to the schema; an older way is a word on a line of
its own. Prose decides nothing. Whatever is wrong with a decision has a name, and then there is none.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from trueup.evidence.failure import Failure
from trueup.evidence.normalize import neutralise, normalize

LARGEST = 1_000_000
"""Bytes of a decision file."""
KIND = "decision"
"""Of the failures that a decision tells."""
WORDS = {"PASS": True, "COMPLETE": True, "FAIL": False, "INCOMPLETE": False}
_KEYS = frozenset({"decision", "check_id", "nonce", "reasons", "fingerprints"})
_MOST_REASONS = 500
_LONGEST_REASON = 8_000
_LONGEST_SUBJECT = 100
_FINGERPRINT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@#+-]{0,119}")
_NUMBER = re.compile(r"(?<![\w.-])-?\d+(?:\.\d+)?(?!\w)")
"""One that stands alone is a value; one in a name (`test_2`, `E501`) is a part of the name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    passed: bool
    reasons: tuple[str, ...] = ()
    fingerprints: tuple[str, ...] = ()
    """Names by which the check itself knows the reasons again; as many as there are reasons, or none."""


class NoDecisionError(Exception):
    """Says in a few words why nothing was decided."""


# --- the file ------------------------------------------------------------------------------------------------------


def decision_of_file(content: bytes, *, check: str, nonce: str) -> Decision:
    """The file is the object and nothing else; a fence, a second object or another key makes it none."""
    if len(content) > LARGEST:
        raise NoDecisionError("it is larger than 1 MB")
    raw = _parsed(_text(content))
    if not isinstance(raw, dict):
        raise NoDecisionError("it is not a JSON object")
    if raw.keys() - _KEYS:
        raise NoDecisionError(f"it has other keys than {', '.join(sorted(_KEYS))}")
    if raw.get("nonce") != nonce:
        raise NoDecisionError("its nonce is not that of this run" if "nonce" in raw else "it has no nonce")
    if raw.get("check_id") != check:
        raise NoDecisionError("its check_id is another check's" if "check_id" in raw else "it has no check_id")
    if raw.get("decision") not in ("pass", "fail"):
        raise NoDecisionError('its decision is neither "pass" nor "fail"')
    return _consistent(
        Decision(passed=raw["decision"] == "pass", reasons=_reasons(raw), fingerprints=_fingerprints(raw))
    )


def refuse_time(written: int, *, began: int, ended: int) -> None:
    """Of a file, by the clock of its file system. Raises unless it was written while the check ran."""
    if written < began:
        raise NoDecisionError("it was written before the check started")
    if written > ended:
        raise NoDecisionError("it is dated in the future")


def _text(content: bytes) -> str:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise NoDecisionError("it is not UTF-8 text") from None
    if not text.strip():
        raise NoDecisionError("it is empty")
    if text.lstrip().startswith("```"):
        raise NoDecisionError("it is fenced in markdown; it has to be the JSON alone")
    return text


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        cut = error.msg.startswith("Unterminated string") or error.pos >= len(text.rstrip())
        why = "it ends too early" if cut else f"it is not JSON: {error.msg}"
        raise NoDecisionError(why) from None
    except (ValueError, RecursionError):
        raise NoDecisionError("it is not JSON that can be read") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise NoDecisionError("it contradicts itself: a key comes twice")
    return dict(pairs)


def _no_constant(_name: str) -> None:
    raise NoDecisionError("it holds a number that JSON does not have")


def _reasons(raw: dict[str, Any]) -> tuple[str, ...]:
    given = raw.get("reasons", [])
    if not isinstance(given, list) or len(given) > _MOST_REASONS or not all(map(_is_reason, given)):
        raise NoDecisionError(
            f"its reasons are not a list of at most {_MOST_REASONS} texts of 1 to {_LONGEST_REASON} characters"
        )
    return tuple(given)


def _is_reason(given: object) -> bool:
    """A lone surrogate is no text: it cannot be written anywhere."""
    if not isinstance(given, str) or not given.strip() or len(given) > _LONGEST_REASON:
        return False
    return not any("\ud800" <= char <= "\udfff" for char in given)


def _fingerprints(raw: dict[str, Any]) -> tuple[str, ...]:
    given = raw.get("fingerprints", [])
    if not isinstance(given, list) or len(given) > _MOST_REASONS or not all(map(_is_fingerprint, given)):
        raise NoDecisionError(
            f"its fingerprints are not a list of at most {_MOST_REASONS} names of letters, digits and . _ : / @ # + -"
        )
    return tuple(given)


def _is_fingerprint(given: object) -> bool:
    return isinstance(given, str) and _FINGERPRINT.fullmatch(given) is not None


def _consistent(decision: Decision) -> Decision:
    if decision.passed and decision.fingerprints:
        raise NoDecisionError("it contradicts itself: a pass with fingerprints of failures")
    if decision.reasons and decision.fingerprints and len(decision.reasons) != len(decision.fingerprints):
        raise NoDecisionError("it has not as many fingerprints as reasons")
    return decision


# --- the words -----------------------------------------------------------------------------------------------------


def decision_of_words(said: str, *, whole: bool) -> Decision:
    """By lines that are one of the words and nothing else. `whole`: nothing of the output was left out."""
    found = {WORDS[word] for line in said.split("\n") if (word := line.rstrip(" \t\r")) in WORDS}
    if not found:
        raise NoDecisionError(f"no line of its output is just {', '.join(WORDS)}")
    if False not in found and not whole:
        raise NoDecisionError("its output is too long to be read as a whole")
    return Decision(passed=found == {True})  # who says both has not passed


# --- failures ------------------------------------------------------------------------------------------------------


def failures_of(decision: Decision, *, check: str, redact: Callable[[str], str] = str) -> tuple[Failure, ...]:
    """One for each reason or fingerprint of a `fail`; none if it gave neither: then its output has to explain it."""
    if decision.passed:
        return ()
    both = zip_longest(decision.reasons, decision.fingerprints, fillvalue="")
    return tuple(_failure(check, redact(neutralise(reason)), own) for reason, own in both)


def _failure(check: str, reason: str, own: str) -> Failure:
    """The check's own fingerprint is its identity, however it words the reason; else the words are, and their values
    tell whether anything moved."""
    if not own:
        return Failure(check=check, subject=f"{KIND}: {_words(reason)}", kind=KIND, message=reason, test=False)
    return Failure(
        check=check,
        subject=f"{KIND}:{own}",
        kind=KIND,
        message=reason or "no reason given",
        source_line=own,
        test=False,
        named=True,
    )


def _words(reason: str) -> str:
    words = " ".join(_NUMBER.sub("<n>", normalize(reason)).split())
    if len(words) <= _LONGEST_SUBJECT:
        return words
    return f"{words[: _LONGEST_SUBJECT - 10].rstrip()}… {hashlib.sha256(words.encode()).hexdigest()[:8]}"
