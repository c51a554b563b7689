"""What a failure says beside its first words: the cause in Java, the panic that was expected in Rust."""

from __future__ import annotations

from trueup.evidence.failure import Failure
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.text import failures_from_text


def of(text: str) -> Failure:
    (failure,) = failures_from_text("tests", text, exit_code=1, sources=lambda _: None)
    return failure


SUREFIRE = """\
[ERROR] lib.DeskTest.lends -- Time elapsed: 0.104 s <<< ERROR!
java.lang.IllegalStateException: no context
\tat lib.Loan.lend(Loan.java:8)
{0}
[INFO]
"""
JUNIT4 = """\
There was 1 failure:
1) lends(lib.DeskTest)
java.lang.IllegalStateException: no context
\tat lib.Loan.lend(Loan.java:8)
{0}
FAILURES!!!
Tests run: 1,  Failures: 1
"""
CONSOLE = """\
Failures (1):
  JUnit Jupiter:DeskTest:lends()
    MethodSource [className = 'lib.DeskTest', methodName = 'lends', methodParameterTypes = '']
    => java.lang.IllegalStateException: no context
       lib.Loan.lend(Loan.java:8)
     {0}
Test run finished after 87 ms
"""
TREE = """\
├─ JUnit Jupiter
│  ├─ DeskTest
│  │  ├─ lends()
│  │  │      caught: java.lang.IllegalStateException: no context
│  │  │                 at lib.Loan.lend(Loan.java:8)
│  │  │             {0}
│  │  │    duration: 17 ms
"""
CAUSE = "Caused by: java.io.IOException: {0}"


def test_what_caused_an_exception_in_java_tells_its_failures_apart() -> None:
    for report in (SUREFIRE, JUNIT4, CONSOLE, TREE):
        closed, full = of(report.format(CAUSE.format("disk closed"))), of(report.format(CAUSE.format("disk full")))
        assert (closed.kind, closed.message) == (
            "IllegalStateException",
            "no context\nCaused by: java.io.IOException: disk closed",
        )
        assert len({fingerprint(closed), fingerprint(full), fingerprint(of(report.format("")))}) == 3


PANIC = """\
running 1 test
test desk::lends{0} ... FAILED

failures:

---- desk::lends stdout ----

thread 'desk::lends' (30378) panicked at src/lib.rs:35:22:
called `Result::unwrap()` on an `Err` value: Late
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
{1}
failures:
    desk::lends

test result: FAILED. 0 passed; 1 failed
"""
NOTE = """\
note: panic did not contain expected string
      panic message: "called `Result::unwrap()` on an `Err` value: Late"
 expected substring: "no copy"
"""


def test_another_panic_than_the_expected_one_says_which_was_expected() -> None:
    plain, expected = of(PANIC.format("", "")), of(PANIC.format(" - should panic", NOTE))
    assert expected.message == f'{plain.message}\nexpected substring: "no copy"'
    assert fingerprint(plain) != fingerprint(expected)


def test_gradle_tells_the_place_of_a_failure_where_it_tells_no_message() -> None:
    text = (
        "{0}LoanTest > breaks FAILED\n    java.lang.AssertionError at LoanTest.java:2\n\n2 tests completed, 1 failed\n"
    )
    tree = {"src/test/java/lib/LoanTest.java": "\nassertEquals(3, 4);\n", "LoanTest.java": "\nfail();\n"}
    for package, source in (("lib.", "assertEquals(3, 4);"), ("", "fail();")):
        (failure,) = failures_from_text("t", text.format(package), exit_code=1, sources=tree.get)
        assert (failure.subject, failure.line, failure.source_line) == (f"{package}LoanTest > breaks", 2, source)


def test_gradle_tells_the_cause_in_a_line_of_its_own() -> None:
    text = "lib.LoanTest > breaks FAILED\n    lib.Late: no\n        at lib.Loan.lend(Loan.java:8)\n\n        Caused by:\n        {0}\n            at lib.Loan.lend(Loan.java:8)\n"
    assert of(text.format("java.lang.Error: late")).message == "lib.Late: no\nCaused by: java.lang.Error: late"
    assert fingerprint(of(text.format("java.lang.Error: late"))) != fingerprint(
        of(text.format("java.lang.Error: lost"))
    )


def test_gradle_may_tell_nothing_but_a_name() -> None:
    assert of("lib.LoanTest > breaks FAILED\n\n1 test completed, 1 failed\n").line is None
    assert of("lib.LoanTest > breaks FAILED\n").line is None


FLAT = """\
Test execution started. Number of static tests: 1
Started:     JUnit Jupiter ([engine:junit-jupiter])
Started:     DeskTest ([engine:junit-jupiter]/[class:lib.DeskTest])
Started:     lends() ([engine:junit-jupiter]/[class:lib.DeskTest]/[method:lends()])
Finished:    lends() ([engine:junit-jupiter]/[class:lib.DeskTest]/[method:lends()])
             => Exception: java.lang.IllegalStateException: no context
             \tat lib.Loan.lend(Loan.java:8)
             {0}
Finished:    DeskTest ([engine:junit-jupiter]/[class:lib.DeskTest])
Finished:    JUnit Jupiter ([engine:junit-jupiter])
Test execution finished.
"""


def test_junit_tells_the_same_failure_in_its_flat_form() -> None:
    for cause in ("", CAUSE.format("disk closed")):
        flat, console = of(FLAT.format(cause)), of(CONSOLE.format(cause))
        assert fingerprint(flat) == fingerprint(console)
        assert (flat.subject, flat.line) == ("DeskTest:lends()", 8)


def test_the_bytes_of_a_value_in_googletest_are_no_part_of_the_failure() -> None:
    text = (
        "[ RUN      ] Desk.Lends\ncart_test.cpp:{0}: Failure\nExpected equality of these values:\n  b\n"
        "    Which is: 40-byte object <{1} 01-00 00-00>\n[  FAILED  ] Desk.Lends (0 ms)\n"
    )
    assert fingerprint(of(text.format(9, "90-DF 8E-2A FC-7F"))) == fingerprint(of(text.format(22, "30-1A 55-92 FF-7F")))
