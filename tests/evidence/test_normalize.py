"""What varies without meaning goes; what has meaning stays."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.evidence.normalize import neutralise, normalize, strip_ansi

SAME = {
    "colours": ("\x1b[31mE   assert 1 == 2\x1b[0m", "E   assert 1 == 2"),
    "hyperlink": ("\x1b]8;;http://x\x07a.py\x1b]8;;\x07 is bad", "a.py is bad"),
    "line ends": ("one\r\ntwo", "one\ntwo"),
    "log timestamps": ("2026-11-14T20:14:17.4422134Z boom", "2026-11-15T01:02:03.1Z boom"),
    "timestamps": ("at 2026-01-02 03:04:05,123 it broke", "at 2025-12-31 23:59:59,001 it broke"),
    "clock": ("[12:00:01] boom", "[23:59:59] boom"),
    "durations": ("2 failed in 0.12s", "2 failed in 1.40s"),
    "durations in parentheses": ("--- FAIL: TestA (0.00s)", "--- FAIL: TestA (12.31s)"),
    "durations of a whole run": ("took 3 seconds", "took 14 seconds"),
    "milliseconds of TAP": ("duration_ms: 223.157088", "duration_ms: 7.1"),
    "addresses": ("<Cart object at 0x7f3a1c2d4e50>", "<Cart object at 0x7fffdeadbeef>"),
    "ids of mocks": ("<MagicMock id='140471906572368'>", "<MagicMock id='139872000582992'>"),
    "uuids": ("job 0b7c5f0e-8d0c-4f39-9c4b-0c0b7f1f2a11 died", "job 9e107d9d-372b-4826-8a3b-2d7d0c6e1b55 died"),
    "pids": ("pid=4711 crashed", "pid=12 crashed"),
    "sanitizer pids": ("==4711==ERROR: AddressSanitizer", "==12==ERROR: AddressSanitizer"),
    "ports": ("refused: 127.0.0.1:43117", "refused: 127.0.0.1:5001"),
    "seeds": ("Using --randomly-seed=1234", "Using --randomly-seed=987654"),
    "temporary files": ("missing /tmp/tmpab12cd34/out.txt", "missing /var/folders/zz/T/tmp9xk2_q1w/out.txt"),
    "temporary folders": ("missing /tmp/tmpab12cd34", "missing /tmp/tmpzzzzzzz9"),
    "workspaces": ("/home/ada/shop/cart.py: bad", "/srv/ci/ws/x81/cart.py: bad"),
    "workspaces anywhere": ("/srv/a/shop/cart.py: bad", "/bench/b/c/shop/cart.py: bad"),
    "windows paths": (r"C:\Users\ada\shop\cart.py: bad", r"D:\a\1\s\cart.py: bad"),
    "line numbers": ("tests/test_a.py:94: ValueError", "tests/test_a.py:12: ValueError"),
    "line and column": ("a.cpp:7:1: error: x", "a.cpp:19:44: error: x"),
    "typescript places": ("sol.js(2,27): error TS7006: x", "sol.js(9,1): error TS7006: x"),
    "traceback places": ('File "cart.py", line 12, in total', 'File "cart.py", line 99, in total'),
    "gutters": ("    7 | vector<int> x;", "  123 | vector<int> x;".replace("  123", "    1")),
    "progress": ("FAILED tests/a.py::b      [ 50%]", "FAILED tests/a.py::b  [100%]"),
    "numbering": ("not ok 3 - adds", "not ok 14 - adds"),
    "terminal width": ("=" * 80, "=" * 120),
    "workers": ("[gw0] FAILED tests/a.py::b", "[gw13] FAILED tests/a.py::b"),
    "hunks": ("@@ -1,6 +1,2 @@", "@@ -10,6 +11,2 @@"),
}

OTHER = {
    "values": ("assert 3 == 4", "assert 3 == 5"),
    "text values": ("'tea' != 'cup'", "'tea' != 'hat'"),
    "status codes": ("GET /users -> 404", "GET /users -> 500"),
    "status after a name": ("response.status:404", "response.status:500"),
    "exception classes": ("ValueError: bad", "TypeError: bad"),
    "names": ("name 'foo' is not defined", "name 'bar' is not defined"),
    "digits in test ids": ("test_add[1-2]", "test_add[1-3]"),
    "digits in names": ("test_case_1 failed", "test_case_2 failed"),
    "error codes": ("error TS7006: x", "error TS7005: x"),
    "hex error codes": ("HRESULT 0x80070005", "HRESULT 0x80070002"),
    "short hex values": ("0xff != 0x10", "0xff != 0x11"),
    "routes": ("GET /api/users/1", "GET /api/users/2"),
    "file names": ("/home/ada/cart.py is bad", "/home/ada/prices.py is bad"),
    "plain amounts": ("expected 5 in 3 places", "expected 5 in 4 places"),
    "limits": ("Timeout of 3000ms", "Timeout of 5000ms"),
    "versions": ("needs pytest 8.1", "needs pytest 8.2"),
    "floats": ("1.5 != 0.5", "1.5 != 0.25"),
    "source text": ("> assert total(10) == 12", "> assert total(10) == 13"),
}


@pytest.mark.parametrize(("one", "two"), SAME.values(), ids=SAME)
def test_a_difference_without_meaning_vanishes(one: str, two: str) -> None:
    assert normalize(one) == normalize(two)


@pytest.mark.parametrize(("one", "two"), OTHER.values(), ids=OTHER)
def test_a_difference_with_meaning_stays(one: str, two: str) -> None:
    assert normalize(one) != normalize(two)


def test_what_is_left_can_still_be_read() -> None:
    assert normalize("/srv/ci/ws/x/a_test.go:10: got 3, want 4 (0.02s)") == "a_test.go: got 3, want 4 (<duration>)"


def test_control_characters_cannot_act_on_a_terminal() -> None:
    assert neutralise("a\x1b[2Jb\x07c\x08\x00\u202ed\rnext") == "ab\ufffdc\ufffd\ufffd\ufffdd\nnext"


def test_colours_are_stripped_and_nothing_else() -> None:
    assert strip_ansi("\x1b[1;31mred\x1b[0m [31m \t\r\n") == "red [31m \t\r\n"


@given(st.text())
def test_normalising_never_raises_and_leaves_no_escape(text: str) -> None:
    assert "\x1b" not in normalize(text)


@given(st.text(alphabet="/\\.:0123456789abcfx-_=[]() \n'\"@>|%T", max_size=300))
def test_normalising_never_raises_on_what_its_rules_look_for(text: str) -> None:
    assert "\r" not in normalize(text)


HOSTILE = [
    "/a", "/tmp", "a", "1:", "=_", "0x", "f", "[ 1", "\x1b[", "\x1b]", "seed ", "a-", " ", "\n", "C:\\a", "in 1",
    "thread '", "0-", "12:", "2026-01-01T", ".py:1", "@@ -", "(1", 'File "', "E  ", "node:", "/home/", "_ ", "1) ",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_repetition_takes_linear_time(piece: str) -> None:
    text = piece * (60_000 // len(piece))
    started = time.process_time()
    normalize(text)
    # A quadratic pattern would take minutes; the bar is far above what a busy machine needs.
    assert time.process_time() - started < 10
