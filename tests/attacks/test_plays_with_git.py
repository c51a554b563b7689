"""Git tricks in the agent's clone: replaced objects, hooks, filters, fsmonitor, a foreign .git, vanished references."""

from collections.abc import Callable
from pathlib import Path

from trueup.decide.outcome import Status
from trueup.testing import Driven, Step

RIGHT = "def add(a, b):\\n    return a + b\\n"


def test_git_tricks_run_no_code_of_theirs_and_hide_nothing(
    attack: Callable[..., Driven], quick: tuple[str, ...], tmp_path: Path
) -> None:
    proof = tmp_path / "code-was-run"
    config = (
        f"[core]\\nhooksPath = {tmp_path}/hooks\\nfsmonitor = touch {proof}\\n"
        f'[filter "evil"]\\nclean = touch {proof}\\nsmudge = touch {proof}\\nrequired = true\\n'
        f"[diff]\\nexternal = touch {proof}\\n[alias]\\nread-tree = !touch {proof}\\n"
    )
    hook = f"#!/bin/sh\\ntouch {proof}\\n"
    tricks = Step(
        shell=[
            f"git replace $(git rev-parse HEAD:calc.py) $(printf '{RIGHT}' | git hash-object -w --stdin)",
            "git commit --quiet --allow-empty -m tricks && git update-ref -d refs/heads/main",
            "git reflog expire --expire=now --all; git gc --quiet --prune=now",
            f"mkdir -p {tmp_path}/hooks .git/hooks .git/info",
            f"for h in post-checkout post-index-change reference-transaction; do printf '{hook}' > {tmp_path}/hooks/$h; done",
            f"chmod +x {tmp_path}/hooks/*; cp {tmp_path}/hooks/* .git/hooks/",
            "echo '* filter=evil' > .git/info/attributes; echo '* filter=evil ident' > .gitattributes",
            "echo '*.txt' >> .git/info/exclude; echo '*.txt' >> .gitignore; echo hidden > hidden.txt",
            f"printf '{config}' >> .git/config",
        ]
    )
    foreign = Step(shell=[f"rm -rf .git; ln -s {tmp_path}/calc/.git .git; echo more > more.txt"])
    result = attack(tricks, foreign, {"README.md": "third\n"}, check=quick, attempts=3, command=True)
    assert not proof.exists()
    assert "hidden.txt" in result.attempts[0].record.changed
    assert "more.txt" in result.attempts[1].record.changed
    assert result.outcome.status is Status.OUT_OF_BUDGET
    assert result.outcome.fixed == ()
