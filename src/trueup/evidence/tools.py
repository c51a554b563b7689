"""Which test tool wrote this text? Told by the lines with which each one ends, whether its tests passed or not."""

from __future__ import annotations

import re

from trueup.evidence.normalize import neutralise

_ENDS: tuple[tuple[str, str], ...] = (
    ("pytest", r"(?:={3,} )?(?:no tests ran|\d+ \w+[^\n]{0,200}?) in \d+\.\d+s(?: \([\d:]+\))?(?: ={3,})?$"),
    ("unittest", r"Ran \d+ tests? in \d+\.\d+s$"),
    ("go", r"(?:ok  |FAIL|\?   )\t\S+\t(?:\d[\d.]*s|\(cached\)|\[no test files\])"),
    ("cargo", r"test result: (?:ok|FAILED)\. \d+ passed; "),
    ("jest", r"Test Suites: +(?:\d+ \w+, )*\d+ total$"),
    ("vitest", r" *Test Files +\d+ (?:passed|failed|skipped)"),
    ("mocha", r" *\d+ passing \(\d+\w+\)$"),
    ("node:test", r"(?:# |ℹ )tests \d+$"),
    ("rspec", r"\d+ examples?, \d+ failures?"),
    ("minitest", r"\d+ runs?, \d+ assertions?, \d+ failures?, "),
    ("phpunit", r"(?:OK \(\d+ tests?, \d+ assertions?\)|Tests: \d+, Assertions: \d+)"),
    ("maven", r"(?:\[\w+\] )?Tests run: \d+, Failures: \d+, Errors: \d+"),
    ("ctest", r"\d+% tests passed, \d+ tests failed out of \d+"),
    ("googletest", r"\[==========\] \d+ tests? from \d+ test"),
    ("dotnet", r"(?:(?:Passed!|Failed!) +- Failed: +\d+, Passed: +\d+|Test Run (?:Successful|Failed)\.$)"),
)
LOOKED_INTO = frozenset({"pytest", "unittest", "go", "jest", "vitest", "mocha", "node:test"})
"""Tools that tell each test themselves, where they can be asked."""
_FORMS = tuple((tool, re.compile(rf"^{form}", re.MULTILINE)) for tool, form in _ENDS)
_LAST = 20_000
"""Characters at the end of a text that are looked at: a summary stands last."""


def tool_of_text(text: str) -> str:
    """The tool whose last words come last; "" when nobody's are there."""
    end = neutralise(text[-_LAST:])
    said = [(match.start(), tool) for tool, form in _FORMS for match in form.finditer(end)]
    return max(said, default=(0, ""))[1]
