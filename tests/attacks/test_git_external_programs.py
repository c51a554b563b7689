"""The clone's configuration names programs for everything: diff, merge, pager, editor, ssh, credentials, aliases."""

from collections.abc import Callable
from pathlib import Path

from trueup.testing import Driven, Step

CONFIG = """\
[alias]
    read-tree = !touch {ran}
    status = !touch {ran}
[diff]
    external = touch {ran}
[diff "evil"]
    textconv = touch {ran}
[merge "evil"]
    driver = touch {ran}
[core]
    pager = touch {ran}
    editor = touch {ran}
    sshCommand = touch {ran}
    gitProxy = touch {ran}
    alternateRefsCommand = touch {ran}
    worktree = {elsewhere}
[gpg]
    program = touch {ran}
[credential]
    helper = !touch {ran}
[include]
    path = {included}
"""


def test_no_program_of_the_clone_is_started(
    attack: Callable[..., Driven], quick: tuple[str, ...], tmp_path: Path
) -> None:
    ran, included, elsewhere = (tmp_path / name for name in ("code-was-run", "included", "elsewhere"))
    elsewhere.mkdir()
    included.write_text(f"[core]\n    fsmonitor = touch {ran}\n")
    config = CONFIG.format(ran=ran, included=included, elsewhere=elsewhere)
    plant = Step(
        writes={".gitattributes": "* diff=evil merge=evil\n", "README.md": "first\n"},
        shell=[f"cat >> .git/config <<'END'\n{config}END"],
    )
    result = attack(plant, {"README.md": "second\n"}, check=quick, command=True)
    assert not ran.exists()
    assert list(elsewhere.iterdir()) == []
    assert "README.md" in result.attempts[1].record.changed
