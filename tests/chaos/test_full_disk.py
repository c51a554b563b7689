"""A disk that is full, or fills up, costs nothing but time: it is said, and afterwards the run goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from trueup.decide.outcome import Status

if TYPE_CHECKING:
    from tests.chaos.conftest import NewStage, Sitter, Stage

FILL = 'dd if=/dev/zero of="$TMPDIR/fill" bs=16k 2>/dev/null || :\n'
ENOUGH = 6 * 1024
"""KiB for a whole run."""


@pytest.fixture
def stage(apart: Sitter, stage_of: NewStage) -> Stage:
    """Its state folder is a small disk of its own."""
    stage = stage_of("second-try", helper=apart)
    stage.state.mkdir()
    apart.shell(f"mount -t tmpfs -o size={ENOUGH}k tmpfs {stage.state}")
    return stage


def leave(stage: Stage, kib: int) -> None:
    """Fill the disk up to so much room."""
    stage.sitter.shell(
        f"rm -f {stage.state}/filler; dd if=/dev/zero of={stage.state}/filler bs=1k count={ENOUGH - kib} 2>/dev/null || :"
    )


def free(stage: Stage) -> None:
    stage.sitter.shell(f"rm {stage.state}/filler")


@pytest.mark.parametrize("kib", [0, 24, 48, 96, 160])
def test_a_disk_without_room_is_said_before_an_agent_is_paid(stage: Stage, kib: int) -> None:
    leave(stage, kib)
    told = stage.trueup(*stage.run_argv())
    assert stage.calls() == 0
    stage.says_what_is_wrong(told, 4)
    free(stage)
    again = stage.trueup(*stage.run_argv())
    assert again.code == 0, again.said
    stage.the_checkout_is_untouched()
    stage.no_process_is_left()


def test_a_disk_that_an_agent_fills_up_costs_that_attempt_and_no_more(stage: Stage) -> None:
    step = stage.chaos / "step-1.sh"
    step.write_text(f"{step.read_text()}{FILL}")
    first = stage.start()
    assert first.error is not None or first.end.status is Status.UNVERIFIABLE
    assert first.error is None or first.error[0] == 4
    step.write_text(step.read_text().removesuffix(FILL))
    stage.the_checkout_is_untouched()
    stage.no_process_is_left()
    told = stage.resume()
    assert told.end.status is Status.PASSED
    assert len(told.charges) == stage.calls() == told.end.attempts
    assert told.end.usd == pytest.approx(sum(charge or 0.0 for charge in told.charges))
    stage.the_checkout_is_untouched()
    assert stage.branches() == {"refs/heads/trueup/work": 1}


@pytest.mark.parametrize("move", ["VerifyTree", "ProveTree"])
def test_a_disk_that_is_full_when_checks_run_ends_without_a_claim_and_the_work_is_kept(stage: Stage, move: str) -> None:
    """The room goes in the middle of the run, right before a move, and comes back before it is resumed."""
    first = stage.start(flood=(move, str(stage.state / "filler")))
    assert first.error is not None or first.end.status is Status.UNVERIFIABLE
    assert first.error is None or first.error[0] == 4
    paid = stage.calls()
    stage.the_checkout_is_untouched()
    free(stage)
    told = stage.resume()
    assert told.end.status is Status.PASSED
    assert len(told.charges) == stage.calls() == 2
    assert told.end.usd == pytest.approx(0.5)
    assert paid in {1, 2}
    stage.the_checkout_is_untouched()
    stage.no_process_is_left()
