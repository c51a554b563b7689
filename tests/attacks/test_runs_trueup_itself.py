"""The agent starts trueup itself, openly and behind our back, with a check that always holds."""

import sys
from collections.abc import Callable
from pathlib import Path

from trueup.decide.outcome import Status
from trueup.testing import Driven, Step


def test_a_run_inside_a_run_is_refused_and_grades_nothing(
    attack: Callable[..., Driven], quick: tuple[str, ...], tmp_path: Path
) -> None:
    inner = f"{sys.executable} -m trueup run --agent-cmd true --check true > {tmp_path}/said 2>&1; echo $? > {tmp_path}/code"
    openly = Step(shell=[inner], writes={"README.md": "x\n"})
    hidden = Step(
        shell=[inner.replace("-m", "-X utf8 -m").replace(sys.executable, f"env -u TRUEUP_RUN {sys.executable}", 1)]
    )
    result = attack(openly, check=quick, attempts=1, command=True)
    assert (tmp_path / "code").read_text().strip() == "2"
    assert "already running" in (tmp_path / "said").read_text()
    assert result.outcome.status is Status.OUT_OF_BUDGET
    result = attack(hidden, check=quick, attempts=1, command=True, item="second")
    assert (tmp_path / "code").read_text().strip() == "0"
    assert result.outcome.status is Status.OUT_OF_BUDGET
    assert result.attempts[0].record.changed == ()
