"""What pytest says about the run is not searched for the failures of other tools."""

from __future__ import annotations

from trueup.evidence.text import failures_from_text

SESSION = """\
============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-9.2.0
rootdir: /srv/ci/checkout
plugins: odd-1.0
/srv/ci/conf.py:3:1: error: a plugin says so in the heading [E1]

tests/test_cart.py F                                                     [100%]
{printed}
=================================== FAILURES ===================================
__________________________________ test_total __________________________________

    def test_total():
>       assert total([1, 2]) == 4
E       assert 3 == 4

tests/test_cart.py:5: AssertionError
=============================== warnings summary ===============================
/srv/ci/site-packages/odd.py:7
  /srv/ci/site-packages/odd.py:7: OddWarning: --- FAIL: TestNothing (0.00s)
/srv/ci/other.c:7:1: error: 'x' undeclared
-- Docs: https://docs.pytest.org/en/stable/how-to/capture-warnings.html
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_total - assert 3 == 4
========================= 1 failed, 1 warning in 0.12s =========================
"""


def subjects(text: str) -> list[str]:
    return [f.subject for f in failures_from_text("tests", text, exit_code=1, sources=lambda _path: None)]


def test_its_heading_and_its_warnings_hold_no_failure() -> None:
    assert subjects(SESSION.format(printed="")) == ["tests/test_cart.py::test_total"]


def test_what_a_tool_printed_among_the_tests_is_read() -> None:
    printed = "main.c:7:1: error: 'x' undeclared"
    assert subjects(SESSION.format(printed=printed)) == ["tests/test_cart.py::test_total", "main.c"]


def test_a_session_that_was_cut_off_in_its_heading_ends_there() -> None:
    heading = "============ test session starts ============\nplatform linux\n/srv/a.c:1:1: error: x"
    assert subjects(f"FAILED tests/test_cart.py::test_total - x\n{heading}") == ["tests/test_cart.py::test_total"]


def test_what_a_tool_printed_behind_the_summary_is_read() -> None:
    text = SESSION.format(printed="") + "main.c:7:1: error: 'x' undeclared\n"
    assert subjects(text) == ["tests/test_cart.py::test_total", "main.c"]


def test_a_rule_between_two_levels_of_a_stack_begins_no_failure() -> None:
    level = "\n\nshop.py:3: \n_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _\n\n    def total():\n>       raise KeyError"
    text = SESSION.format(printed="").replace("E       assert 3 == 4", f"{level}\nE       KeyError: 1")
    assert subjects(text) == ["tests/test_cart.py::test_total"]


def test_what_a_message_holds_in_the_summary_is_no_failure_of_another_tool() -> None:
    held = "E  a value:\nmain.c:7:1: error: 'x' undeclared\nFAIL: test_b (tests.test_b.Case)\n"
    text = SESSION.format(printed="").replace("- assert 3 == 4\n", f"- assert 3 == 4\n{held}")
    assert subjects(text) == ["tests/test_cart.py::test_total"]


def test_a_quiet_summary_ends_with_its_counts() -> None:
    quiet = SESSION.format(printed="").replace(
        "========================= 1 failed, 1 warning in 0.12s =========================",
        "1 failed, 1 warning in 0.12s",
    )
    assert subjects(f"{quiet}main.c:7:1: error: 'x' undeclared\n") == ["tests/test_cart.py::test_total", "main.c"]


def test_a_summary_that_was_cut_off_hides_nothing() -> None:
    cut = SESSION.format(printed="").partition("========================= 1 failed")[0]
    assert subjects(f"{cut}main.c:7:1: error: 'x' undeclared\n") == ["tests/test_cart.py::test_total", "main.c"]
