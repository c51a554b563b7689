"""Tools without a structure of their own, in surroundings that say something about the step: what stays the same?"""

from __future__ import annotations

import pytest

from trueup.evidence.failure import Failure
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.text import failures_from_text


def failures(text: str) -> tuple[Failure, ...]:
    return failures_from_text("log", text, exit_code=1, sources=lambda _path: None)


def prints(text: str) -> set[str]:
    return set(map(fingerprint, failures(text)))


UNITY = """\
test/test_cart.c:9:test_empty:PASS
test/test_cart.c:{line}:test_sum:FAIL{said}

-----------------------
3 Tests 1 Failures 0 Ignored
FAIL
"""


def test_unity_names_the_test_its_place_and_what_was_expected() -> None:
    (failure,) = failures(UNITY.format(line=15, said=": Expected 4 Was 3"))
    assert (failure.subject, failure.message, failure.line) == ("test/test_cart.c::test_sum", "Expected 4 Was 3", 15)
    assert prints(UNITY.format(line=15, said=": Expected 4 Was 3")) == prints(
        UNITY.format(line=46, said=": Expected 4 Was 3")
    )
    assert prints(UNITY.format(line=15, said="")) != prints(UNITY.format(line=15, said=": Expected TRUE Was FALSE"))


CRITERION = """\
[----] test/cart.c:{line}: Assertion Failed
[----]
[----]   {said}
[----]
[FAIL] cart::sum: (0.00s)
[====] Synthesis: Tested: 3 | Passing: 2 | Failing: 1 | Crashing: 0
"""


def test_criterion_tells_above_its_result_what_failed() -> None:
    (failure,) = failures(CRITERION.format(line=17, said="eq(int, total(1, 2), 4)"))
    assert (failure.subject, failure.line) == ("cart::sum", 17)
    assert failure.message == "Assertion Failed\neq(int, total(1, 2), 4)"
    assert prints(CRITERION.format(line=17, said="a")) == prints(CRITERION.format(line=18, said="a"))
    assert prints(CRITERION.format(line=17, said="a")) != prints(CRITERION.format(line=17, said="b"))


def test_a_criterion_test_that_crashed_has_no_place() -> None:
    text = "[====] Running 1 test from cart:\nhello\n[CRASH!] cart::sum > caught signal 11\n"
    (failure,) = failures(text)
    assert (failure.subject, failure.kind, failure.line) == ("cart::sum", "crash", None)


def test_what_a_program_printed_in_between_belongs_to_no_criterion_test() -> None:
    (failure,) = failures(CRITERION.format(line=17, said="x").replace("[FAIL]", "hello\n[FAIL]"))
    assert failure.kind == "crash"


GFORTRAN = """\
src/cart.f90:{line}:10:

   {line} |   total = totl
      |          1
{said}
{more}make: *** [Makefile:4: cart.o] Error 1
"""
WARNING = "src/cart.f90:40:7: Warning: Unused variable 'x' declared at (1) [-Wunused-variable]\n"


def test_gfortrans_text_stands_below_the_code_and_a_warning_beside_it_changes_nothing() -> None:
    text = GFORTRAN.format(line=12, said="Error: Symbol 'totl' at (1) has no IMPLICIT type", more="")
    (failure,) = failures(text)
    assert (failure.subject, failure.line, failure.source_line) == ("src/cart.f90", 12, "total = totl")
    assert prints(text) == prints(
        GFORTRAN.format(line=31, said="Error: Symbol 'totl' at (1) has no IMPLICIT type", more=WARNING)
    )


def test_a_line_that_begins_with_error_has_no_place_by_itself() -> None:
    (failure,) = failures("starting\nError: there is no pear\n")
    assert failure.subject == ""


def test_bun_counts_and_who_does_not_count_is_not_bun() -> None:
    elm = "↓ Cart\n✗ sums its prices\n\n    3\n    ╵\n    │ Expect.equal\n    ╷\n    4\n\nTEST RUN FAILED\n"
    assert {f.subject for f in failures(elm)} == {""}
    assert prints(elm) != prints(elm.replace("Expect.equal", "Expect.greaterThan"))


UNKNOWN = "shop 1.2\nloading the prices\nthe price of pears is missing\n"


@pytest.mark.parametrize(
    "wrapped",
    [
        "Attaching to tests-1\n{0}tests-1 exited with code 1\nAborting on container exit...\n",
        "\n> nx run shop:test\n\n{0}\n\n NX   Running target test for project shop failed\n\nFailed tasks:\n\n- shop:test\n",
        "whitespace............Passed\ncheck..........Failed\n- hook id: check\n- exit code: 1\n\n{0}\n",
        "{0}\nPlease report incorrect results: https://shop.example/issues\n",
    ],
    ids=["compose", "nx", "pre-commit", "please report"],
)
def test_what_is_said_about_the_step_is_no_part_of_the_failure(wrapped: str) -> None:
    assert prints(wrapped.format(UNKNOWN)) == prints(UNKNOWN)


def test_where_nobody_speaks_of_an_error_the_places_tell_what_it_is_about() -> None:
    text = "Checking other.lua    OK\nChecking cart.lua    1 warning\n\n    cart.lua:{0}:5: shadowing variable {1}\n\nTotal: 1 in 3\n"
    (failure,) = failures(text.format(7, "total"))
    assert failure.kind == "unparsed"
    assert "shadowing variable total" in failure.message
    assert prints(text.format(7, "total")) == prints("hello\n" + text.format(38, "total"))
    assert prints(text.format(7, "total")) != prints(text.format(7, "price"))


def test_what_is_wrong_stands_above_a_line_with_nothing_but_the_place() -> None:
    text = "┃\n┃ [D] ↗ {0}\n┃       lib/shop/cart.ex:{1}:7 #(Shop.Cart.total)\n\nAnalysis took 0.2 seconds\n"
    assert prints(text.format("a tag in a comment", 12)) == prints(text.format("a tag in a comment", 43))
    assert prints(text.format("a tag in a comment", 12)) != prints(text.format("a nested module", 12))


def test_a_log_that_names_a_place_in_every_line_is_known_by_its_end() -> None:
    log = "\n".join(f"request {n} served by handler.foo:{n} now" for n in range(1, 60))
    (failure,) = failures(f"{log}\nthe shop is closed now\n")
    assert failure.message.count("\n") < 3
    assert "the shop is closed now" in failure.message


@pytest.mark.parametrize(
    "line",
    [
        "source/cart.d({0}): Error: undefined identifier totl",
        "src/cart.nim({0}, 7) Error: undeclared identifier: totl",
        "lib/Cart.pm: Code before strictures at line {0}, column 5.",
        " {0}:5   error    Did you really mean 'totl'?",
    ],
    ids=["dmd", "nim", "perlcritic", "vale"],
)
def test_a_place_in_any_of_these_forms_may_move(line: str) -> None:
    assert prints(line.format(14)) == prints(line.format(45))


def test_an_argument_in_brackets_is_a_value_and_no_place() -> None:
    assert prints("Error: cart.total(3) failed") != prints("Error: cart.total(4) failed")


def test_of_a_flood_of_errors_the_first_and_the_last_count() -> None:
    flood = [f"error: no pear {n} in the cart" for n in range(60_000)]
    (failure,) = failures("\n".join(flood))
    assert failure.kind == "exit"
    assert flood[0] in failure.excerpt
    assert flood[-1] in failure.excerpt
    assert prints("\n".join(flood)) == prints("\n".join([*flood[:30_000], "error: another", *flood[30_000:]]))
