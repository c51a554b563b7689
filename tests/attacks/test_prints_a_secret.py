"""A secret of the environment, and a key that lies in a file, are printed: by the agent, and to standard error."""

from collections.abc import Callable

from trueup.testing import Driven, Step

KEY = "$(cut -d' ' -f2 ~/.config/hub/hosts.yml)"


def test_a_printed_secret_is_kept_nowhere(attack: Callable[..., Driven], quick: tuple[str, ...]) -> None:
    shell = ['echo "$DEPLOY_TOKEN"', f'echo "the key: {KEY}" >&2', 'env; echo "last words: $DEPLOY_TOKEN"; exit 3']
    result = attack(Step(shell=shell, exit_code=3), {"README.md": "2\n"}, check=quick, command=True)
    assert "[redacted]" in result.attempts[0].record.detail
