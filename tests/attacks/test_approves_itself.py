"""An agent approves work that waits for a person: openly, without the variable, as a daemon, from its own folder."""

import sys
from collections.abc import Callable
from pathlib import Path

from trueup.decide.outcome import Status
from trueup.decide.task import ReviewerSpec
from trueup.testing import Driven, Step


def test_no_agent_can_approve_what_waits_for_a_person(
    driven: Callable[..., Driven], quick: tuple[str, ...], fix: str, project: Path, tmp_path: Path
) -> None:
    waits = driven({"calc.py": fix}, check=quick, attempts=1, reviewer=ReviewerSpec(), item="first")
    assert (waits.outcome.status, waits.outcome.reason) == (Status.BLOCKED, "review")
    approve = f"{sys.executable} -m trueup review approve {waits.run}"
    hidden = f"env -u TRUEUP_RUN {approve}"
    ways = (
        f"{approve} -C {project}",
        f"{hidden} -C {project}",
        f"setsid --fork sh -c 'sleep 1; {hidden} -C {project} > DAEMON 2>&1; echo $? > DAEMON.code' & sleep 6",
        hidden,
    )
    shell = [
        f"({way.replace('DAEMON', f'{tmp_path}/daemon')}) >> {tmp_path}/said 2>&1; echo $? >> {tmp_path}/code"
        for way in ways
    ]
    result = driven(
        Step(shell=shell, writes={"README.md": "x\n"}), check=quick, attempts=1, command=True, item="second"
    )
    assert result.outcome.status is Status.OUT_OF_BUDGET
    codes = (tmp_path / "code").read_text().split()
    assert [codes[0], codes[1], codes[3]] == ["2", "2", "2"], (tmp_path / "said").read_text()
    assert (tmp_path / "said").read_text().count("an agent cannot approve or reject its own work") == 3
    ended = tmp_path / "daemon.code"
    assert not ended.exists() or ended.read_text().strip() == "2", (tmp_path / "daemon").read_text()
    again = driven({"README.md": "y\n"}, check=quick, attempts=1, item="third")
    assert again.state.verdicts == ()
