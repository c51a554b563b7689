"""The Makefile behind the check is rewritten, one that make prefers is added, and a file that it includes."""

from collections.abc import Callable
from pathlib import Path

from trueup.decide.state import Class
from trueup.testing import Driven, commit_all, write_files

GREEN = "test:\n\t@true\n"


def test_what_make_reads_is_the_start_s(
    attack: Callable[..., Driven], quick: tuple[str, ...], gone_back: Callable[[Driven], set[str]], project: Path
) -> None:
    write_files(
        project,
        {
            "Makefile": f"-include local.mk rules/*.mak\ntest: deps\n\t{' '.join(quick)}\ndeps:\n\t@sh deps.sh\n",
            "deps.sh": ":\n",
        },
    )
    commit_all(project, "a Makefile")
    planted = {
        "Makefile": GREEN,
        "GNUmakefile": GREEN,
        "makefile": GREEN,
        "local.mk": "SHELL = /bin/true\n",
        "rules/a.mak": "SHELL = /bin/true\n",
        "deps.sh": "kill $PPID\n",
    }
    result = attack(planted, check="make -s test", attempts=1)
    assert gone_back(result) == planted.keys()
    assert result.classes == [Class.NO_OP]
