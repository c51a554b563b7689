"""Who decides that work is done? A check may say so itself, in its own file; prose never, and nothing against a red check."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from trueup.decide.outcome import Status
from trueup.decide.state import Class
from trueup.decide.task import CheckSpec, Limits, Task
from trueup.testing import Driven, ScriptedAgent, python_project, task_for

FILE = "decision.json"
# Each line of `open.txt` is a fingerprint and a reason; `how.txt` is what the tested files make the check do wrongly.
CHECK = """\
reasons= prints= decision=pass nonce=$TRUEUP_DECISION_NONCE how=$(cat how.txt)
while read -r print reason; do
    decision=fail reasons="$reasons,\\"$reason\\"" prints="$prints,\\"$print\\""
done < open.txt
[ "$how" != "a wrong nonce" ] || nonce=00
printf '{"decision": "%s", "check_id": "%s", "nonce": "%s", "reasons": [%s], "fingerprints": [%s]}' \\
    "$decision" "$TRUEUP_CHECK_ID" "$nonce" "${reasons#,}" "${prints#,}" > "$TRUEUP_DECISION_FILE"
case "$how" in
    "no nonce") echo '{"decision": "pass", "check_id": "pages"}' > decision.json;;
    "an old one") touch -d '1 hour ago' decision.json;;
    "one from the future") touch -d '1 hour' decision.json;;
    "a fenced one") { echo '```json'; cat decision.json; echo '```'; } > fenced; mv fenced decision.json;;
    "a truncated one") truncate -s -1 decision.json;;
    "a huge one") head -c 1000001 /dev/zero | tr '\\0' ' ' >> decision.json;;
    "exit") exit 3;;
esac
"""
OPEN = "title the page has no title\nprice the price is cut off at 320 px\n"

Go = Callable[..., Driven]


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """A check that always exits with 0 and decides by what is open."""
    files = {"open.txt": OPEN, "how.txt": "right\n", "check.sh": CHECK}
    return python_project(tmp_path / "pages", files=files)


def decided(**changes: object) -> Task:
    check = CheckSpec(name="pages", run=("sh", "check.sh"), decision_file=FILE)
    limits = Limits(usd=None, time=3600.0, attempts=5)
    return replace(task_for(checks=(check,), limits=limits), **changes)  # type: ignore[arg-type]


def test_reasons_are_failures_that_are_repaired_one_by_one_until_the_check_decides_pass(pages: Path, go: Go) -> None:
    agent = ScriptedAgent({"open.txt": OPEN.splitlines(keepends=True)[1]}, {"open.txt": ""})
    result = go(pages, agent, decided())
    assert result.classes == [Class.PROGRESS, Class.GREEN]
    assert result.outcome.status is Status.PASSED, result.screen
    assert result.outcome.fixed == ("pages decision:price", "pages decision:title")
    assert "the page has no title" in agent.prompts[0]
    assert "the page has no title" not in agent.prompts[1].partition("# What was tried")[0]


def test_the_same_fingerprints_in_other_words_are_stuck(pages: Path, go: Go) -> None:
    reworded = [{"open.txt": f"title still no title, look {n}\nprice {n} px are missing\n"} for n in range(1, 5)]
    result = go(pages, ScriptedAgent(*reworded), decided())
    assert result.classes == [Class.STUCK] * 4
    assert (result.outcome.status, result.outcome.reason) == (Status.STUCK, "ladder")
    assert set(result.outcome.remaining) == {"pages decision:title", "pages decision:price"}


def test_another_fingerprint_in_the_place_of_one_is_no_progress(pages: Path, go: Go) -> None:
    one = decided(limits=Limits(usd=None, attempts=1))
    result = go(pages, ScriptedAgent({"open.txt": "title no title\nlogo the logo is gone\n"}), one)
    assert result.classes == [Class.MIXED]
    assert result.outcome.tree == result.outcome.start


IGNORED = {
    "a wrong nonce": "its nonce is not that of this run",
    "no nonce": "it has no nonce",
    "an old one": "it was written before the check started",
    "one from the future": "it is dated in the future",
    "a fenced one": "it is fenced",
    "a truncated one": "it ends too early",
    "a huge one": "it is larger than 1 MB",
}


@pytest.mark.parametrize("case", IGNORED)
def test_what_is_no_decision_of_this_run_is_ignored_with_its_reason_and_never_done(
    case: str, pages: Path, go: Go
) -> None:
    """The agent's change would pass but for this."""
    why = IGNORED[case]
    agent = ScriptedAgent({"open.txt": "", "how.txt": f"{case}\n"})
    result = go(pages, agent, decided(limits=Limits(usd=None, attempts=1)))
    assert result.outcome.status is not Status.PASSED
    assert result.outcome.tree == result.outcome.start
    assert why in result.screen
    (view,) = result.attempts
    assert view.report is not None
    assert why in view.report.results[0].decision, "recorded, too"


def test_a_decision_never_turns_a_red_check_green(pages: Path, go: Go) -> None:
    agent = ScriptedAgent({"open.txt": "", "how.txt": "exit\n"})
    result = go(pages, agent, decided(limits=Limits(usd=None, attempts=1)))
    assert result.outcome.status is not Status.PASSED
    assert "what failed outweighs it" in result.screen


@pytest.mark.parametrize(
    "prose",
    [
        "Complete the remaining work: 3 tests fail",
        "PASS rate 90%",
        "I cannot say LGTM",
        "**PASS**",
        "Decision: COMPLETE",
    ],
)
def test_prose_decides_nothing(prose: str, pages: Path, go: Go) -> None:
    """Where words are asked for, it is no word; the check has said nothing then, which is no pass."""
    check = CheckSpec(name="pages", run=("sh", "say.sh"), decision_words=True)
    files = {"say.sh": "cat said.txt\n", "said.txt": "FAIL\n"}
    for path, text in files.items():
        (pages / path).write_text(text)
    task = decided(checks=(check,), limits=Limits(usd=None, attempts=1))
    result = go(pages, ScriptedAgent({"said.txt": f"{prose}\n"}), task)
    assert result.outcome.status is not Status.PASSED
    assert "no line of its output is just PASS" in result.screen


def test_a_whole_line_of_a_declared_checker_decides(pages: Path, go: Go) -> None:
    (pages / "say.sh").write_text("grep -q title open.txt && echo INCOMPLETE || echo COMPLETE\n")
    check = CheckSpec(name="pages", run=("sh", "say.sh"), decision_words=True)
    result = go(pages, ScriptedAgent({"open.txt": ""}), decided(checks=(check,)))
    assert result.outcome.status is Status.PASSED, result.screen


def test_the_same_line_of_a_checker_that_was_not_declared_is_a_line(pages: Path, go: Go) -> None:
    (pages / "say.sh").write_text("echo INCOMPLETE\n")
    result = go(pages, None, decided(checks=(CheckSpec(name="pages", run=("sh", "say.sh")),), agents=()))
    assert result.outcome.status is Status.NOTHING_TO_DO
