"""Which lines tell what went wrong, when no parser knows the tool?

Lines that speak of an error, and what stands below them as their continuation. They are evidence as a set: order,
layout, numbering and durations mean nothing. What a build tool says *about* a failed step (`make: *** …`) counts only
when nobody says more, and a line that calls itself harmless (`INFO …`) never does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice

from trueup.evidence.normalize import normalize
from trueup.evidence.patterns import Pattern
from trueup.evidence.printed import GUTTER, without_context, without_numbers
from trueup.evidence.values import Value

_ENOUGH_LINES = 1000
_MOST_SPEAKING = 20_000
_LAST_LINES = 3
_CONTINUATION = 8
_HEAD = 120
"""A level stands in the beginning of a line."""

_WORDS = (
    *("error", "fail", "exception", "assert", "panic", "fatal", "abort", "critical", "severe", "emerg", "not ok"),
    *(
        "✕",
        "✖",
        "✗",
        "✘",
        "problem",
        "invalid",
        "illegal",
        "unexpected",
        "unknown",
        "undefined",
        "unused",
        "missing",
        "no such",
    ),
    *(
        "not found",
        "no rule",
        "cannot",
        "can't",
        "couldn't",
        "could not",
        "won't",
        "don't know",
        "does not",
        "is not ",
        "unable",
    ),
    *("denied", "refused", "rejected", "forbidden", "unauthori", "not allowed", "unsupported", "unreachable"),
    *("unresolved", "unbound", "expired", "exceed", "mismatch", "conflict", "violat", "incorrect", "overflow"),
    *("killed", "terminated", "out of memory", "segmentation", "core dumped", "timed out", "timeout", "requires "),
    *("expected:", "actual:", "but was", "but got", "would reformat", "reason", "cause", "wrong", "bad", "e: "),
)
"""What a line that speaks of an error holds, in small letters: plain words are found much faster than a pattern."""
_WHOLE_WORD = Pattern(r"\b(?:reason|cause[sd]?|wrong|bad)\b|\bE: ", re.IGNORECASE)
_PARTS_OF_WORDS = frozenset(("reason", "cause", "wrong", "bad", "e: "))
# Summaries: how many failed is counted elsewhere, and says nothing about what failed.
_SUMMARY = Pattern(
    r"[\W_]{0,80}(?:\d{1,9} (?:failed|errors?|failures?|passed|passing|failing|problems?|issues?|warnings?)\b"
    r"|(?:(?:un)?expected )?(?:found|fail|failed|failures|errors|pass|timeout|tests|test suites|tests run):? {0,40}\d"
    r"|test result:|error: aborting due to|error: test failed, to rerun|FAIL$"
    r"|summary of (?:failures|errors)\b"
    r"|\d{1,9} (?:of \d{1,9} )?(?:tests?|specs?|examples?|scenarios?|checks?|features?|steps?),? .{0,40}(?:fail|error)"
    r"|(?:failures|(?:failed|failing)(?: tests| cases)?|errors)[\W_]{0,400}$"
    # what begins with the name of a function or a value (`total(1, 2) is 4`) counts nothing
    r"|(?:finished|completed|done|took)\b(?![(.\[]).{0,40}\b\d"
    r"|total(?! (?:is|was|should|must)\b)(?: [a-z]{1,20}){0,3}:? {0,20}\d)"
    r"|.{0,60}\bfound \d{1,9} (?:errors?|problems?|issues?|warnings?)\b.{0,40}$"
    # nothing but counts: `Passed checks: 12, Failed checks: 1`, `all.tcl:  Total  2  Passed  1`, `[ FAIL 1 | PASS 0 ]`
    r"|\W{0,8}(?!.{0,80}\b(?:expected|actual|got|want(?:ed)?|received|was|status|code)\b)"
    r"(?:(?:[A-Za-z][A-Za-z ]{0,40}[:=] {0,4}\d{1,9}[,;|. ]{0,4}){2,20}|[A-Za-z][\w /-]{0,60}: {1,20}0)$"
    r"|(?:\S{1,80}:)?[\W_]{0,8}(?:(?:total|ok|pass(?:ed|ing)?|fail(?:ed|ures?|ing)?|errors?|skip(?:ped|s)?|warn(?:ings?)?|todo)"
    r"[:=]?\s{1,20}\d{1,9}[\s,;|.\])]{0,20}){2,20}$",
    re.IGNORECASE,
)
_HARMLESS = Pattern(
    r"(?<![\w-])(?:INFO|DEBUG|TRACE|NOTICE|VERBOSE)(?![\w-])|\blevel=(?:info|debug|trace)\b"
    r"|^\s{0,8}\[?(?:info|debug|trace|notice|hint|help|note)\b[\]:]?"
    r"|(?:\bok|\bpassed|✓|✔)(?:\s{0,4}\([^)\n]{0,20}\))?\s{0,4}$"
)
_WARNS = Pattern(r"(?<![\w-])WARN(?:ING)?(?![\w-])|^\s{0,8}[\[%]?[Ww]arn(?:ing)?\b|\blevel=warn")
_LOUD = Pattern(
    r"(?<![\w-])(?:ERROR|FATAL|CRITICAL|SEVERE|EMERG)(?![\w-])|^\s{0,8}[\[%]?(?:error|fatal|Error|Fatal)\b"
    r"|\blevel=(?:error|fatal)"
)
# What a build tool, a package manager or a CI system says about the step that failed.
_ABOUT_THE_STEP = Pattern(
    r"\s{0,8}(?:g?make(?:\[\d{1,4}\])?: (?:\*\*\* .{0,400}\bError \d|Entering |Leaving |Target )"
    r"|npm (?:error|ERR!)(?: (?:Lifecycle script|code (?:\d|ELIFECYCLE)|path |workspace |location |command |errno |cwd "
    r"|Exit status|Failed at the|This is probably|A complete log|\s{0,8}/.{0,400}\.log$)|$)"
    r"|(?:##\[error\]|::error::|Error: )?Process completed with exit code"
    r"|##\[|::(?:end)?group|> \S{1,200}@\d\S{0,40} \S"
    r"|#\d{1,4} (?:\[|DONE|CACHED|transferring|sha256:|naming |exporting |resolve )"
    r"|error:? (?:Command failed with exit code|Recipe `)| ?ELIFECYCLE|ninja: build stopped"
    r"|(?:#\d{1,4} )?ERROR: (?:failed to solve: )?process .{0,1000} did not complete successfully"
    r"|collect2: error: ld returned|\w{0,12}clang.{0,20}: error: linker command failed|-- Configuring incomplete"
    r"|error: could not compile|For more information|See also |exit status \d{1,3}$|.{0,80}exited with code \d"
    r"|\[ERROR\] (?:$|-> \[Help|To see the full stack|Re-run Maven|For more information|\[Help \d)|Post job cleanup"
    # whoever started several programs, or one in a session of its own
    r"|(?: ERROR {2}run failed| ?ERR_PNPM_RECURSIVE|ERROR: command finished with error|ERROR: Job failed: exit)"
    r"|\S{1,80} exited with code \d|Failed: {2,8}\S|🚨 Error: The command exited|user command error: exit status"
    r"|##\[error\]\w{1,20} exited with|nox > (?:Command|Session) .{1,400} failed|\S{1,40}: exit \d{1,3} \("
    r"|section_(?:start|end):\d|system {1,40}\| "
    r"|\s{0,4}\S{1,40}: FAIL code|\s{0,4}evaluation failed|- (?:hook id|exit code): |\s{0,4}NX\s{1,4}Running target"
    r"|Aborting on container exit|Failed tasks:$|\S.{0,200}\.{3}(?:\([^()]{1,60}\))?(?:Passed|Failed|Skipped)$"
    r"|\S{1,40}: build(?:ing)? (?:terminated|stopped|aborted)\b"
    r"|Please report |Read (?:the )?documentation |(?:Run|Use|Try|See) [`'\"])"
)
_PLACE_OF_A_RULE = Pattern(r"\[[^\]\s:]{1,200}:\d{1,9}: ")
_POINTS = Pattern(
    r"^\s{0,8}\[?[Ww]arning\b|(?<=[\w/-])\.[A-Za-z]\w{0,9}:\d{1,9}(?::\d{1,9})?(?::? |:(?=[a-z]))"
    r"|\bin [\w./-]{1,300}\.\w{1,9}:\d{1,9}|\bon [\w./-]{1,300}\.\w{1,9} line \d|\bat line \d"
    r"|^\s{0,8}[A-Z]{1,6}\d{1,5} \d{1,9}:\d{1,9} "
)
_FEW_PLACES = 40
"""More of them are a log, and no complaint."""
_FRAME = Pattern(r"\s{0,40}(?:at |from |#\d{1,4}\s|File \"|\.\.\. )")
_STACK = Pattern(r"\s{0,40}(?:(?:at|from) [^\n]{1,600}:\d{1,9}\)?$|[^\s:]{1,400}:\d{1,9}:in [`'])")
"""A level of it that names a place: how its function is called says nothing."""
_CALLED = Pattern(r"\s{0,8}\S{1,400}\.\w{1,9} \d{1,9}:\d{1,9} {2,}\S")
"""A level of a stack, as Dart prints it."""
_OPENS = frozenset("[{(")
_BULLET = Pattern(r"\s{0,8}[*•-] {1,3}\S")
"""A list below a line that heads it."""
_HEADED = Pattern(r"\s{0,4}(?:(?:[─━═]{2}|={2}|-{2}|\*{2}|#{2})[^\n:(]{0,200}[:(]|#{1,4} [A-Z])")
"""Between rules, with more than a word: what is told about it stands below."""
_RULE = Pattern(r"\s{0,4}(?:[─━═―]{2}|={2}|-{2}|\*{2}|#{1,4} |#{2})")
_LISTED = Pattern(r"\s{0,4}\d{1,4}\) \S|.{1,300}\b\d{1,6} (?:error|warning|problem|issue|offense|violation)s?:$")
"""Most test runners number their failures so; linters head theirs with a file and a count."""
_LED_BY_A_PLACE = Pattern(
    r"[^\s:()][^\s:()]{0,300}\.[A-Za-z]\w{0,9}:\d{1,9}:\d{1,9}:? (?!(?:note|info|help|remark)\b)\S"
)
_PART = Pattern(r"\s{0,8}[A-Z][A-Za-z ]{0,30}: \S|\s{1,8}(?:FAILED|FAIL) for \S")
_PART_WITH_A_PLACE = Pattern(r"\s{0,8}(?:File|Location|Path): \S")
_FINE = Pattern(r"\s{0,8}(?:PASS|PASSED|SKIPPED)\b")
_FEWEST_PARTS = 3
_NUMBERED = Pattern(r"^\s{0,12}\d{1,6}(?:[.)]|/\d{1,6}) ")
_EDGES = " \t|│┃║╎╷╵┌└├╭╰─━╮╯┐┘┤*•·>-"
_RIGHT_EDGES = _EDGES.replace(">", "")  # `<n>` ends with one
_FILE_PLACE = Pattern(r"(?<=\w)(\.[A-Za-z]\w{0,9}|file)(?::\d{1,9}){1,2}(?:-\d{1,9})?(?!\w)")
_BRACKETED_PLACE = Pattern(
    r"(?<=\w)(\.[A-Za-z]\w{0,9})\(\d{1,9}(?:, ?\d{1,9})?\)(?=:| (?:[Ee]rror|[Ww]arning|[Hh]int)\b)"
)
_POSITION = Pattern(
    r"^\[\d{1,9}(?:, \d{1,9}){0,40}\]:?|@\d{1,9}:\d{1,9}|\(\d{1,9}:\d{1,9}\)|\(l\. ?\d{1,9}(?:, l\. ?\d{1,9}){0,20}\)"
    r"|(?<!\S)\d{1,9}:\d{1,9}(?:-\d{1,9}(?::\d{1,9})?)?(?=:?\s|$)"
    r"|(?<=\w):\d{1,9}:\d{1,9}(?=: )|^(?:\[\w{1,12}\] {0,12})?\(\d{2,10}\)(?= ?:)"  # of any file; a process
)
_SHELL_PLACE = Pattern(r"(?<=: )\d{1,6}(?=: )|(?<=\{line,)\d{1,9}(?=\})")
_PRINTED = Pattern(
    r"^\s{0,12}(?:❱ {0,6}\d{1,7}\b|\[error\] {1,12}\d{1,7} \||\d{1,7}(?=: {2}|\s{0,2}[│┃]| \|)"
    r"|l\.\d{1,7}(?= )|L\d{1,7}(?= ?[|│]))"
)
_WORKER = Pattern(r"\b(worker|thread|pool|process)([-_ #:]{1,2})\d{1,10}\b", re.IGNORECASE)
_SIZE = Pattern(r"\b([a-z]{1,8}-(?:vm|rss)):\d{1,15}kB")
_OF_THE_RUN = Pattern(
    r"\b(?:time|ts|timestamp|date|started|duration|elapsed|took|latency|pid|tid|id|run|host|hostname|caller"
    r"|(?:trace|span|request|run|job|session)[_-]?id)=(?:\"[^\"\n]{0,200}\"|[^\s\"]{1,200})",
    re.IGNORECASE,
)
_TOOK = Pattern(
    r"(?<![\w.])\d{1,9}(?:\.\d{1,6})? ?(?:ms|µs|us|ns)\b|(?<![\w.])\d{1,9}(?:\.\d{1,6})?s(?=\s{0,4}\|?\s{0,4}$)"
    r"|(?<=\(gas: )\d{1,12}"
)
_DIGITS = dict.fromkeys(map(ord, "0123456789"))
_ROW = Pattern(r"^\s{1,12}\d{1,6} {3,}(?=\S)")
_LARGE = Pattern(r"\b\d{4,20}\b")
_HASH = Pattern(r"\b(?:sha\d{3}:)?[0-9a-f]{32,128}\b|\b[0-9a-z]{32}(?=-)")


class Evidence(Value):
    said: Sequence[str]
    """As printed, in order."""
    lines: Sequence[str]
    """Neutral, each once, sorted."""
    known: bool
    """Whether anything spoke of an error."""


def evidence_in(lines: Sequence[str]) -> Evidence:
    lines = without_context(lines)
    wrong, fine = _records(lines)
    speaking = (_speaking(lines) | wrong) - fine
    told = list(_region(lines, speaking | _complaints(lines, speaking)))
    if told:
        return _evidence(told, known=True)
    listed = list(_region(lines, {n for n, line in enumerate(lines) if _LISTED.match(line)}))
    if listed:
        return _evidence(listed, known=True)
    places = set(islice((n for n, line in enumerate(lines) if _points(line)), _FEW_PLACES + 1))
    if 0 < len(places) <= _FEW_PLACES:
        above = {n - 1 for n in places if n and _only_points(lines[n])}
        return _evidence(list(_region(lines, places | above)), known=False)
    about = [_PLACE_OF_A_RULE.sub("[", line) for line in lines if "*** [" in line]
    return _evidence([*_last(lines), *about], known=bool(about))


def _speaking(lines: Sequence[str]) -> set[int]:
    """The numbers of the lines that speak of an error; of warnings only when nothing is louder."""
    text = "\n".join(lines).lower()
    words = [word for word in _WORDS if word in text]
    told = list(islice((n for n, line in enumerate(lines) if _speaks(line, words)), _MOST_SPEAKING))
    if len(told) == _MOST_SPEAKING:  # a flood: of different lines the middle would not be kept
        rest = range(len(lines) - 1, told[-1], -1)
        told += [*islice((n for n in rest if _speaks(lines[n], words)), _MOST_SPEAKING)][::-1]
    loud = any(_LOUD.search(lines[n][:_HEAD]) for n in told)
    return {n for n in told if not loud or not _WARNS.search(lines[n][:_HEAD])}


def _complaints(lines: Sequence[str], speaking: AbstractSet[int]) -> set[int]:
    """Lines that a compiler begins with a place, where what speaks of an error names none (`compilation error`)."""
    if any(_FILE_PLACE.search(lines[n]) for n in speaking):
        return set()
    led = {n for n, line in enumerate(lines) if _LED_BY_A_PLACE.match(line) and "arning" not in line}
    return led if len(led) <= _FEW_PLACES and speaking else set()


def _records(lines: Sequence[str]) -> tuple[set[int], set[int]]:
    """The lines `File: cart.rb`, `Line: 14`, `Message: …` of findings: none of them has to speak of an error.

    Also those of what was found to be right, of which none speaks of one, whatever it says.
    """
    wrong, fine = set[int](), set[int]()
    places = islice((n for n, line in enumerate(lines) if _PART_WITH_A_PLACE.match(line)), _FEW_PLACES + 1)
    for place in places:
        parts = [*_parts(lines, range(place, -1, -1)), *_parts(lines, range(place, len(lines)))[1:]]
        if len(parts) >= _FEWEST_PARTS:
            (fine if any(_FINE.match(lines[n]) for n in parts) else wrong).update(parts)
    return wrong, fine


def _parts(lines: Sequence[str], numbers: Sequence[int]) -> list[int]:
    """From a place on: as long as the lines are parts and no further out; what is further out above them heads them."""
    parts: list[int] = []
    deep = _indent(lines[numbers[0]])
    for number in islice(numbers, _CONTINUATION):
        is_part = _PART.match(lines[number]) or _FINE.match(lines[number])
        further_out = _indent(lines[number]) < deep
        if is_part and (not further_out or numbers[-1] == 0):
            parts.append(number)
        if not is_part or further_out:
            break
    return parts


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _speaks(line: str, words: Sequence[str]) -> bool:
    low = line.lower()
    for word in words:  # a plain loop: this runs for every line
        if word in low and (word not in _PARTS_OF_WORDS or _WHOLE_WORD.search(line)):
            marks = (_SUMMARY, _ABOUT_THE_STEP, _STACK, _CALLED)
            aside = any(mark.match(line) for mark in marks)
            return not (aside or _HARMLESS.search(line[:_HEAD]))
    return False


def about_the_step(line: str) -> bool:
    """Whether a build tool or a CI system says it about the step that failed."""
    return _ABOUT_THE_STEP.match(line) is not None


def _points(line: str) -> bool:
    """Whether it warns or names a place in a file: where nobody speaks of an error, that is what the check is about."""
    return _POINTS.search(line) is not None and not any(
        mark.match(line) for mark in (_FRAME, _ABOUT_THE_STEP, _SUMMARY)
    )


def _only_points(line: str) -> bool:
    """Whether it says no more than the place: then what is wrong there stands above it."""
    words = line.lstrip(_EDGES).split()
    place = _FILE_PLACE.search(words[0]) if len(words) <= 2 else None  # noqa: PLR2004 - the place, and whose it is
    return place is not None and len(words[0]) - place.end() <= 1


def _region(lines: Sequence[str], speaking: AbstractSet[int]) -> Iterator[str]:
    """A line that speaks of an error and its continuation: what is indented deeper, framed, or follows a heading."""
    indent, deeper, left, row, item = 0, 0, 0, False, False
    for number, line in enumerate(lines) if speaking else ():
        if number in speaking:
            yield line
            row, item = bool(GUTTER.match(line)), bool(_BULLET.match(line))
            indent, left = _indent(line), _CONTINUATION
            deeper = indent if line.endswith(":") or _HEADED.match(line) else indent + 1
        elif left and line.strip():
            below = _indent(line) >= deeper and not _RULE.match(line)
            framed = not row and GUTTER.match(line)
            listed = not item and _indent(line) >= indent and _BULLET.match(line)
            goes_on = bool(below or framed or listed or line in _OPENS) and not _is_aside(line)
            left = left - 1 if goes_on else 0
            if goes_on:
                yield line


def _is_aside(line: str) -> bool:
    """A stack, and what is neither good nor bad."""
    marks = (_FRAME, _STACK, _ABOUT_THE_STEP, _SUMMARY)
    return any(mark.match(line) for mark in marks) or any(m.search(line[:_HEAD]) for m in (_HARMLESS, _WARNS))


def _last(lines: Sequence[str]) -> list[str]:
    """What a program said last is more about its end than what it said first, and than what it says all the time."""
    said = [line for line in reversed(lines) if line.strip()]
    often = Counter(line.translate(_DIGITS) for line in said)
    rare = (line for line in said if often[line.translate(_DIGITS)] == 1)
    own = (line for line in rare if not _ABOUT_THE_STEP.match(line) and not line.startswith("> "))
    results = islice((line for line in own if not _SUMMARY.match(line)), _LAST_LINES)
    return list(results)[::-1] or said[:_LAST_LINES][::-1]


def _evidence(said: Sequence[str], *, known: bool) -> Evidence:
    shown = without_numbers([_ROW.sub("", line) for line in said])
    told = "\n".join(_bounded(shown))
    neutral = {_neutral(line) for line in normalize(told).split("\n")} - {""}
    neutral = {line for line in neutral if any(map(str.isalnum, line))} or neutral
    if not known:  # a number in a line that nobody understands is more likely chance than meaning
        neutral = {_LARGE.sub("<n>", line) for line in neutral}
    return Evidence(said=said, lines=sorted(neutral), known=known)


def _neutral(line: str) -> str:
    """One line without what only its layout, its place or the run gave it."""
    line = _PRINTED.sub("", line.lstrip(_EDGES)) if line[:1] in _EDGES else _PRINTED.sub("", line)
    line = _NUMBERED.sub("", line)
    line = _BRACKETED_PLACE.sub(r"\1", _FILE_PLACE.sub(r"\1", line))
    line = _POSITION.sub("", _SHELL_PLACE.sub("<n>", line))
    line = _TOOK.sub("<duration>", _OF_THE_RUN.sub("", line))
    line = _HASH.sub("<hash>", _SIZE.sub(r"\1:<n>", _WORKER.sub(r"\1\2<n>", line)))
    return " ".join(line.lstrip(_EDGES).rstrip(_RIGHT_EDGES).split())


def _bounded(lines: Sequence[str]) -> list[str]:
    """Each line once; of very many the first and the last, so that a flood costs little."""
    once = list(dict.fromkeys(lines))
    return once if len(once) <= 2 * _ENOUGH_LINES else once[:_ENOUGH_LINES] + once[-_ENOUGH_LINES:]
