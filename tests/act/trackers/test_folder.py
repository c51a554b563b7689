"""A folder of markdown files is a tracker: states, claims that only one can have, comments that come once."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.act.trackers import FolderTracker, Issue, IssueState, TrackerError
from trueup.act.trackers.base import SILENCE
from trueup.config.tracker import TrackerSettings
from trueup.errors import UsageError

READY = "---\nstate: ready\n---\n"
Living = Callable[[str], bool | None]


def nobody_knows(_run: str) -> bool | None:
    return None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "issues").mkdir()
    return tmp_path / "issues"


def tracker(folder: Path, living: Living = nobody_knows, **labels: str) -> FolderTracker:
    return FolderTracker(folder, TrackerSettings(**labels), living=living)  # type: ignore[arg-type]


def write(folder: Path, stem: str, text: str = READY) -> Issue:
    (folder / f"{stem}.md").write_text(text)
    return tracker(folder).get(stem)


# --- reading --------------------------------------------------------------------------------------------------------


def test_title_body_and_state_come_from_the_file(folder: Path) -> None:
    issue = write(folder, "2-tax", f"{READY}# Tax is wrong #\n\n19 instead of 7.\n")
    assert (issue.id, issue.item, issue.title, issue.body) == ("2-tax", "2-tax", "Tax is wrong", "19 instead of 7.")
    assert issue.state is IssueState.READY


def test_a_title_of_its_own_leaves_the_heading_in_the_body(folder: Path) -> None:
    issue = write(folder, "a", "---\ntitle: Tax\n---\n# Heading\nbody\n")
    assert (issue.title, issue.body) == ("Tax", "# Heading\nbody")


def test_without_any_title_the_name_is_one(folder: Path) -> None:
    assert write(folder, "bulk-order_tax", READY).title == "bulk order tax"


def test_the_oldest_ready_issue_comes_first_by_date_then_by_number(folder: Path) -> None:
    for stem in ("10-later", "2-soon"):
        write(folder, stem)
    write(folder, "99-dated", "---\nstate: ready\ncreated: 2026-01-02\n---\n")
    write(folder, "98-dated", "---\nstate: ready\ncreated: 2025-12-31\n---\n")
    write(folder, "1-done", "---\nstate: done\n---\n")
    write(folder, "0-none", "no state\n")
    assert [issue.id for issue in tracker(folder).ready()] == ["98-dated", "99-dated", "2-soon", "10-later"]


def test_states_can_be_called_otherwise_and_blanks_dashes_and_case_do_not_matter(folder: Path) -> None:
    write(folder, "a", "---\nstate: Agent-Ready\n---\n")
    mine = tracker(folder, ready="agent ready", in_progress="agent at work")
    assert [issue.id for issue in mine.ready()] == ["a"]
    assert mine.claim(mine.get("a"), "0001")
    assert "state: agent at work\n" in (folder / "a.md").read_text()


def test_a_missing_folder_or_file_is_said_with_what_there_is(folder: Path, tmp_path: Path) -> None:
    write(folder, "a")
    with pytest.raises(UsageError, match=r"no issue b\.md") as error:
        tracker(folder).get("b")
    assert "a" in error.value.why
    with pytest.raises(UsageError, match="no folder") as missing:
        tracker(tmp_path / "nowhere").check()
    assert "state: ready" in missing.value.do


# --- hostile ones ---------------------------------------------------------------------------------------------------


def test_links_pipes_folders_and_huge_files_are_no_issues_and_are_left_alone(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text(f"{READY}# secret\n")
    (folder / "link.md").symlink_to(outside)
    os.mkfifo(folder / "pipe.md")
    (folder / "folder.md").mkdir()
    (folder / "huge.md").write_text(READY + "x" * 1_000_001)
    (folder / "nowhere.md").symlink_to("nowhere")
    write(folder, "real")
    assert [issue.id for issue in tracker(folder).ready()] == ["real"]
    for stem in ("link", "pipe", "folder", "huge"):
        with pytest.raises(UsageError):
            tracker(folder).get(stem)
    assert outside.read_text() == f"{READY}# secret\n"


def test_a_file_that_becomes_a_link_is_not_written_through(folder: Path, tmp_path: Path) -> None:
    issue = write(folder, "a")
    outside = tmp_path / "outside.md"
    outside.write_text(READY)
    (folder / "a.md").unlink()
    (folder / "a.md").symlink_to(outside)
    with pytest.raises(UsageError):
        tracker(folder).comment(issue, "text", mark="m")
    with pytest.raises(UsageError):
        tracker(folder).claim(issue, "0001")
    assert outside.read_text() == READY


def test_a_link_in_place_of_the_folder_or_of_our_own_one_is_refused(folder: Path, tmp_path: Path) -> None:
    issue = write(folder, "a")
    (tmp_path / "elsewhere").mkdir()
    (folder / ".trueup").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(TrackerError):
        tracker(folder).claim(issue, "0001")
    assert list((tmp_path / "elsewhere").iterdir()) == []
    (tmp_path / "linked").symlink_to(folder)
    with pytest.raises(UsageError):
        tracker(tmp_path / "linked").check()


@pytest.mark.parametrize("name", ["../a", "a/b", "-rf", ".hidden", "", "a\nb", "a\x1b[2J", "x" * 101])
def test_what_cannot_be_a_name_never_becomes_a_path(folder: Path, name: str) -> None:
    with pytest.raises(UsageError):
        tracker(folder).get(name)


def test_names_with_blanks_dashes_and_letters_of_all_kinds_work_and_each_has_its_own_branch(folder: Path) -> None:
    stems = ["a b", "a-b", "a  b", "tax; rm -rf", "--", "größe", "汉字" * 20, "x" * 100, "$(id)", "a'b\"c"]
    for stem in stems:
        (folder / f"{stem}.md").write_text(READY)
    mine = tracker(folder)
    found = mine.ready()
    assert {issue.id for issue in found} == set(stems) - {"--"}
    items = [issue.item for issue in found]
    assert len(set(items)) == len(items)
    for issue in found:
        subprocess.run(["git", "check-ref-format", f"refs/heads/trueup/{issue.item}"], check=True)
        assert mine.claim(issue, "0001")
        mine.move(issue, IssueState.DONE)
        mine.release(issue, "0001")


def test_control_characters_in_title_and_text_are_made_visible(folder: Path) -> None:
    issue = write(folder, "a", f"{READY}# A\x1b]0;title\x07 \x1b[2Jb\u202ec\n\nbody\x07\n")
    assert issue.title == "A b\\u202ec"
    assert issue.body == "body\\x07"


def test_text_is_bounded(folder: Path) -> None:
    issue = write(folder, "a", f"{READY}# {'#' * 400_000}x\n\n{'y' * 400_000}")
    assert len(issue.title) <= 300
    assert len(issue.body) <= 100_000


def test_nothing_in_a_file_can_claim_comment_or_end_the_comments(folder: Path) -> None:
    forged = f'{READY}# A\n\n<!-- trueup: comments -->\n<!-- trueup: 0000 -->\n{{"run": "0001", "pid": 1}}\n'
    issue = write(folder, "a", forged)
    mine = tracker(folder)
    assert mine.holder(issue) is None
    mine.comment(issue, "told", mark="1234")
    assert "told" in (folder / "a.md").read_text()


def test_a_claim_that_nobody_can_read_keeps_nobody_away(folder: Path) -> None:
    issue, mine = write(folder, "a"), tracker(folder)
    assert mine.claim(issue, "0001")
    (file,) = (folder / ".trueup" / "claims").glob("*.json")
    for damage in (b"", b"[]", b'{"run": "0001"}', b"\xff", b"{" * 100_000):
        file.write_bytes(damage)
        assert mine.holder(issue) is None


# --- claims ---------------------------------------------------------------------------------------------------------


def test_a_claim_is_one_process_s_and_the_state_says_so(folder: Path) -> None:
    mine, other = tracker(folder), tracker(folder)
    issue = write(folder, "a")
    assert mine.claim(issue, "0001")
    assert "state: in progress" in (folder / "a.md").read_text()
    assert not other.claim(issue, "0002")
    now = other.get("a")
    assert not other.claim(now, "0002")
    claim = other.holder(now)
    assert claim is not None
    assert (claim.run, claim.alive) == ("0001", True)
    assert [one.id for one in other.claimed()] == ["a"]
    assert other.ready() == []


def test_the_same_run_may_claim_again_and_only_it_can_let_go(folder: Path) -> None:
    mine = tracker(folder)
    assert mine.claim(write(folder, "a"), "0001")
    issue = mine.get("a")
    assert mine.claim(issue, "0001")
    mine.release(issue, "0002")
    assert mine.holder(issue) is not None
    mine.release(issue, "0001")
    mine.release(issue, "0001")
    assert mine.holder(issue) is None
    assert mine.get("a").state is IssueState.IN_PROGRESS


def test_a_claim_of_a_process_that_is_gone_is_dead_and_can_be_taken_over(folder: Path) -> None:
    write(folder, "a")
    script = f"""
from pathlib import Path
from trueup.act.trackers import FolderTracker
from trueup.config.tracker import TrackerSettings
mine = FolderTracker(Path({str(folder)!r}), TrackerSettings(), living=lambda run: None)
assert mine.claim(mine.get("a"), "0001")
"""
    subprocess.run([sys.executable, "-c", script], check=True)
    other = tracker(folder)
    issue = other.get("a")
    claim = other.holder(issue)
    assert claim is not None
    assert not claim.alive
    assert other.claim(issue, "0002")
    taken = other.holder(issue)
    assert taken is not None
    assert (taken.run, taken.alive) == ("0002", True)


def test_a_claim_of_another_machine_counts_until_it_has_been_silent_for_long(folder: Path) -> None:
    mine = tracker(folder)
    assert mine.claim(write(folder, "a"), "0001")
    (file,) = (folder / ".trueup" / "claims").glob("*.json")
    file.write_text(json.dumps({**json.loads(file.read_text()), "node": "far-away", "boot": "another", "pid": 1}))
    issue, other = mine.get("a"), tracker(folder)
    assert not other.claim(issue, "0002")
    long_ago = file.stat().st_mtime - SILENCE - 60
    os.utime(file, (long_ago, long_ago))
    mine.beat(issue, "0002")  # not its own
    silent = other.holder(issue)
    assert silent is not None
    assert not silent.alive
    mine.beat(issue, "0001")
    assert not other.claim(issue, "0002")
    os.utime(file, (long_ago, long_ago))
    assert other.claim(issue, "0002")


def test_what_this_project_knows_about_its_own_run_counts_more_than_the_claim(folder: Path) -> None:
    mine = tracker(folder)
    assert mine.claim(write(folder, "a"), "0001")
    dead = tracker(folder, living=lambda _: False).holder(mine.get("a"))
    assert dead is not None
    assert not dead.alive


def test_an_issue_that_was_changed_since_it_was_chosen_is_not_claimed(folder: Path) -> None:
    issue = write(folder, "a")
    (folder / "a.md").write_text("---\nstate: done\n---\n")
    assert not tracker(folder).claim(issue, "0001")
    (folder / "a.md").unlink()
    assert not tracker(folder).claim(issue, "0001")
    assert list((folder / ".trueup" / "claims").glob("*.json")) == []


GRAB = """
import sys
from pathlib import Path
from trueup.act.trackers import FolderTracker
from trueup.config.tracker import TrackerSettings
mine = FolderTracker(Path(sys.argv[1]), TrackerSettings(), living=lambda run: None)
sys.stdin.readline()  # all begin together
got = []
while ready := mine.ready():
    for issue in ready:
        if mine.claim(issue, sys.argv[2]):
            got.append(issue.id)
            break
print(" ".join(got), flush=True)
sys.stdin.readline()
"""


def test_many_processes_never_take_the_same_issue_and_leave_none(folder: Path) -> None:
    """Every issue is a race of all of them; they stay alive until all is taken."""
    for number in range(60):
        write(folder, f"{number}-x")
    pipe = subprocess.PIPE
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", GRAB, str(folder), f"000{n}"], stdin=pipe, stdout=pipe, text=True, bufsize=1
        )
        for n in range(6)
    ]
    for worker in workers:
        assert worker.stdin
        worker.stdin.write("go\n")
        worker.stdin.flush()
    got = [worker.stdout.readline().split() for worker in workers if worker.stdout]
    for worker in workers:
        worker.communicate("end\n", timeout=60)
    taken = [one for some in got for one in some]
    assert sorted(taken) == sorted(f"{number}-x" for number in range(60))


# --- telling --------------------------------------------------------------------------------------------------------


def test_a_comment_comes_once_for_each_mark(folder: Path) -> None:
    issue, mine = write(folder, "a", f"{READY}# A\n"), tracker(folder)
    for _ in range(3):
        mine.comment(issue, "stuck", mark="1111")
    mine.comment(issue, "passed", mark="2222")
    text = (folder / "a.md").read_text()
    assert (text.count("stuck"), text.count("passed"), text.count("## Comments")) == (1, 1, 1)
    assert mine.get("a").body == ""


def test_a_pull_request_is_kept_as_its_text_once(folder: Path) -> None:
    issue, mine = write(folder, "a"), tracker(folder)
    for _ in range(2):
        assert mine.pull_request(issue, head="trueup/a", base="main", title="Tax", body="proof\n") == ""
    assert (folder / "a.md").read_text().count("To be merged: `trueup/a` into `main`") == 1


def test_moving_changes_one_line_and_keeps_mode_and_everything_else(folder: Path) -> None:
    issue, mine = write(folder, "a", "---\r\nstate: ready\r\nowner: me\r\n---\r\ntext\r\n"), tracker(folder)
    (folder / "a.md").chmod(0o640)
    mine.move(issue, IssueState.STALLED)
    mine.move(issue, IssueState.STALLED)
    assert (folder / "a.md").read_bytes() == b"---\r\nstate: stalled\r\nowner: me\r\n---\r\ntext\r\n"
    assert (folder / "a.md").stat().st_mode & 0o777 == 0o640
    mine.move(issue, IssueState.OTHER)
    assert (folder / "a.md").read_bytes() == b"---\r\nowner: me\r\n---\r\ntext\r\n"


def test_an_issue_that_is_gone_is_said(folder: Path) -> None:
    issue, mine = write(folder, "a"), tracker(folder)
    (folder / "a.md").unlink()
    with pytest.raises(TrackerError, match="gone"):
        mine.comment(issue, "text", mark="1")
    with pytest.raises(TrackerError, match="gone"):
        mine.move(issue, IssueState.DONE)


def test_git_sees_nothing_of_the_claims(folder: Path) -> None:
    subprocess.run(["git", "init", "-q", str(folder.parent)], check=True)
    assert tracker(folder).claim(write(folder, "a"), "0001")
    told = subprocess.run(
        ["git", "status", "--porcelain", "-uall"], cwd=folder.parent, capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == ["??", "issues/a.md"]


def test_a_folder_that_cannot_be_written_is_said_at_once(folder: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    folder.chmod(0o500)
    with pytest.raises(TrackerError, match="cannot be written"):
        tracker(folder).check()
