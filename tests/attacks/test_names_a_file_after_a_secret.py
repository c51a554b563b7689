"""Files are named after a secret: product files, folders, the agent's own tests."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from trueup.decide.outcome import Status
from trueup.testing import Driven


def test_a_name_that_is_a_secret_is_shown_nowhere(attack: Callable[..., Driven], secret: Any, fix: str) -> None:
    def leave(workspace: Path, _prompt: str) -> None:
        for name in (secret.key, f"new/{secret.token}", f"tests/test_{secret.key}.py"):
            (workspace / name).parent.mkdir(parents=True, exist_ok=True)
            (workspace / name).write_text("def test_it():\n    assert True\n")
        (workspace / "calc.py").write_text(fix)

    result = attack(leave, attempts=1)
    assert result.outcome.status is Status.BLOCKED
    assert sum("[redacted]" in path for path in result.attempts[0].record.changed) == 3
