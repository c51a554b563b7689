"""From a program's text to failures, without a machine format."""

from __future__ import annotations

import random
import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.evidence.failure import Failure, Phase
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.text import failures_from_text, how_it_ended

TREE = {
    "shop/cart.py": "import os\n\n\ndef total():\n    return cents / 0\n",
    "tests/test_cart.py": "from shop.cart import total\n\n\ndef test_total():\n    assert total() == 1\n",
}


def read(output: str, exit_code: int | None = 1) -> tuple[Failure, ...]:
    return failures_from_text("tests", output, exit_code=exit_code, sources=TREE.get)


def blind(output: str) -> tuple[Failure, ...]:
    return failures_from_text("tests", output, exit_code=1, sources=lambda path: None)


def identities(output: str) -> Counter[str]:
    return Counter(fingerprint(f) for f in blind(output))


PYTEST_LONG = """\
F.                                                                       [100%]
=================================== FAILURES ===================================
__________________________________ test_total __________________________________

    def test_total():
>       assert total() == 1

tests/test_cart.py:5:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

    def total():
>       return cents / 0
E       ZeroDivisionError: division by zero

shop/cart.py:5: ZeroDivisionError
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_total - ZeroDivisionError: division by zero
1 failed, 1 passed in 0.03s
"""

PYTEST_SHORT = """\
============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-8.0.0, pluggy-1.7.0
rootdir: /tmp/job-r4gng65/checkout
collected 2 items

tests/test_cart.py F.                                                    [100%]

=================================== FAILURES ===================================
__________________________________ test_total __________________________________
tests/test_cart.py:15: in test_total
    assert total() == 1
shop/cart.py:25: in total
    return cents / 0
E   ZeroDivisionError: division by zero
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_total - ZeroDivisionError: division by zero
========================= 1 failed, 1 passed in 3.20s ==========================
"""

PYTEST_NATIVE = """\
=================================== FAILURES ===================================
__________________________________ test_total __________________________________
Traceback (most recent call last):
  File "/opt/venv/lib/python3.11/site-packages/_pytest/runner.py", line 341, in from_call
    result: TResult | None = func()
  File "/tmp/job-e9vslby/repo/tests/test_cart.py", line 5, in test_total
    assert total() == 1
  File "/tmp/job-e9vslby/repo/shop/cart.py", line 5, in total
    return cents / 0
ZeroDivisionError: division by zero
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_total - ZeroDivisionError: division by zero
"""


def test_a_pytest_failure_is_read_with_its_place() -> None:
    (failure,) = read(PYTEST_LONG)
    assert failure.subject == "tests/test_cart.py::test_total"
    assert failure.kind == "ZeroDivisionError"
    assert failure.message == "division by zero"
    assert (failure.file, failure.line, failure.source_line) == ("shop/cart.py", 5, "return cents / 0")
    assert failure.phase is Phase.RUN
    assert failure.test
    assert "return cents / 0" in failure.excerpt


def test_the_style_of_the_traceback_does_not_matter() -> None:
    assert identities(PYTEST_LONG) == identities(PYTEST_SHORT) == identities(PYTEST_NATIVE)


def test_line_ends_log_prefixes_and_colours_do_not_matter() -> None:
    stamped = "".join(f"2026-11-14T20:14:17.44{n:05}Z {line}\n" for n, line in enumerate(PYTEST_LONG.split("\n")))
    coloured = PYTEST_LONG.replace("E       Zero", "\x1b[1m\x1b[31mE       Zero")
    crlf = PYTEST_LONG.replace("\n", "\r\n")
    assert identities(stamped) == identities(coloured) == identities(crlf) == identities(PYTEST_LONG)


def test_each_test_gets_its_own_section() -> None:
    output = (
        "=== FAILURES ===\n___ TestA.test_x[a - b] ___\n>       assert f(1)\nE       assert False\n\n"
        "t/test_a.py:3: AssertionError\n___ test_x ___\n>       g()\nE       KeyError: 'k'\n\nt/test_b.py:9: KeyError\n"
        "=== short test summary info ===\n"
        "FAILED t/test_a.py::TestA::test_x[a - b] - assert False\nFAILED t/test_b.py::test_x - KeyError: 'k'\n"
    )
    first, second = read(output)
    assert (first.subject, first.kind, first.source_line) == (
        "t/test_a.py::TestA::test_x[a - b]",
        "AssertionError",
        "assert f(1)",
    )
    assert (second.subject, second.kind, second.source_line) == ("t/test_b.py::test_x", "KeyError", "g()")


def test_a_summary_alone_is_enough() -> None:
    first, second = read("FAILED t/test_a.py::test_x[1-2] - assert 3 == 4\nFAILED t/test_a.py::test_y\n")
    assert (first.subject, first.kind, first.message) == ("t/test_a.py::test_x[1-2]", "AssertionError", "assert 3 == 4")
    assert (second.subject, second.kind) == ("t/test_a.py::test_y", "error")


def test_without_a_summary_the_sections_are_enough() -> None:
    assert identities(PYTEST_SHORT.replace("FAILED tests", "tests")) == identities(PYTEST_SHORT)
    assert identities(PYTEST_NATIVE.replace("FAILED tests", "tests")).total() == 1


def test_without_a_summary_ids_are_made_from_headings() -> None:
    output = (
        "==== ERRORS ====\n____ ERROR collecting tests/test_cart.py ____\nE   KeyError: 1\n____ no frame ____\nE   x\n"
        "==== FAILURES ====\n____ TestA.test_x[1.5-a::b] ____\n>       f()\nE       KeyError: 2\n\nt/test_a.py:3: KeyError\n"
    )
    assert [(f.subject, f.test) for f in blind(output)] == [
        ("tests/test_cart.py", False),
        ("t/test_a.py::TestA::test_x[1.5-a::b]", True),
    ]
    (again,) = blind(
        output + "==== short test summary info ====\nFAILED t/test_a.py::TestA::test_x[1.5-a::b] - KeyErr\n"
    )
    assert (again.subject, again.kind, again.source_line) == ("t/test_a.py::TestA::test_x[1.5-a::b]", "KeyError", "f()")


def test_parameters_with_dashes_that_were_cut_off_are_split_as_well_as_can_be() -> None:
    first, second = blind("FAILED t/test_a.py::x[a - b]\nFAILED t/test_a.py::y[a - b, much mo...\n")
    assert first.subject == "t/test_a.py::x[a - b]"
    assert second.subject == "t/test_a.py::y[a"


def test_a_message_of_several_lines_is_kept_to_its_end() -> None:
    output = (
        "ERROR: test_add (tests.CalcTest)\n------\nTraceback (most recent call last):\n"
        '  File "t.py", line 7, in test_add\n    x()\nValueError: one\ntwo\n\nunrelated\n'
        'FAIL: test_b (tests.CalcTest)\n------\nTraceback (most recent call last):\n  File "t.py", line 9, in b\n    y()\nKeyError'
    )
    assert [(f.subject, f.kind, f.message) for f in blind(output)] == [
        ("tests.py::CalcTest::test_add", "ValueError", "one\ntwo"),
        ("tests.py::CalcTest::test_b", "KeyError", ""),
    ]


def test_a_very_long_summary_line_is_read() -> None:
    output = PYTEST_SHORT.replace("division by zero\n====", "division by zero" + " and so on" * 400 + "\n====")
    assert output != PYTEST_SHORT
    assert identities(output) == identities(PYTEST_SHORT)


def test_a_syntax_error_is_named_by_its_last_line_in_any_folder() -> None:
    output = (
        "==== ERRORS ====\n____ ERROR collecting tests/test_cart.py ____\ntests/test_cart.py:1: in <module>\n"
        '    from shop.cart import total\nE     File "/tmp/a b/shop/cart.py", line 2\nE       def total()\n'
        "E                  ^\nE   SyntaxError: expected ':'\n"
        "==== short test summary info ====\nERROR tests/test_cart.py\n"
    )
    assert [f.kind for f in blind(output)] == ["SyntaxError"]
    assert identities(output.replace("/tmp/a b/", "/srv/ci/other/")) == identities(output)


def test_a_collection_error_hides_others_and_is_no_test() -> None:
    output = (
        "==== ERRORS ====\n____ ERROR collecting tests/test_cart.py ____\n"
        "ImportError while importing test module '/tmp/x/tests/test_cart.py'.\n"
        "tests/test_cart.py:1: in <module>\n    from shop.cart import total\n"
        "E   ModuleNotFoundError: No module named 'shop'\n"
        "==== short test summary info ====\nERROR tests/test_cart.py\n!!! Interrupted: 1 error during collection !!!\n"
    )
    (failure,) = read(output, exit_code=2)
    assert (failure.subject, failure.kind) == ("tests/test_cart.py", "ModuleNotFoundError")
    assert failure.phase is Phase.COLLECT
    assert not failure.test


def test_an_error_in_a_fixture_belongs_to_its_test() -> None:
    output = (
        "==== ERRORS ====\n____ ERROR at setup of test_x ____\n>       raise OSError(5)\nE       OSError: 5\n\n"
        "t/test_a.py:3: OSError\n=== short test summary info ===\nERROR t/test_a.py::test_x - OSError: 5\n"
    )
    (failure,) = read(output)
    assert (failure.subject, failure.kind, failure.phase, failure.test) == (
        "t/test_a.py::test_x",
        "OSError",
        Phase.RUN,
        True,
    )


def test_unittest_is_read() -> None:
    output = (
        "F\n======\nFAIL: test_add (tests.test_calc.CalcTest.test_add)\n------\nTraceback (most recent call last):\n"
        '  File "/tmp/w/tests/test_calc.py", line 7, in test_add\n    self.assertEqual(add(1, 2), 3)\n'
        "    ~~~~~~~~~~~~~~~~\nAssertionError: -1 != 3\n\n------\nRan 1 test in 0.001s\n\nFAILED (failures=1)\n"
    )
    (failure,) = blind(output)
    assert (failure.subject, failure.kind, failure.message) == (
        "tests/test_calc.py::CalcTest::test_add",
        "AssertionError",
        "-1 != 3",
    )
    assert failure.source_line == "self.assertEqual(add(1, 2), 3)"


def test_a_crash_is_a_failure_of_the_whole_check() -> None:
    output = (
        "starting\nTraceback (most recent call last):\n"
        '  File "/tmp/w/shop/cart.py", line 5, in total\n    return cents / 0\nZeroDivisionError: division by zero\n'
    )
    (failure,) = read(output)
    assert (failure.subject, failure.kind, failure.message) == ("", "ZeroDivisionError", "division by zero")
    assert (failure.file, failure.source_line) == ("shop/cart.py", "return cents / 0")
    assert not failure.test


def test_of_a_chain_of_exceptions_the_last_one_counts() -> None:
    output = (
        'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\nKeyError: 1\n\n'
        "During handling of the above exception, another exception occurred:\n\n"
        'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    raise Bad()\nshop.errors.BadThing: two\n'
    )
    (failure,) = read(output)
    assert (failure.kind, failure.message) == ("BadThing", "two")


DIAGNOSTICS = {
    "gcc": ("a.cpp:7:1: error: ‘vector’ does not name a type", "a.cpp", "error", Phase.BUILD),
    "gcc fatal": ("a.c:1:10: fatal error: x.h: No such file", "a.c", "fatal error", Phase.BUILD),
    "gcc option": ("a.c:3:5: error: unused variable 'x' [-Werror=unused-variable]", "a.c -Werror=unused-variable", "-Werror=unused-variable", Phase.BUILD),
    "go": ("./a.go:5:2: undefined: x", "a.go", "error", Phase.BUILD),
    "javac": ("src/A.java:5: error: ';' expected", "src/A.java", "error", Phase.BUILD),
    "tsc": ("src/a.ts(1,2): error TS7006: Parameter 'x'", "src/a.ts TS7006", "TS7006", Phase.BUILD),
    "tsc pretty": ("src/a.ts:1:2 - error TS7006: Parameter 'x'", "src/a.ts TS7006", "TS7006", Phase.BUILD),
    "rustc": ("error[E0425]: cannot find value `x`\n --> src/main.rs:2:5\n  |", "src/main.rs E0425", "E0425", Phase.BUILD),
    "mypy": ('a.py:1: error: Bad thing "x"  [no-untyped-def]', "a.py no-untyped-def", "no-untyped-def", Phase.RUN),
    "ruff": ("a.py:1:8: F401 [*] `os` imported but unused", "a.py F401", "F401", Phase.RUN),
    "ruff full": ("F401 [*] `os` imported but unused\n --> a.py:1:8\n  |", "a.py F401", "F401", Phase.RUN),
    "flake8": ("./a.py:1:1: E302 expected 2 blank lines, found 1", "a.py E302", "E302", Phase.RUN),
    "eslint unix": ("src/a.js:3:1: 'x' is not defined. [Error/no-undef]", "src/a.js Error/no-undef", "Error/no-undef", Phase.RUN),
}  # fmt: skip


@pytest.mark.parametrize(("output", "subject", "kind", "phase"), DIAGNOSTICS.values(), ids=DIAGNOSTICS)
def test_compiler_and_linter_lines_are_read(output: str, subject: str, kind: str, phase: Phase) -> None:
    (failure,) = read(f"{output}\n\nFound 1 error.\n")
    assert (failure.subject, failure.kind, failure.phase) == (subject, kind, phase)
    assert not failure.test


def test_twenty_complaints_of_one_rule_in_one_file_are_twenty_failures_with_one_key() -> None:
    output = "".join(f"a.py:{n}:8: F401 `m{n}` imported but unused\n" for n in range(1, 21))
    assert Counter(f.key for f in read(output)) == {"tests a.py F401": 20}


def test_the_same_complaints_elsewhere_and_in_another_order_are_the_same() -> None:
    lines = [f"shop/cart.py:{n}:8: F401 `m{n % 3}` imported but unused" for n in range(9)]
    moved = [line.replace(":8:", ":2:").replace("py:", "py:1") for line in lines]
    random.Random(1).shuffle(moved)
    assert identities("\n".join(lines)) == identities("\n".join(moved))


def test_the_source_comes_from_the_tree_also_for_an_absolute_path() -> None:
    (failure,) = read("/tmp/bench/q81/shop/cart.py:1:8: F401 `os` imported but unused\n")
    assert (failure.file, failure.source_line) == ("shop/cart.py", "import os")


def test_warnings_count_only_when_there_is_nothing_worse() -> None:
    warning = "a.c:3:5: warning: unused variable 'x' [-Wunused-variable]\n"
    assert [f.kind for f in read(warning)] == ["-Wunused-variable"]
    assert [f.message for f in read(warning + "a.c:9:1: error: boom\na.c:9:1: note: here\n")] == ["boom"]


def test_an_address_and_a_port_are_no_complaint() -> None:
    (failure,) = read("localhost:8080: connection refused\nexample.com:80: refused\n")
    assert failure.subject == ""


def test_an_unknown_tool_is_one_failure_of_the_whole_check_from_its_error_lines() -> None:
    output = "Welcome to tool 3.1\nloading 12 modules\nERROR: cart is broken\n3 failed, 4 passed\n"
    (failure,) = read(output, exit_code=3)
    assert (failure.subject, failure.kind, failure.test) == ("", "exit", False)
    assert failure.message == "ERROR: cart is broken"


def test_error_lines_of_an_unknown_tool_have_no_order() -> None:
    one = "banner 1\nerror: a is bad\nok\nerror: b is bad\n2 failed in 0.1s\n"
    two = "banner 2\nerror: b is bad\nerror: a is bad\n2 failed in 7.9s\n"
    assert identities(one) == identities(two)
    assert identities(one) != identities("error: a is bad\nerror: c is bad\n")


def test_what_nobody_understands_is_unparsed_and_not_silently_equal() -> None:
    (one,) = read("the moon is up\n")
    (two,) = read("the sun is up\n")
    assert one.kind == two.kind == "unparsed"
    assert fingerprint(one) != fingerprint(two)


@pytest.mark.parametrize("output", ["", "\n\n", "\x00\x1b[2J"])
def test_silence_is_a_failure_too(output: str) -> None:
    (failure,) = read(output, exit_code=3)
    assert failure.kind == "unparsed"
    assert failure.message
    assert "\x1b" not in failure.message + failure.excerpt


def test_long_output_keeps_head_and_tail_and_says_what_is_left_out() -> None:
    output = "".join(f"error number {n} in the middle of nowhere\n" for n in range(5000))
    (failure,) = read(output)
    assert "error number 0 " in failure.excerpt
    assert "error number 4999 " in failure.excerpt
    assert "left out" in failure.excerpt
    assert len(failure.excerpt) < 10_000


pieces = st.sampled_from([
    "FAILED ", "ERROR ", "a.py", "::t[", "] - ", " - ", "___ t ___", "\n", "E   ", "> x", "a.py:1: ", "a.c(1,2): ", "Traceback (most recent call last):",
    'File "a.py", line 1', "  ", "KeyError: 1", " --> a.rs:1:1", "error", "FAIL: t (m.C)", "====", "[", "]", "F401 x", "\x1b[0m",
])  # fmt: skip


@given(st.lists(pieces | st.text(max_size=5), max_size=40).map("".join), st.none() | st.integers(-9, 300))
def test_any_text_gives_at_least_one_failure(output: str, exit_code: int | None) -> None:
    failures = failures_from_text("c", output, exit_code=exit_code, sources=TREE.get)
    assert failures
    assert all(f.kind and fingerprint(f) for f in failures)


@pytest.mark.parametrize("piece", ["a.py", "_ ", "__ ", "FAILED a.py::x[", "FAILED a.py\n", "a:", "/a", "E  \n", "Traceback (most recent call last):\n", "FAIL: t (m.C)\n", "--> ", "___ a ___\n"])  # fmt: skip
def test_hostile_repetition_takes_linear_time(piece: str) -> None:
    text = piece * (60_000 // len(piece))
    started = time.process_time()
    read(text)
    assert time.process_time() - started < 10


def test_an_end_by_a_signal_has_its_name() -> None:
    assert [how_it_ended(code) for code in (0, 3, None, -9, -200)] == [
        "exit code 0",
        "exit code 3",
        "exit code None",
        "ended by SIGKILL",
        "ended by signal 200",
    ]
