"""What tools that nobody knew showed: forms of places, printed code, counts, and what belongs to a heading."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from trueup.evidence.failure import Failure
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.normalize import normalize
from trueup.evidence.text import failures_from_text


def failures(text: str) -> tuple[Failure, ...]:
    return failures_from_text("log", text, exit_code=1, sources=lambda _path: None)


def prints(text: str) -> set[str]:
    return set(map(fingerprint, failures(text)))


MOVED = {
    "vala": ("main.vala:7.7-7.9: error: no `totl'\n", "main.vala:12.7-12.9: error: no `totl'\n"),
    "bison": ("calc.y:5.1-4: error: no rule\n", "calc.y:9.1-4: error: no rule\n"),
    "free pascal": ("main.pas(5,12) Error: no totl\n", "main.pas(9,12) Error: no totl\n"),
    "nim": ("main.nim(5, 6) Error: no totl\n", "main.nim(9, 6) Error: no totl\n"),
    "jshint": ("cart.js: line 3, col 3, no foo.\n", "cart.js: line 8, col 3, no foo. (W117)\n"),
    "refurb": ("cart.py:2:5 [FURB105]: Replace it\n", "cart.py:7:5 [FURB105]: Replace it\n"),
    "robocop": ("a.robot:7:5 TAG08 no values\n", "a.robot:9:5 TAG08 no values\n"),
    "nginx": (
        'nginx: [emerg] 218#21: unknown "x" in /srv/a/n.conf:5\n',
        'nginx: [emerg] 9#9: unknown "x" in /data/b/c/n.conf:9\n',
    ),
    "haproxy": ("[ALERT]    (890) : config : no such mode\n", "[ALERT]    (896) : config : no such mode\n"),
    "mandoc": ("mandoc: shop.1:8:2: ERROR: not open: Ed\n", "mandoc: shop.1:13:2: ERROR: not open: Ed\n"),
    "gersemi": (
        "/srv/x/CMakeLists.txt: 3:2: unbalanced parentheses\n",
        "/srv/y/CMakeLists.txt: 8:2: unbalanced parentheses\n",
    ),
    "less": (
        "NameError: no @x in a.less on line 4, column 2:\n3   color: red;\n4   margin: @x;\n5 }\n",
        "NameError: no @x in a.less on line 9, column 2:\n8   color: red;\n9   margin: @x;\n10 }\n",
    ),
    "gherkin-lint": (
        "/srv/x/a.feature\n  4    Scenario has no name: a.feature:2    no-dupe\n",
        "/srv/x/a.feature\n  9    Scenario has no name: a.feature:7    no-dupe\n",
    ),
    "gherkin-lint, with a word of error": (
        "/srv/x/a.feature\n  4    Missing name: no step    no-unnamed\n",
        "/srv/x/a.feature\n  9    Missing name: no step    no-unnamed\n",
    ),
    "TeX": ("! Undefined control sequence.\nl.5 \\x\n", "! Undefined control sequence.\nl.10 \\x\n"),
    "htmlhint": ("   L5 |<p>\n      ^ no id (error-id)\n", "   L10 |<p>\n       ^ no id (error-id)\n"),
    "guile": (
        "ERROR: no totl in #<directory (user) 7fce8d138c80>\n",
        "ERROR: no totl in #<directory (user) 7f1c4c00ac80>\n",
    ),
    "sbcl": ("Unhandled ERROR in #<THREAD {1001348003}>\n", "Unhandled ERROR in #<THREAD {10013600CB}>\n"),
    "meson": (
        "1/1 totals FAIL   0.00s   exit status 3\n\nFail:               1   \nTimeout:            0   \n",
        "2/2 totals FAIL   0.01s   exit status 3\n\nFail:               1   \nTimeout:            1   \n",
    ),
    "tcltest": (
        "==== cart-1.1 FAILED\nall.tcl:\tTotal\t1\tPassed\t0\tFailed\t1\n",
        "==== cart-1.1 FAILED\nall.tcl:\tTotal\t2\tPassed\t1\tFailed\t1\n",
    ),
}


@pytest.mark.parametrize("tool", MOVED)
def test_the_failure_stays_the_same_when_its_lines_move_or_others_run_beside_it(tool: str) -> None:
    before, after = MOVED[tool]
    assert prints(before) == prints(after)


@pytest.mark.parametrize("tool", sorted(MOVED.keys() - {"guile", "sbcl"}))
def test_another_text_at_the_same_place_is_another_failure(tool: str) -> None:
    before, _ = MOVED[tool]
    words = ("no ", "Undefined", "unknown", "unbalanced", "Replace", "totals", "not open", "cart-1.1")
    word = next(word for word in words if word in before)
    assert prints(before) != prints(before.replace(word, "no other "))


def test_a_source_file_is_known_below_every_folder_and_a_route_is_none() -> None:
    assert normalize("in /data/agent/ws-7f3a/main.less.") == "in main.less."
    assert normalize("in /data/agent/main.less:4") == normalize("in /other/place/main.less:9")
    assert normalize("cannot open /data/agent/modules/x.so: no") == "cannot open x.so: no"
    assert normalize("GET /api/v1/users/7") == "GET /api/v1/users/7"


def test_a_hint_and_a_deprecation_beside_an_error_do_not_count() -> None:
    text = "a.pas(3,5) Error: no x\n"
    assert prints(text) == prints(f"{text}a.pas(1,1) Hint: y is not used\na.pas(2,1) Deprecation: old\n")


def test_what_a_place_announces_with_a_colon_stands_below_it() -> None:
    told = "lib/boot.scm:2007:7: In procedure error:\n{}\n"
    (failure,) = failures(told.format("cart is empty: 3"))
    assert failure.message == "In procedure error: cart is empty: 3"
    assert prints(told.format("cart is empty")) != prints(told.format("cart is full"))
    (alone,) = failures(told.format("").rstrip("\n"))
    assert alone.message == "In procedure error:"
    assert len(failures(told.format("lib/x.scm:3:1: no car"))) == 2


def test_a_code_that_gcc_wrapped_away_is_still_the_code() -> None:
    code = "    7 |   int x = 3;\n      |       ^\n"
    wrapped = f"a.cpp:7:7: error: unused variable 'x' [\n   -Werror=unused-variable]\n{code}"
    assert prints(wrapped) == prints(f"a.cpp:7:7: error: unused variable 'x' [-Werror=unused-variable]\n{code}")


RUSTC = """\
error[E0499]: cannot borrow twice
 --> lib.rs:8:20
  |
8 |     let a = &mut s; let b = &mut s; a.clear();
{marks}
"""


@pytest.mark.parametrize(
    ("marks", "label"),
    [
        (("  |             ------          ^^^^^^  - used here\n  |             |               |\n"
         "  |             |               second borrow"), ": second borrow"),
        ("  |                             ^^^^^^ second borrow", ": second borrow"),
        (("  |                             ^^^^^^\n  |                             |\n"
         "  |                             second borrow"), ": second borrow"),
        ("  |                             ^^^^^^\n  |\n  = note: more", ""),
        ("  |                             ^^^^^^  - used here\n  | first borrow, far to the left of it", ""),
        ("  |                             ^^^^^^" + "\n  |                             |" * 9, ""),
    ],
)  # fmt: skip
def test_the_label_of_an_error_is_that_of_its_own_carets(marks: str, label: str) -> None:
    (failure,) = failures(RUSTC.format(marks=marks))
    assert failure.message == f"cannot borrow twice{label}"


def test_what_begins_with_the_name_of_a_function_is_no_count() -> None:
    for said in ("total(1, 2) is not 4", "total is 5, expected 4", "expected: 3, actual: 4", "done(3) was wrong"):
        (failure,) = failures(f"{said}\nbye\n")
        assert said in failure.message, said


def test_counts_alone_are_no_evidence() -> None:
    told = "error: no such cart\n"
    for counts in (
        "Total: 3 warnings",
        "[ FAIL 1 | WARN 0 | SKIP 0 | PASS 0 ]",
        "Unexpected Pass:    0",
        "Summary of Failures:",
        "Read errors: 0",
        "══ Failed tests ════",
        "Use `--quiet` to silence this error",
    ):
        assert prints(f"{told}\n{counts}\n") == prints(told), counts


SASS = "Error: Undefined variable.\n  ╷\n{n} │   margin: {name};\n  │           ^^^^\n  ╵\n  main.scss {n}:11  root\n"


def test_code_in_a_frame_belongs_to_the_error_above_it() -> None:
    assert prints(SASS.format(n=4, name="$x")) == prints(SASS.format(n=9, name="$x"))
    assert prints(SASS.format(n=4, name="$x")) != prints(SASS.format(n=4, name="$y"))
    stack = "\n/x/sass.dart.js 2353:47   Object.wrapException\n"
    assert prints(SASS.format(n=4, name="$x") + stack) == prints(SASS.format(n=4, name="$x"))


@pytest.mark.parametrize(
    "frame",
    [
        lambda above: f"  1 | {above}\n> 2 | let a = 1;\n    |     ^\n  3 | }}\n",
        lambda above: f"  1 | {above}\n  2 | let a = 1;\n    |     ^\n  3 | }}\n",
        lambda above: f"  1 | {above}\n> 2 | let a = 1;\n  3 | }}\n",
    ],
)
def test_of_code_in_a_frame_only_the_line_that_is_pointed_at_counts(frame: Callable[[str], str]) -> None:
    def text(above: str) -> str:
        return f"SyntaxError: a.xyz: declared twice\n\n{frame(above)}"

    assert prints(text("// an error was here")) == prints(text("let b = 2;"))
    assert prints(text("a")) != prints(text("a").replace("let a", "let c"))


def test_a_frame_in_which_nothing_is_marked_counts_as_a_whole() -> None:
    text = "SyntaxError: a.xyz: declared twice\n  1 | let a = 1;\n  2 | let a = 2;\n"
    assert prints(text) != prints(text.replace("a = 1", "b = 1"))


TESTTHAT = "══ Failed ═════\n── 1. Failure ('test-cart.R:{line}'): total adds ──\n{said}\n\n══ DONE ═════\n{cheer}\n"


def test_what_stands_below_a_heading_between_rules_belongs_to_it_up_to_the_next_rule() -> None:
    told = prints(TESTTHAT.format(line=3, said="`total(1)` did throw", cheer="Nice try"))
    assert told == prints(TESTTHAT.format(line=9, said="`total(1)` did throw", cheer="Better luck next time"))
    assert told != prints(TESTTHAT.format(line=3, said="`total(2)` did throw", cheer="Nice try"))


def test_a_list_and_a_record_below_an_error_belong_to_it() -> None:
    assert prints("Missing dependencies\n* one\n") != prints("Missing dependencies\n* two\n")
    assert prints("a.json invalid\n[\n  {\n    at: '/a'\n") != prints("a.json invalid\n[\n  {\n    at: '/b'\n")


def test_the_other_rows_of_a_table_and_items_further_out_do_not_belong_to_the_one_that_failed() -> None:
    assert prints("| a | no such cart |\n| b | 3 left |\n| c | 4 left |\n") == prints(
        "| c | 3 left |\n| a | no such cart |\n"
    )
    listed = "checks:\n  - name: b\n    status: failed\n"
    assert prints(f"{listed}  - name: a\n    status: fine\n") == prints(listed)


def test_marks_without_a_word_are_evidence_only_where_nothing_else_is() -> None:
    (failure,) = failures("error: no such cart\n    ^~~~\n")
    assert failure.message == "error: no such cart"
    (failure,) = failures("✖ ✖\n")
    assert failure.message == "✖ ✖"
