"""A tool that tells no more than its failures, and one that never came to its tests."""

from typing import Any

from trueup.decide.task import CheckSpec
from trueup.evidence.failure import Failure, Phase
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.report import CheckResult, CheckStatus

SPEC = "RSpec.describe 'Calc' do\n  it 'adds' do\n    raise first\n    raise later\n  end\nend\n"
TEXT = """F

Failures:

  1) Calc adds
     Failure/Error: raise x

     RuntimeError:
       {}
     # ./calc_spec.rb:{}:in `block (2 levels) in <top (required)>'

1 example, 1 failure
"""


def seen(lab: Any, words: str, line: int) -> Failure:
    files = {"calc_spec.rb": SPEC, "said.txt": TEXT.format(words, line)}
    result: CheckResult = lab.check(files, "sh -c 'cat said.txt; exit 1'")
    (failure,) = result.failures
    return failure


def test_a_test_that_only_its_text_names_is_known_by_its_place_and_not_by_its_words(lab: Any) -> None:
    first = seen(lab, "it does not add up", 3)
    assert (first.test, first.named, first.source_line) == (False, True, "raise first")
    assert fingerprint(seen(lab, "please look at it again", 3)) == fingerprint(first)
    assert fingerprint(seen(lab, "it does not add up", 4)) != fingerprint(first)


def test_settings_that_keep_a_tool_from_its_tests_hide_them(lab: Any) -> None:
    files = {"pytest.ini": "[pytest]\naddopts = --no-such-option\n", "test_a.py": "def test_a():\n    assert 0\n"}
    result = lab.check(files)
    assert (result.status, result.inventory) == (CheckStatus.FAILED, ())
    assert [(f.subject, f.phase) for f in result.failures] == [("", Phase.COLLECT)]


def test_a_report_that_was_not_written_hides_its_tests(lab: Any) -> None:
    check = CheckSpec(name="tests", run="sh -c 'echo broken settings; exit 2'", report="junit:out.xml")
    (result,) = lab.report({"a.txt": ""}, check).results
    assert [(f.subject, f.phase) for f in result.failures] == [("", Phase.COLLECT)]


def test_a_command_that_nobody_knows_hides_nothing(lab: Any) -> None:
    result = lab.check({"a.txt": ""}, "sh -c 'echo the moon; exit 2'")
    assert [(f.subject, f.phase) for f in result.failures] == [("", Phase.RUN)]
