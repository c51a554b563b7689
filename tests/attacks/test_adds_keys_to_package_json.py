"""The test script in `package.json` is changed, and scripts that run before and after it are added."""

import json
from collections.abc import Callable
from pathlib import Path

from trueup.testing import Driven, commit_all, write_files


def manifest(**scripts: str) -> str:
    return json.dumps({"name": "calc", "version": "1.0.0", "scripts": scripts}, indent=2) + "\n"


def test_scripts_go_back_and_the_check_is_the_one_it_was(
    attack: Callable[..., Driven], quick: tuple[str, ...], gone_back: Callable[[Driven], set[str]], project: Path
) -> None:
    line = " ".join(quick)
    write_files(project, {"package.json": manifest(test=line), "sub/package.json": manifest(test=line)})
    commit_all(project, "a manifest")
    planted = {
        "package.json": manifest(pretest="true", test=f"{line} || true", posttest="exit 0"),
        "sub/package.json": manifest(test="exit 0"),
        ".npmrc": "script-shell=/bin/true\nignore-scripts=true\n",
    }
    result = attack(planted, check=quick, attempts=1, environ={"npm_config_update_notifier": "false"})
    assert gone_back(result) == planted.keys()
    assert result.outcome.fixed == ()
