"""Which names and expressions are often written in place of each other? Tables."""

from __future__ import annotations

_TABLE = """
any: all; all: any; min: max sum; max: min sum; sum: max len min; len: sum max
append: extend add appendleft insert; extend: append update; add: append update discard; insert: append
sorted: list set reversed; reversed: sorted list; list: tuple set sorted; set: list sorted frozenset; tuple: list set
upper: lower title capitalize; lower: upper casefold strip; title: capitalize upper; capitalize: title upper
isupper: islower; islower: isupper; isdigit: isalpha isalnum isnumeric; isalpha: isdigit isalnum
isalnum: isalpha isdigit
int: float round str; float: int str; round: int float; str: repr int; floor: ceil trunc; ceil: floor; trunc: floor
startswith: endswith; endswith: startswith; strip: lstrip rstrip removeprefix
lstrip: removeprefix strip rstrip; rstrip: removesuffix strip lstrip; replace: removeprefix removesuffix
find: rfind index; rfind: find rindex; index: rindex find count; split: rsplit splitlines partition; rsplit: split
partition: rpartition split; rpartition: partition rsplit; removeprefix: removesuffix; removesuffix: removeprefix
pop: popleft get popitem; popleft: pop; appendleft: append; keys: values items; values: keys items; items: keys values
union: intersection difference; intersection: union difference; difference: union intersection symmetric_difference
issubset: issuperset; issuperset: issubset; remove: discard pop; discard: remove add; update: add extend
get: pop setdefault; setdefault: get; heappush: heappushpop; heappop: heappushpop; copy: deepcopy
bisect_left: bisect_right; bisect_right: bisect_left; bisect: bisect_left; insort_left: insort_right
nlargest: nsmallest; nsmallest: nlargest; search: match fullmatch; match: search fullmatch; fullmatch: match search
findall: finditer; isinstance: issubclass; getattr: hasattr; range: reversed; zip: enumerate; ljust: rjust; rjust: ljust
days: seconds; seconds: days total_seconds(); month: day year; day: month year; year: month; hour: minute
minute: hour second; second: minute; weekday: isoweekday; isoweekday: weekday; utcnow: now; real: imag
first: last; last: first; left: right; right: left; start: end stop; end: start; stop: start; prev: next
next: prev list
head: tail; tail: head; width: height; height: width; low: high; high: low; lo: hi; hi: lo; row: col; col: row
rows: cols; cols: rows; x: y; y: x; key: value; value: key; parent: child; child: parent; old: new; new: old
"""


def _read(table: str) -> dict[str, tuple[str, ...]]:
    entries = (entry.partition(":") for line in table.split("\n") for entry in line.split(";") if entry.strip())
    return {name.strip(): tuple(others.split()) for name, _, others in entries}


INSTEAD = _read(_TABLE)

OFF_BY_ONE = ("{} + 1", "{} - 1")
AROUND = {
    0.28: OFF_BY_ONE,
    0.27: ("{} ** 2",),
    0.4: ("not {}",),
    0.35: ("abs({})", "str({})", "list({})", "sorted({})"),
    0.3: ("-{}", "max(0, {})", "int({})", "len({})", "[{}]", "{}.copy()"),
    0.25: ("set({})", "{}[0]", "{}[-1]", "{}[::-1]", "{}.lower()", "{}.strip()", "{}()", "{}.items()"),
    0.2: ("float({})", "{}[1:]", "{}[:-1]", "{}.values()"),
    0.15: ("tuple({})", "{} * 2", "{} // 2", "reversed({})", "bool({})", "round({})", "dict({})"),
    0.1: (
        "({},)",
        "{}.upper()",
        "{} * {}",
        "{} / 2",
        "round({}, 2)",
        "{} or []",
        "{} or 0",
        "{}.keys()",
        "sum({})",
        "any({})",
        "all({})",
        "copy.deepcopy({})",
        "deepcopy({})",
        "enumerate({})",
        "repr({})",
        "{} / 100",
        "{} * 100",
    ),
}
"""Prior -> what may be missing around a value, which is `{}`."""
WITH_NAME = {
    0.3: ("{} + {v}", "{} - {v}"),
    0.2: ("{} * {v}", "{} % {v}", "max({}, {v})", "min({}, {v})", "{v} + {}", "{v}({})"),
    0.12: ("{v} - {}", "{} / {v}", "{} // {v}", "{}[{v}]", "{v}[{}]", "{}[{v}:]", "{}[:{v}]"),
}
"""The same with a name that is known there, which is `{v}`."""
WITH_MEMBER = {0.2: ("{} + self.{v}", "{} - self.{v}"), 0.12: ("{} * self.{v}", "{} % self.{v}")}

NONES = {0.4: ("0",), 0.35: ("[]", "False", "True"), 0.3: ('""',), 0.25: ("{}",), 0.15: ("set()", "1")}
EMPTY_LISTS = {0.4: ("[[]]", "set()"), 0.35: ("{}",), 0.3: ("[0]", "None"), 0.15: ("[1]", '""', "0", "[None]", "()")}
EMPTY_DICTS = {0.5: ("set()",), 0.35: ("[]",), 0.2: ("None",), 0.1: ("{0: 1}",)}
TEXTS = ("", " ", ",", ", ", "\n", "_", "-", ".", "0", "/", ":")

MODES = ("r", "w", "a", "rb", "wb", "r+")
CODES = "%m %d,%d %m,%m %M,%M %m,%H %I,%I %H,%y %Y,%Y %y,%b %B,%B %b,%A %a,%a %A,%S %M"
"""Codes of dates and times that are mistaken for each other."""
PATTERNS = (
    (r"\d", r"\w"),
    (r"\w", r"\S"),
    (r"\w", r"[\w-]"),
    (r"\s", r"\S"),
    (r"\b", ""),
    (r"\.", "."),
    (".", r"\."),
    ("+", "*"),
    ("*", "+"),
    ("+", "+?"),
    ("*", "*?"),
    ("^", ""),
    ("$", ""),
    ("]", "]+"),
    ("]", "]*"),
    (r"\d", r"\d+"),
    (r"\s", r"\s+"),
    (r"\w", r"\w+"),
    ("a-z", "a-zA-Z"),
    ("A-Z", "A-Za-z"),
)
"""Parts of regular expressions, and what may be meant."""

ARGUMENTS: dict[str, dict[float, tuple[str, ...]]] = {
    "sorted": {0.7: ("reverse=True",), 0.3: ("key=len",)},
    "sort": {0.7: ("reverse=True",), 0.3: ("key=len",)},
    "get": {0.6: ("0",), 0.4: ("[]", '""'), 0.25: ("{}", "None", "False")},
    "pop": {0.6: ("0",), 0.5: ("None",), 0.3: ("-1",)},
    "range": {0.5: ("1",), 0.4: ("-1",), 0.3: ("2",)},
    "max": {0.5: ("default=0",), 0.4: ("0",), 0.2: ("key=len",)},
    "min": {0.5: ("default=0",), 0.3: ("0",), 0.2: ("key=len",)},
    "enumerate": {0.6: ("start=1",), 0.4: ("1",)},
    "round": {0.5: ("2",), 0.3: ("1",)},
    "split": {0.3: ('","', '" "'), 0.2: ("1",)},
    "next": {0.6: ("None",)},
    "getattr": {0.6: ("None",)},
    "zip": {0.2: ("strict=True",)},
    "int": {0.2: ("2", "16")},
    "reduce": {0.3: ("1", "0")},
}
"""Function -> prior -> arguments that are easily forgotten."""
EXCEPTIONS = (
    "ValueError",
    "TypeError",
    "KeyError",
    "IndexError",
    "AttributeError",
    "RuntimeError",
    "StopIteration",
    "LookupError",
    "ZeroDivisionError",
    "NotImplementedError",
    "OSError",
    "FileNotFoundError",
    "PermissionError",
    "AssertionError",
    "OverflowError",
    "TimeoutError",
    "ConnectionError",
    "UnicodeError",
    "ArithmeticError",
    "Exception",
)
