"""Everything that trueup keeps is deleted while the run goes on: its journal, its store, its copies, all of it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.errors import UnverifiableError
from trueup.testing import Driven


@pytest.mark.parametrize("what", ["journal.db*", "store.git", "runs", "*"])
@pytest.mark.usefixtures("unchanged")
def test_a_run_that_lost_its_memory_claims_nothing(
    what: str, attack: Callable[..., Driven], quick: tuple[str, ...], tmp_path: Path, fix: str
) -> None:
    def delete(workspace: Path, _prompt: str) -> None:
        (workspace / "calc.py").write_text(fix)
        for found in list(tmp_path.glob(f"state/trueup/*/{what}")):
            if found.is_dir():
                shutil.rmtree(found)
            else:
                found.unlink()

    if what in {"store.git", "runs"}:
        assert attack(delete, check=quick).outcome.fixed == ()
    else:
        with pytest.raises(UnverifiableError, match="removed or replaced"):
            attack(delete, check=quick)
