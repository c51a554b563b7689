"""GitHub's issues through `gh`: a scripted one, with the arguments, answers and complaints of the real program."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trueup.act.trackers import GitHubTracker, IssueState, TrackerError
from trueup.act.trackers.base import SILENCE
from trueup.act.trackers.github import FRESH
from trueup.config.tracker import TrackerSettings
from trueup.errors import TrueupError, UsageError

CLAIM = "<!-- trueup: claim run={} -->"


def nobody_knows(_run: str) -> bool | None:
    return None


def tracker(gh: Any, living: Callable[[str], bool | None] = nobody_knows, **labels: str) -> GitHubTracker:
    environ = gh.environ(dict(os.environ))
    return GitHubTracker(gh.bin, TrackerSettings(**labels), environ, living=living)  # type: ignore[arg-type]


# --- reading --------------------------------------------------------------------------------------------------------


def test_an_issue_is_read_with_its_state_and_address(gh: Any) -> None:
    gh.add(42, "Tax is wrong", "19 instead of 7\r\nreally\r\n", "bug", "ready")
    issue = tracker(gh).get("#42")
    assert (issue.id, issue.item, issue.title, issue.body) == (
        "42",
        "issue-42",
        "Tax is wrong",
        "19 instead of 7\nreally",
    )
    assert issue.state is IssueState.READY
    assert issue.url == "https://github.com/acme/shop/issues/42"


def test_the_oldest_ready_issue_comes_first(gh: Any) -> None:
    for number, day in ((3, 5), (9, 1), (4, 5)):
        gh.add(number, "A", "", "ready", day=day)
    gh.add(5, "A", "", "ready", "stalled")  # more than one state: a person has to look
    gh.add(6, "A", "", "in progress")
    assert [issue.id for issue in tracker(gh).ready()] == ["9", "3", "4"]
    assert [issue.id for issue in tracker(gh).claimed()] == ["6"]


def test_labels_are_configurable_and_their_case_does_not_matter(gh: Any) -> None:
    gh.set(labels=["Agent: Ready", "agent: busy", "stalled", "done"])
    gh.add(1, "A", "", "Agent: Ready")
    mine = tracker(gh, ready="agent: ready", in_progress="agent: busy")
    mine.check()
    assert [issue.id for issue in mine.ready()] == ["1"]


def test_labels_that_are_missing_are_named_with_the_command_that_makes_them(gh: Any) -> None:
    gh.set(labels=["ready", "done"])
    with pytest.raises(UsageError, match="in progress") as error:
        tracker(gh).check()
    assert 'gh label create "in progress"; gh label create "stalled"' in error.value.do


@pytest.mark.parametrize("wanted", ["0", "-1", "--web", "4 2", "42; id", "https://evil.example/x", "next", ""])
def test_what_is_not_a_number_never_reaches_the_program(gh: Any, wanted: str) -> None:
    with pytest.raises(UsageError):
        tracker(gh).get(wanted)
    assert gh.state["calls"] == []


def test_an_address_names_an_issue_of_this_repository_only(gh: Any) -> None:
    gh.add(42, "A", "", "ready")
    assert tracker(gh).get("https://github.com/acme/shop/issues/42").id == "42"
    with pytest.raises(UsageError, match="another repository"):
        tracker(gh).get("https://github.com/other/shop/issues/42")


def test_a_closed_issue_and_a_pull_request_are_refused(gh: Any) -> None:
    gh.add(1)
    gh.add(2)
    with gh.changed() as state:
        state["issues"][0]["state"] = "CLOSED"
        state["issues"][1]["url"] = "https://github.com/acme/shop/pull/2"
    with pytest.raises(UsageError, match="closed"):
        tracker(gh).get("1")
    with pytest.raises(UsageError, match="pull request"):
        tracker(gh).get("2")


def test_an_issue_that_was_there_before_is_found_also_when_it_is_closed_or_gone(gh: Any) -> None:
    gh.add(1, "A", "", "ready")
    assert not tracker(gh).find("1").closed  # type: ignore[union-attr]
    with gh.changed() as state:
        state["issues"][0]["state"] = "CLOSED"
    assert tracker(gh).find("1").closed  # type: ignore[union-attr]
    assert tracker(gh).find("2") is None
    gh.set(offline=["."])
    with pytest.raises(TrackerError):
        tracker(gh).find("2")


def test_hostile_text_is_bounded_and_made_visible(gh: Any) -> None:
    gh.add(1, "A\x1b]0;x\x07\x1b[2J\nb\u202e" + "x" * 1000, "y" * 400_000)
    issue = tracker(gh).get("1")
    assert issue.title.startswith("A b\\u202exxx")
    assert len(issue.title) <= 300
    assert len(issue.body) <= 100_000


# --- what can go wrong ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("behaviour", "error", "said"),
    [
        ({"offline": ["."]}, TrackerError, "cannot be reached"),
        ({"logged_out": True}, TrackerError, "not logged in"),
        ({"refuse": {".": "no git remotes found"}}, UsageError, "which repository"),
        ({"refuse": {".": "gh: Resource not accessible by integration (HTTP 403)"}}, TrackerError, "does not allow"),
        ({"refuse": {".": "gh: API rate limit exceeded"}}, TrackerError, "failed"),
    ],
)
def test_a_refusal_is_told_in_words_that_help(
    gh: Any, behaviour: dict[str, Any], error: type[TrueupError], said: str
) -> None:
    gh.add(1, "A", "", "ready")
    gh.set(**behaviour)
    with pytest.raises(error, match=said) as raised:
        tracker(gh).check()
    assert raised.value.why
    assert raised.value.do


def test_a_missing_issue_is_a_usage_error(gh: Any) -> None:
    with pytest.raises(UsageError, match="no such issue"):
        tracker(gh).get("7")


def test_without_the_program_the_folder_is_offered(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not installed") as error:
        GitHubTracker(tmp_path, TrackerSettings(), {"PATH": str(tmp_path)}, living=nobody_knows)
    assert "folder" in error.value.do


@pytest.mark.parametrize("said", ["", "Welcome!", "[1, 2]", "{}", '[{"number": 0}]', '[{"number": true}]'])
def test_an_answer_that_is_not_understood_is_no_issue(tmp_path: Path, said: str) -> None:
    program = tmp_path / "gh"
    program.write_text(f"#!/bin/sh\ncat > /dev/null\ncat <<'EOF'\n{said}\nEOF\n")
    program.chmod(0o755)
    mine = GitHubTracker(tmp_path, TrackerSettings(), {"PATH": f"{tmp_path}:/usr/bin:/bin"}, living=nobody_knows)
    with pytest.raises(TrackerError):
        mine.ready()


# --- claims ---------------------------------------------------------------------------------------------------------


def test_a_claim_is_a_comment_and_a_label_and_both_go_away(gh: Any) -> None:
    gh.add(42, "A", "", "ready", "bug")
    mine = tracker(gh)
    assert mine.claim(mine.get("42"), "00aa11")
    assert gh.labels(42) == ["bug", "in progress"]
    assert len(gh.comments(42)) == 1
    assert "00aa11" in gh.comments(42)[0]
    issue = mine.get("42")
    claim = mine.holder(issue)
    assert claim is not None
    assert (claim.run, claim.alive) == ("00aa11", True)
    mine.move(issue, IssueState.READY)
    mine.release(issue, "00aa11")
    assert gh.labels(42) == ["bug", "ready"]
    assert gh.comments(42) == []


def test_who_comes_second_leaves_nothing(gh: Any) -> None:
    gh.add(42, "A", "", "ready")
    first, second = tracker(gh), tracker(gh)
    chosen = second.get("42")
    assert first.claim(first.get("42"), "00aa11")
    assert not second.claim(chosen, "00bb22")
    assert [CLAIM.format("00aa11") in text for text in gh.comments(42)] == [True]
    assert gh.labels(42) == ["in progress"]


@pytest.mark.parametrize("behind", [1, 2, 3])
def test_an_answer_that_is_behind_gives_the_issue_to_nobody_twice(gh: Any, behind: int) -> None:
    """Both comments are written before either of the two looks."""
    gh.add(42, "A", "", "ready")
    gh.set(behind=behind)
    mine = tracker(gh)
    chosen = mine.get("42")
    gh.write(42, CLAIM.format("00bb22"))
    with gh.changed() as state:
        state["comments"][-1]["seen_from"] = behind
    assert not mine.claim(chosen, "00aa11")
    assert len(gh.comments(42)) == 1
    assert gh.labels(42) == ["ready"]


def test_the_own_claim_may_take_a_while_to_show(gh: Any) -> None:
    gh.add(42, "A", "", "ready")
    gh.set(behind=2)
    mine = tracker(gh)
    assert mine.claim(mine.get("42"), "00aa11")


@pytest.mark.parametrize(
    ("state", "age", "wins"),
    [
        ("ready", 0, False),  # somebody is about to set the label
        ("ready", FRESH + 60, True),  # left behind: a person has moved the issue since
        ("in progress", FRESH + 60, False),
        ("in progress", SILENCE + 60, True),
    ],
)
def test_how_long_the_claim_of_another_machine_counts(gh: Any, state: str, age: float, *, wins: bool) -> None:
    gh.add(42, "A", "", state)
    gh.write(42, CLAIM.format("00bb22"), seconds_ago=age)
    mine = tracker(gh)
    issue = mine.get("42")
    before = mine.holder(issue)
    assert before is not None
    assert before.alive is not wins
    assert mine.claim(issue, "00aa11") is wins
    (left,) = gh.comments(42)
    assert ("00aa11" if wins else "00bb22") in left


def test_a_sign_of_life_keeps_a_claim(gh: Any) -> None:
    gh.add(42, "A", "", "in progress")
    gh.write(42, CLAIM.format("00bb22"), seconds_ago=SILENCE + 60)
    worker, other = tracker(gh), tracker(gh)
    issue = other.get("42")
    worker.beat(issue, "00cc33")  # not its own
    assert "still at work" not in gh.comments(42)[0]
    worker.beat(issue, "00bb22")
    claim = other.holder(issue)
    assert claim is not None
    assert claim.alive
    assert not other.claim(issue, "00aa11")


@pytest.mark.parametrize(("living", "wins"), [(False, True), (True, False)])
def test_what_this_project_knows_about_its_own_run_counts_most(gh: Any, *, living: bool, wins: bool) -> None:
    gh.add(42, "A", "", "in progress")
    gh.write(42, CLAIM.format("00bb22"), seconds_ago=0 if wins else 10 * SILENCE)
    mine = tracker(gh, lambda run: living if run == "00bb22" else None)
    assert mine.claim(mine.get("42"), "00aa11") is wins


def test_an_issue_that_was_moved_or_closed_since_it_was_chosen_is_not_claimed(gh: Any) -> None:
    gh.add(42, "A", "", "ready")
    mine = tracker(gh)
    chosen = mine.get("42")
    with gh.changed() as state:
        state["issues"][0]["labels"] = ["done"]
    assert not mine.claim(chosen, "00aa11")
    with gh.changed() as state:
        state["issues"][0].update(labels=["ready"], state="CLOSED")
    assert not mine.claim(chosen, "00aa11")
    assert gh.comments(42) == []


def test_a_claim_that_fails_half_way_is_taken_back(gh: Any) -> None:
    gh.add(42, "A", "", "ready")
    gh.set(refuse={"issue edit": "gh: Resource not accessible by integration (HTTP 403)"})
    mine = tracker(gh)
    with pytest.raises(TrackerError, match="does not allow"):
        mine.claim(mine.get("42"), "00aa11")
    assert gh.comments(42) == []


def test_comments_of_several_pages_are_all_read(gh: Any) -> None:
    gh.add(42, "A", "", "in progress")
    gh.set(page=2)
    for number in range(5):
        gh.write(42, f"comment {number} ]][[ {{")
    gh.write(42, CLAIM.format("00bb22"))
    claim = tracker(gh).holder(tracker(gh).get("42"))
    assert claim is not None
    assert claim.run == "00bb22"


GRAB = """
import os, sys
from pathlib import Path
from trueup.act.trackers import GitHubTracker
from trueup.config.tracker import TrackerSettings
mine = GitHubTracker(Path(sys.argv[1]), TrackerSettings(), os.environ, living=lambda run: None)
chosen = mine.ready()
print("chosen", flush=True)
sys.stdin.readline()  # all have chosen the same: from here on it is a race
print(" ".join(issue.id for issue in chosen if mine.claim(issue, sys.argv[2])), flush=True)
"""


@pytest.mark.parametrize("behind", [0, 3])
def test_workers_in_parallel_never_take_the_same_issue(gh: Any, behind: int) -> None:
    """Three processes race for each of eight issues, having seen all of them ready; also when answers are behind."""
    for number in range(1, 9):
        gh.add(number, "A", "", "ready")
    gh.set(behind=behind)
    pipe, environ = subprocess.PIPE, gh.environ(dict(os.environ))
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", GRAB, str(gh.bin), f"00000{n}"], stdin=pipe, stdout=pipe, text=True, env=environ
        )
        for n in range(3)
    ]
    for worker in workers:
        assert worker.stdout
        assert worker.stdout.readline() == "chosen\n"
    for worker in workers:
        assert worker.stdin
        worker.stdin.write("go\n")
        worker.stdin.flush()
    got = [worker.communicate(timeout=300)[0].split() for worker in workers]
    taken = [one for some in got for one in some]
    assert len(taken) == len(set(taken)), f"taken twice: {got}"
    for number in range(1, 9):
        claims = [text for text in gh.comments(number) if "claim run=" in text]
        assert len(claims) == (str(number) in taken)


# --- telling --------------------------------------------------------------------------------------------------------


def test_a_comment_comes_once_for_each_mark(gh: Any) -> None:
    gh.add(42)
    mine = tracker(gh)
    issue = mine.get("42")
    for _ in range(2):
        mine.comment(issue, "stuck", mark="1111")
    mine.comment(issue, "passed", mark="2222")
    assert [text.split()[0] for text in gh.comments(42)] == ["stuck", "passed"]


def test_a_pull_request_is_opened_once_and_closes_its_issue(gh: Any) -> None:
    gh.add(42)
    mine = tracker(gh)
    issue = mine.get("42")
    offer = {"head": "trueup/issue-42", "base": "main", "title": "--draft", "body": "the proof\n"}
    urls = {mine.pull_request(issue, **offer) for _ in range(2)}
    (pull,) = gh.state["pulls"]
    assert urls == {pull["url"]}
    assert pull["title"] == "--draft"
    assert pull["body"].endswith("the proof\n\n\nFixes #42\n")


def test_moving_takes_the_other_states_away_and_leaves_other_labels(gh: Any) -> None:
    gh.add(42, "A", "", "ready", "stalled", "bug")
    mine = tracker(gh)
    issue = mine.get("42")
    mine.move(issue, IssueState.DONE)
    assert gh.labels(42) == ["bug", "done"]
    calls = len(gh.state["calls"])
    mine.move(issue, IssueState.DONE)
    assert len(gh.state["calls"]) == calls + 1  # looked, and had nothing to do
    mine.move(issue, IssueState.OTHER)
    assert gh.labels(42) == ["bug"]
