"""What did a log, and not the tool, write before a line?"""

from __future__ import annotations

import re

from trueup.evidence.patterns import Pattern

_DAY = r"\d{4}[-/]\d{2}[-/]\d{2}"
_CLOCK = r"\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?"
# Jenkins, GitLab, systemd, loggers: a stamp at the beginning of a line is never part of what went wrong.
# Most logs have none; a search that begins with the end of a line tells so at little cost.
_STAMPED = Pattern(r"\n\[?\d\d(?:\d\d[-/]|:)")
_STAMP = Pattern(rf"^(?:(?:\[(?:{_DAY}[T ])?{_CLOCK}\]|{_DAY}[T ]{_CLOCK}|{_CLOCK} ?)(?: |$)){{1,2}}", re.MULTILINE)
_SYSLOG = Pattern(r"\n[A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} [\w.-]{1,80} [\w./-]{1,80}(?:\[\d{1,10}\])?: ")
# `docker build --progress=plain`: the step, the seconds since it began; once more without the step at the end.
_IMAGE_STEP = Pattern(r"\n#\d{1,4} \d{1,6}\.\d{1,3}(?: |$)", re.MULTILINE)
_IMAGE_AGAIN = Pattern(r"^\d{1,6}\.\d{2,3} ", re.MULTILINE)
# Whoever starts several programs names the one that speaks: `tests-1  | `, `web:test: `, `packages/web test: `, `[1] `.
_SPEAKER = Pattern(
    r"\n(?:[A-Za-z][\w.@/-]{0,80} {0,40}\|"
    r"|@?[\w./-]{1,80}:[A-Za-z][\w:.-]{0,60}:|[\w.@-]{1,80}/[\w./-]{1,80} [\w:.-]{1,60}:"
    r"|\[(?![^\]\w]{1,120}\]|(?:INFO|ERROR|WARN|WARNING|DEBUG|FAIL|PASS|error|warn|warning|info|debug)\])"
    r"[^\]\s]{1,120}\])(?= |$)",
    re.MULTILINE,
)
_FEWEST_LINES, _SHARE = 3, 4
"""Only a name that stands before many lines, one in four, was put there by a program."""
_FEWEST_SAID = 2
"""Where nobody else speaks: what was said, and the end of it."""
_LONGEST_NAME = 200
_NO_NAME = frozenset(("", "\n", " ", "\t"))
"""What a line begins with that has no name before it."""
_QUARTERS = (2, 1, 3)
"""Where in a text such a name is looked for."""


def without_prefixes(text: str) -> str:
    """A log in a log: a stamp may stand before a build's step or a name, and behind it."""
    text = _without_stamps(f"\n{text}")
    named = _without_speaker(text)
    if named is not text:
        text = _without_stamps(named)
    if "\n#" in text:
        text, steps = _IMAGE_STEP.subn("\n", text)
        again = bool(steps) and "\n > [" in text
        text = _without_stamps(_IMAGE_AGAIN.sub("", text) if again else text) if steps else text
    return text[1:]


def _without_stamps(text: str) -> str:
    text = _STAMP.sub("", text) if _STAMPED.search(text) else text
    return _SYSLOG.sub("\n", text) if "]" in text and "]: " in text else text


def _without_speaker(text: str) -> str:
    for quarter in _QUARTERS:
        start = text.rfind("\n", 0, 1 + len(text) * quarter // 4)
        line = text[start : start + _LONGEST_NAME]
        found = None if line[1:2] in _NO_NAME else _SPEAKER.match(line)
        said = text.count(found[0]) if found else 0
        if found and said >= text.count("\n") / _SHARE and (said >= _FEWEST_LINES or _speaks_alone(text, said)):
            return re.sub(rf"{re.escape(found[0])}(?: |$)", "\n", text, flags=re.MULTILINE)
    return text


def _speaks_alone(text: str, said: int) -> bool:
    """`name |` or `[pod/name]` twice, and no other name but honcho's own."""
    if said != _FEWEST_SAID:
        return False
    names = [match[0] for match in _SPEAKER.finditer(text) if not match[0].startswith("\nsystem ")]
    return len(names) == said and all(name.endswith("|") or name.startswith("\n[pod/") for name in names)
