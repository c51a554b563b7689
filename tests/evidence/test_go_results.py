"""What a Go test said ends with its result, also when what it printed has no end of a line."""

from __future__ import annotations

from trueup.evidence.failure import Failure
from trueup.evidence.text import failures_from_text


def of(text: str) -> list[Failure]:
    return [*failures_from_text("tests", text, exit_code=1, sources=lambda _: None)]


def test_a_result_behind_half_a_line_is_read() -> None:
    (failure,) = of(
        "half a line--- FAIL: TestLend (0.00s)\n    a_test.go:3: behind it\nFAIL\nFAIL\texample.org/a\t0.1s\n"
    )
    assert (failure.subject, failure.message) == ("example.org/a.TestLend", "behind it")


def test_a_result_further_in_is_that_of_a_part() -> None:
    text = "--- FAIL: TestLend (0.00s)\n    --- FAIL: TestLend/a (0.00s)\n        a_test.go:3: no\nFAIL\texample.org/a\t0.1s\n"
    assert [f.subject for f in of(text)] == ["example.org/a.TestLend/a"]


def test_how_much_was_covered_is_not_what_an_example_printed() -> None:
    text = "--- FAIL: ExampleLend (0.00s)\ngot:\nMomo\nwant:\nJim\nFAIL\n{0}FAIL\texample.org/a\t0.1s\nFAIL\n"
    (bare,), (covered,) = of(text.format("")), of(text.format("coverage: 12.5% of statements\n"))
    assert bare.message == covered.message == "got:\nMomo\nwant:\nJim"


def test_what_stands_above_the_first_package_is_no_part_of_its_last_words() -> None:
    text = "{0}catalogue: connection refused\nFAIL\texample.org/a\t0.1s\nFAIL\n"
    (bare,), (started,) = of(text.format("")), of(text.format("./check.sh --all\n"))
    assert bare.message == started.message == "catalogue: connection refused"
    (silent,) = of("closing\nFAIL\texample.org/a\t0.1s\nFAIL\n")
    assert silent.message == "closing"


def test_of_a_flood_of_packages_the_last_words_are_taken_as_they_are() -> None:
    text = "./check.sh --all\ncatalogue: connection refused\nFAIL\texample.org/a\t0.1s\n"
    messages = [f.message for f in of(101 * text)]
    assert messages[:100] == 100 * ["catalogue: connection refused"]
    assert messages[100:] == ["./check.sh --all\ncatalogue: connection refused"]
