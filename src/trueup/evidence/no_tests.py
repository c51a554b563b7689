"""Does a test tool itself say that it ran no test? Asked of tools that nothing but their text tells about."""

from __future__ import annotations

import re

from trueup.evidence.normalize import neutralise

_COUNTS: tuple[str, ...] = (
    r"(\d{1,9}) examples?, \d{1,9} failures?(?:$|,)",  # RSpec
    r"(\d{1,9}) (?:runs?|tests?), \d{1,9} assertions?, \d{1,9} failures?, ",  # minitest, test-unit
    r"(No) tests executed!$",  # PHPUnit
    r"OK \((\d{1,9}) tests?, \d{1,9} assertions?\)",
    r"OK \((\d{1,9}) tests?\)$",  # JUnit 4
    r"(?:\[\w{1,10}\] )?Tests run: (\d{1,9}), ",  # Maven, JUnit 4
    r"(?:\[\w{1,10}\] )?(No) tests to run\.$",
    r"(No) tests were found!!!$",  # CTest
    r"\d{1,3}% tests passed, \d{1,9} tests failed out of (\d{1,9})$",
    r"\[==========\] (\d{1,9}) tests? from \d{1,9} test",  # GoogleTest
    r"\[ {1,12}(\d{1,9}) tests found {1,12}\]$",  # JUnit 5
    r"Files=\d{1,9}, Tests=(\d{1,9}),",  # prove
    r"1\.\.(\d{1,9})(?:$| )",  # TAP
    r"(?:# |ℹ )tests (\d{1,9})$",
    r"Ran (\d{1,9}) tests? in ",  # unittest
    r"(?:={3,} )?(\d{1,9}) passed\b",  # pytest
    r"test result: ok\. (\d{1,9}) passed; ",  # cargo
    r"Passed! {1,4}- Failed: {1,9}\d{1,9}, Passed: {1,9}(\d{1,9})",  # dotnet
    r"Total tests: (\d{1,9})$",  # dotnet until version 3.1
    r"(No) test (?:is available in|matches the given testcase filter) ",
    r"# TOTAL: {1,9}(\d{1,9})$",  # automake
    r"Tests: {1,9}(?:\d{1,9} \w{1,10}, ){0,4}(\d{1,9}) total$",  # jest
    r" {0,9}(\d{1,9}) passing \(",  # mocha
)
_FORMS = tuple(re.compile(rf"^{form}", re.MULTILINE) for form in _COUNTS)
_NONE = frozenset({"", "no"})


def says_no_tests(text: str) -> bool:
    """True when tools counted their tests and all of them came to zero. One that ran some speaks for the check."""
    plain = neutralise(text)
    counts = [match[1].lower().lstrip("0") for form in _FORMS for match in form.finditer(plain)]
    return bool(counts) and _NONE.issuperset(counts)
