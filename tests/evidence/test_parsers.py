"""Every tool's failure is read, known again elsewhere, and told from another one."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from samples import SAMPLES, Sample

from trueup.evidence.failure import Failure, Phase
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.text import failures_from_text

REPORTS = {"junit xml", "junit xml, java", "sarif"}
TEXTS = {name: sample for name, sample in SAMPLES.items() if name not in REPORTS}


def read(text: str) -> tuple[Failure, ...]:
    return failures_from_text("c", text, exit_code=1, sources=lambda path: None)


def identities(text: str) -> Counter[str]:
    return Counter(fingerprint(failure) for failure in read(text))


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_a_failure_is_read_with_its_name_class_and_place(sample: Sample) -> None:
    failures = read(sample.text)
    assert tuple(f.subject for f in failures) == sample.subjects
    assert tuple(f.kind for f in failures) == sample.kinds
    assert {f.test for f in failures} == {sample.test}
    assert all(f.excerpt for f in failures)
    if sample.source is not None:
        assert sample.source in {f.source_line for f in failures}
    if sample.message is not None:
        assert sample.message in {f.message for f in failures}
    if sample.file is not None:
        assert sample.file in {f.file for f in failures}


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_the_same_failure_elsewhere_is_the_same(sample: Sample) -> None:
    assert sample.rerun() != sample.text
    assert identities(sample.rerun()) == identities(sample.text)


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_another_failure_is_another(sample: Sample) -> None:
    assert identities(sample.another()) != identities(sample.text)


@pytest.mark.parametrize("sample", TEXTS.values(), ids=TEXTS)
def test_colours_line_ends_and_the_stamps_of_a_log_change_nothing(sample: Sample) -> None:
    known = identities(sample.text)
    lines = sample.text.split("\n")
    assert identities("\r\n".join(lines)) == known
    assert identities("\n".join(f"2026-11-14T20:14:17.44{n:05}Z {line}" for n, line in enumerate(lines))) == known
    assert identities(re.sub(r"(\w+)", "\x1b[1m\\1\x1b[0m", sample.text)) == known
    assert identities("\x1b]0;title\x07\n" + sample.text) == known


@pytest.mark.parametrize("name", ["pytest", *TEXTS])
def test_what_one_tool_printed_is_read_beside_another(name: str) -> None:
    """Linters in one file of output with a test runner: both count."""
    lint = "src/cart.py:1:8: F401 [*] `os` imported but unused\n\n"
    tests = "FAILED t/test_a.py::test_x - KeyError: 1\n" if name == "pytest" else TEXTS[name].text
    both = {f.subject for f in read(lint + tests)}
    expected = set(TEXTS[name].subjects) if name in TEXTS else {"t/test_a.py::test_x"}
    assert both - {"src/cart.py F401"} == expected - {""}
    assert "src/cart.py F401" in both


def test_a_compiler_error_inside_a_failing_test_is_the_tests() -> None:
    inner = "src/a.ts(1,2): error TS7006: Parameter 'x'\nnot ok 1 - inner\n--- FAIL: TestInner (0.00s)\n"
    output = f"=== FAILURES ===\n___ test_x ___\n{inner}E   KeyError: 1\n\nt/test_a.py:3: KeyError\n=== short test summary info ===\nFAILED t/test_a.py::test_x - KeyError: 1\n"
    assert [f.subject for f in read(output)] == ["t/test_a.py::test_x"]


def test_a_compiler_without_a_code_is_known_by_the_line_it_is_about() -> None:
    one = "a.cpp:7:1: error: ‘vector’ does not name a type\n    7 | vector<int> total(vector<int> items){\n      | ^~~~~~\n"
    assert identities(one) != identities(one.replace("total", "sum"))
    assert identities(one) == identities(one.replace(":7:", ":9:").replace(" 7 |", " 9 |"))
    assert identities(one) == identities(one.replace("‘", "'").replace("’", "'")), "quotes depend on the language"


def test_a_compiler_without_a_code_and_without_its_line_says_so() -> None:
    (failure,) = read("./a.go:24:12: undefined: total\n")
    assert failure.phase is Phase.BUILD
    assert fingerprint(failure).startswith("f1n:")


def test_the_tree_tells_the_source_of_a_java_test() -> None:
    tree = {"src/test/java/shop/CartTest.java": "\n" * 7 + "    assertEquals(4, total());\n"}
    (failure,) = failures_from_text("c", SAMPLES["junit 4"].text, exit_code=1, sources=tree.get)
    assert (failure.file, failure.source_line) == ("src/test/java/shop/CartTest.java", "assertEquals(4, total());")


def test_failing_files_of_node_are_known_by_their_file() -> None:
    output = (
        "not ok 1 - /home/ci/a/cart.test.js\n  ---\n  location: '/home/ci/a/cart.test.js:1:1'\n"
        "  failureType: 'testCodeFailure'\n  exitCode: 1\n  error: 'test failed'\n  ...\n"
    )
    (failure,) = read(output)
    assert (failure.subject, failure.phase, failure.test) == ("cart.test.js", Phase.COLLECT, False)
    without_place = "not ok 1 - /home/ci/a/cart.test.js\n  ---\n  error: 'test failed'\n  ...\n"
    assert [f.subject for f in read(without_place)] == ["cart.test.js::1"]
    assert [f.subject for f in read("1..1\nnot ok 3\n")] == ["3"]
    assert [f.subject for f in read("1..1\nnot ok\n")] == ["test"]


def test_a_panic_of_one_test_leaves_the_others_their_own_text() -> None:
    output = (
        "--- FAIL: TestA (0.00s)\n    a_test.go:3: one\n--- FAIL: TestB (0.00s)\npanic: boom [recovered]\n\tpanic: boom\n\n"
        "goroutine 6 [running]:\nshop.TestB(0x0?)\n\t/w/b_test.go:4 +0x27\nFAIL\tshop\t0.1s\n"
    )
    assert [(f.subject, f.kind, f.message) for f in read(output)] == [
        ("shop.TestA", "FAIL", "one"),
        ("shop.TestB", "panic", "boom"),
    ]


def test_a_truncated_go_log_still_names_its_tests() -> None:
    assert [f.subject for f in read("--- FAIL: TestA (0.00s)\n    a_test.go:3: one\n")] == ["TestA"]
    stack = "panic: boom\n\ngoroutine 6 [running]:\nshop.TestB(0x0?)\n\t/w/b_test.go:4 +0x27\n"
    assert [f.subject for f in read(f"=== RUN   TestB\n--- FAIL: TestA (0.00s)\n{stack}")] == ["TestA", "TestB"]


def test_rust_tests_that_share_a_thread_are_told_apart_by_what_ran() -> None:
    output = (
        "test a::one ... \nthread 'main' panicked at src/a.rs:1:1:\nfirst\nFAILED\ntest a::two ... FAILED\n"
        "thread 'main' panicked at odd place\n\nfailures:\n\nfailures:\n    a::one\n    a::two\n\ntest result: FAILED. 0 passed\n"
    )
    assert [(f.subject, f.message) for f in read(output)] == [("a::two", "odd place"), ("a::one", "first")]


def test_a_google_test_that_crashed_has_no_result() -> None:
    (failure,) = read(
        "[ RUN      ] Cart.Ok\n[       OK ] Cart.Ok (0 ms)\n[  FAILED  ] x\n[ RUN      ] Cart.Total\nSegmentation fault\n"
    )
    assert (failure.subject, failure.kind) == ("Cart.Total", "crash")


def test_a_report_in_a_machine_format_that_is_damaged_or_declares_entities_is_read_as_text() -> None:
    bomb = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]><testsuite><testcase name="t"><failure>&a;</failure></testcase></testsuite>'
    external = '<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuite><testcase name="t"><failure/></testcase></testsuite>'
    for text in (bomb, external, "<testsuite><testcase name='t'><failure>", "<html><failure/></html>", "<" * 50):
        assert [f.subject for f in read(text)] == [""]
    for text in ('{"runs": 1}', '{"runs": [', '{"runs": [{"results": []}]}', '["runs"]', "<testsuites/>"):
        assert [f.subject for f in read(text)] == [""]


def test_a_case_of_a_report_is_named_by_what_it_has() -> None:
    xml = (
        "<testsuites><failure>stray</failure><testcase classname='src/a.test.js' name='adds up'><error type='TypeError' message='TypeError: x'>"
        "TypeError: x\n    at total (src/a.js:3:9)</error></testcase><testcase name='alone'><failure/></testcase>"
        "<testcase classname='' name='tests.test_a'><error message='collection failure'>E   KeyError: 1</error></testcase></testsuites>"
    )
    first, second, third = read(xml)
    assert (first.subject, first.kind, first.message, first.file) == (
        "src/a.test.js::adds up",
        "TypeError",
        "x",
        "src/a.js",
    )
    assert (second.subject, second.kind, second.source_line) == ("alone", "failure", None)
    assert (third.subject, third.kind, third.phase, third.test) == ("tests.test_a", "KeyError", Phase.COLLECT, False)


def test_warnings_of_a_sarif_report_count_only_when_there_is_nothing_worse() -> None:
    report = (
        '{"runs": [{"results": [{"ruleId": "W1", "message": {"text": "minor"}}, {"level": "note", "message": 3}, 7]}]}'
    )
    (failure,) = read(report)
    assert (failure.subject, failure.message, failure.file) == ("W1", "minor", None)


def test_an_rspec_example_without_a_stack_has_no_place() -> None:
    (failure,) = read("Failures:\n\n  1) Cart fails\n     Failure/Error: total\n\n       boom\n\nFinished in 1 s\n")
    assert (failure.subject, failure.file, failure.message) == ("Cart fails", None, "boom")
    (bare,) = read("  1) Cart fails\n     Failure/Error:\n")
    assert bare.message == ""


def test_thrown_inside_node_itself_the_first_own_frame_is_the_place() -> None:
    output = "node:internal/modules/cjs/loader.js:1080\n  throw err;\n  ^\n\nError: Cannot find module 'x'\n    at Module._load (node:internal/modules:3:1)\n    at main (/w/shop/cart.js:3:9)\n"
    (failure,) = read(output)
    assert (failure.kind, failure.file) == ("Error", "cart.js")
