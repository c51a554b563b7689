"""What does the error that a program ended with say about its provider?

Only for what a program reports of itself, after a non-zero exit or as an error event: a model's words decide nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from trueup.decide.moves import AgentStatus
from trueup.evidence.normalize import neutralise

LAST_WORDS = 8_000
"""Characters at the end of an output in which a failed agent says why."""

_ABOUT_A_TEST = re.compile(
    r"(?i:\bassert)|==|^\W*FAIL(?:ED)?\b|\.\.\. FAILED\b|^E {3}"
    r"|(?i:\bexpected\b).{0,60}(?i:\b(?:[1-5]\d\d|got|but|actual|received|to (?:be|equal|have))\b)"
)
"""A line that shows how a test failed: what that says of 401 or 503 is about the project, not about the provider."""


def _code(number: str) -> str:
    """A status code that is called one. A bare number says nothing: it may be a line, a count, or an answer."""
    told = r"\b(?:https?(?:/[\d.]{1,4})?|status(?:[ _]?code)?|error|code)\b[\"' ]{0,2}[:=(]{0,2} ?"
    why = r"status code|client error|server error"
    return rf"{told}{number}\b|\b(?:rejected|refused|denied|failed) \({number}\)|\b{number} (?:{why})\b"


REASONS: tuple[tuple[re.Pattern[str], AgentStatus], ...] = (
    (
        re.compile(
            _code("401") + r"|\bunauthori[sz]ed\b|\bunauthenticated\b"
            r"|\bauthentication[ _]?(?:error|failed|failure|required)|\bauthenticate (?:you|with|first)"
            r"|(?:fail(?:ed|ure)|could not|cannot|unable) to authenticate|could not authenticate"
            r"|(?:invalid|incorrect|missing|no) (?:x-)?api[ _-]?key|invalid_api_key|invalid credentials"
            r"|not (?:logged|signed) in|(?:please|must|need to) (?:log|sign) ?in"
            r"|\bno authentication information"
            r"|credit balance is too low|insufficient_quota|(?:token|session|credentials?) (?:has |have )?expired",
            re.IGNORECASE,
        ),
        AgentStatus.CREDENTIALS,
    ),
    (
        re.compile(
            _code("429") + r"|\brate[ _-]?limit|\btoo many requests|\bquota exceeded"
            r"|\bexceeded your (?:current )?quota|\busage limit",
            re.IGNORECASE,
        ),
        AgentStatus.RATE_LIMITED,
    ),
    (
        re.compile(
            _code("(?:529|503|502)") + r"|\boverloaded|\bservice (?:is )?(?:temporarily )?unavailable|\bbad gateway"
            # Gemini CLI and Qwen Code wait half a second for their prompt: too short where the machine is busy.
            r"|\bno input provided via stdin",
            re.IGNORECASE,
        ),
        AgentStatus.OVERLOADED,
    ),
    (
        re.compile(
            r"\bcontext[ _-](?:window|length|limit)[ _](?:is )?(?:exceeded|full|overflow)|\bcontext_length_exceeded"
            r"|\bprompt is too long|\bexceeds? the (?:maximum )?context|\bmaximum context length",
            re.IGNORECASE,
        ),
        AgentStatus.CONTEXT_FULL,
    ),
)


def reason(text: str, own: Iterable[tuple[str, AgentStatus]] = ()) -> AgentStatus | None:
    """None when the words say nothing that is known. A program's `own` words go before what all of them say."""
    mine = next((status for words, status in own if words in text), None)
    return mine or _common(text)


def _common(text: str) -> AgentStatus | None:
    lines = neutralise(text[-LAST_WORDS:]).split("\n")
    last = " ".join(word for line in lines if not _ABOUT_A_TEST.search(line) for word in line.split())
    return next((status for pattern, status in REASONS if pattern.search(last)), None)


def reason_of_http(code: int) -> AgentStatus | None:
    """What an answer with this status means; None for a success, or for a request that was wrong."""
    match code:
        case 401 | 402 | 403:
            return AgentStatus.CREDENTIALS
        case 429:
            return AgentStatus.RATE_LIMITED
        case 408 | 500 | 502 | 503 | 504 | 529:
            return AgentStatus.OVERLOADED
        case _:
            return None


_LITELLM = {
    "AuthenticationError": AgentStatus.CREDENTIALS,
    "PermissionDeniedError": AgentStatus.CREDENTIALS,
    "RateLimitError": AgentStatus.RATE_LIMITED,
    "InternalServerError": AgentStatus.OVERLOADED,
    "ServiceUnavailableError": AgentStatus.OVERLOADED,
    "BadGatewayError": AgentStatus.OVERLOADED,
    "Timeout": AgentStatus.OVERLOADED,
    "APIConnectionError": AgentStatus.OVERLOADED,
    "ContextWindowExceededError": AgentStatus.CONTEXT_FULL,
    "ContentPolicyViolationError": AgentStatus.REFUSED,
}


def reason_of_litellm(name: str, message: str) -> AgentStatus | None:
    """What this library's exception means; several programs end with one. An empty purse is also a `RateLimitError`."""
    by_words = reason(message)
    return by_words if by_words is AgentStatus.CREDENTIALS else _LITELLM.get(name) or by_words
