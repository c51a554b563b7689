"""An own `.gitignore`, at the root and further down, hides what was planted: the start's rules decide."""

from collections.abc import Callable

from trueup.testing import Driven


def test_ignore_rules_of_the_agent_hide_nothing(
    attack: Callable[..., Driven], quick: tuple[str, ...], gone_back: Callable[[Driven], set[str]]
) -> None:
    hidden = {
        ".gitignore": "*\n!*.secret\n",
        "pkg/.gitignore": "*\n",
        "pkg/hidden.py": "hidden = 1\n",
        "conftest.py": "collect_ignore_glob = ['*']\n",
    }
    result = attack(hidden, check=quick, attempts=1)
    assert set(result.attempts[0].record.changed) == hidden.keys() - {"conftest.py"}
    assert gone_back(result) == {"conftest.py"}
