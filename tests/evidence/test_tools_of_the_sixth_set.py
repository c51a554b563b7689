"""What the sixth set showed: findings as records, counts, frames, headings, and tracebacks of runners that nobody knows."""

from __future__ import annotations

import pytest

from trueup.evidence.failure import Failure
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.text import failures_from_text


def failures(text: str) -> tuple[Failure, ...]:
    return failures_from_text("log", text, exit_code=1, sources=lambda _path: None)


def prints(text: str) -> set[str]:
    return set(map(fingerprint, failures(text)))


CHECKOV = """\
Passed checks: {passed}, Failed checks: 1, Skipped checks: 0
{neighbour}
Check: {check}
\tFAILED for resource: aws_s3_bucket.cart
\tFile: /main.tf:{line}-18

\t\t{line} | resource "aws_s3_bucket" "cart" {{
"""
RIGHT = """
Check: CKV_93: "Ensure the policy does not lock everybody out"
\tPASSED for resource: aws_s3_bucket.other
\tFile: /other.tf:3-5
"""


def test_the_parts_of_a_finding_belong_together_and_what_was_found_right_does_not_count() -> None:
    text = CHECKOV.format(passed=12, neighbour=RIGHT, check="CKV_20: public", line=14)
    assert prints(text) == prints(CHECKOV.format(passed=13, neighbour="", check="CKV_20: public", line=45))
    assert prints(text) != prints(CHECKOV.format(passed=12, neighbour=RIGHT, check="CKV_18: no log", line=14))


BRAKEMAN = "Scan took a while\n\nCategory: SQL\nMessage: Possible injection\nCode: {code}\nFile: app/cart.rb\nLine: 14\n\n{end}"


def test_a_finding_needs_no_word_of_error() -> None:
    (failure,) = failures(BRAKEMAN.format(code="a", end=""))
    assert "Code: a" in failure.message
    assert "Scan" not in failure.message
    assert prints(BRAKEMAN.format(code="a", end="bye\nbye bye\nat last\n")) == prints(BRAKEMAN.format(code="a", end=""))
    assert prints(BRAKEMAN.format(code="b", end="")) != prints(BRAKEMAN.format(code="a", end=""))


def test_two_lines_with_a_colon_are_no_finding() -> None:
    (failure,) = failures("File: app/cart.rb\nSize: 12\n\nmore\nno more\nthe end\n")
    assert "File" not in failure.message


def test_a_place_with_a_complaint_counts_where_the_error_itself_names_none() -> None:
    xyz = 'cart.xyz:{line}:9: no declaration for "{name}"\nxyz: compilation error\n'
    assert prints(xyz.format(line=14, name="totl")) == prints(xyz.format(line=45, name="totl"))
    assert prints(xyz.format(line=14, name="totl")) != prints(xyz.format(line=14, name="pear"))


def test_files_of_rarer_languages_are_known_by_their_names() -> None:
    (failure,) = failures(
        'cart.vhd:14:9: no declaration for "totl"\nother.vhd:3:1: warning: x\nghdl: compilation error\n'
    )
    assert (failure.file, failure.line) == ("cart.vhd", 14)


def test_a_range_of_lines_is_no_more_than_a_line() -> None:
    text = "an error in main.tf:{lines} of the shop\n"
    assert prints(text.format(lines="14-18")) == prints(text.format(lines="45-49"))


def test_very_many_places_are_a_log_and_no_complaints() -> None:
    log = "".join(f"cart.xyz:{n}:9: step {n}\n" for n in range(60))
    (failure,) = failures(f"{log}xyz: simulation error\n")
    assert failure.message == "xyz: simulation error"


def test_a_heading_with_a_count_is_followed_by_what_it_counts() -> None:
    reek = "{first}\nlib/cart.rb -- 1 warning:\n  [{lines}]:FeatureEnvy: Cart#total refers to '{name}'\n"
    text = reek.format(first="Inspecting 2 files", lines="14, 17", name="item")
    assert prints(text) == prints(reek.format(first=".S", lines="45", name="item"))
    assert prints(text) != prints(reek.format(first=".S", lines="45", name="pear"))


def test_a_place_with_a_word_behind_it_needs_nothing_from_the_line_above() -> None:
    dialyzer = "done in {took}\nlib/cart.ex:{line}:{code}\nhalting\n"
    text = dialyzer.format(took="0m0.7s", line=14, code="no_return")
    assert prints(text) == prints(dialyzer.format(took="0m2.1s", line=45, code="no_return"))
    assert prints(text) != prints(dialyzer.format(took="0m0.7s", line=14, code="call"))


def test_the_name_of_a_function_in_a_stack_is_no_error() -> None:
    rake = "rake aborted!\nArgumentError: no pear\nRakefile:5:in `block'\n{more}Tasks: TOP => check\n"
    assert prints(rake.format(more="")) == prints(rake.format(more="/usr/lib/rake.rb:186:in `exception_handling'\n"))


@pytest.mark.parametrize("mark", ["-->", "┌─", "╭▸"])
def test_whatever_points_at_a_place_is_read_as_an_arrow(mark: str) -> None:
    text = f"error[no-loop]: the loop never ends\n  {mark} src/cart.rs:{{line}}:6\n   │\n{{line}} │ loop {{}}\n   ╰╴ ━━━ here\n"
    (failure,) = failures(text.replace("{}", "").format(line=4))
    assert (failure.file, failure.line, failure.kind, failure.source_line) == ("src/cart.rs", 4, "no-loop", "loop")
    assert prints(text.replace("{}", "").format(line=4)) == prints(text.replace("{}", "").format(line=9))


def test_one_line_of_a_container_is_known_without_the_containers_name() -> None:
    said = "cart.py:9:2: E225 missing whitespace around operator\n"
    composed = f"Attaching to tests-1\ntests-1  | {said}tests-1  |\ntests-1 exited with code 1\n"
    assert prints(composed) == prints(f"[pod/x/tests] {said}[pod/x/tests]\n") == prints(said)
    two = f"Attaching to both\ntests-1  | {said}tests-1  |\ndb-1  | ready\n"
    assert prints(two) != prints(said)


TRACEBACK = """\
Traceback (most recent call last):
  File "/work/cart.py", line {line}, in total
    find(name)
LookupError: no {name}
"""


def runner(*names: str) -> str:
    return "".join(
        f"{'=' * 60}\n[ERROR]\n{TRACEBACK.format(line=n, name=name)}\n" for n, name in enumerate(names, start=5)
    )


def test_each_traceback_that_a_runner_heads_is_a_failure_in_whatever_order() -> None:
    assert {f.message for f in failures(runner("pear", "fig"))} == {"no pear", "no fig"}
    assert prints(runner("pear", "fig")) == prints(runner("fig", "pear"))


def test_the_heading_names_the_test() -> None:
    text = f"Failure in test test_price (cart.TestCart)\n{TRACEBACK.format(line=3, name='pear')}"
    assert [f.subject for f in failures(text)] == ["test_price (cart.TestCart)"]


def test_what_was_logged_before_the_end_and_what_led_to_it_are_not_failures() -> None:
    logged = f"could not find it\n{TRACEBACK.format(line=3, name='pear')}\ngoing on\n"
    led = f"{TRACEBACK.format(line=3, name='fig')}\nDuring handling of the above exception, another exception occurred:\n\n"
    last = TRACEBACK.format(line=3, name="plum")
    assert prints(logged + led + last) == prints(last)


def test_a_heading_without_a_traceback_that_ends_is_passed_over() -> None:
    text = f"{runner('pear')}{'=' * 60}\n[ERROR]\nTraceback (most recent call last):\n"
    assert [f.message for f in failures(text)] == ["no pear"]


def test_a_code_before_its_position_points_at_what_is_wrong_and_a_count_does_not() -> None:
    djlint = "cart.html\n────\n{code} {line}:0 {said}\n\nLinted 1 file, found 1 error.\n"
    text = djlint.format(code="H013", line=5, said="an image without a text")
    assert prints(text) == prints(djlint.format(code="H013", line=9, said="an image without a text"))
    assert prints(text) != prints(djlint.format(code="H021", line=5, said="a style"))


def test_lines_in_brackets_and_counted_steps_say_nothing() -> None:
    text = "{steps} steps (2 passed, 1 failed)\nshop.low is not allowed to import shop.top:\n- shop.low -> shop.top (l.{line})\n"
    assert prints(text.format(steps=3, line=2)) == prints(text.format(steps=9, line=5))


def test_signs_of_a_frame_inside_the_code_stay_as_they_are() -> None:
    text = 'error[odd]: an odd border\n  ╭▸ src/cart.rs:4:6\n  │\n4 │ border("│ ━");\n  ╰╴       ━━━ │ here\n'
    (failure,) = failures(text)
    assert failure.source_line == 'border("│ ━");'
    assert failure.message == "an odd border: │ here"
