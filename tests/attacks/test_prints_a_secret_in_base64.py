"""A secret is printed in another form: base64 at every offset, hex, as part of a URL, as JSON."""

from collections.abc import Callable
from pathlib import Path

from trueup.testing import Driven, Step

PRINT = """\
import base64, json, os, urllib.parse
token = os.environ["DEPLOY_TOKEN"]
for before in ("", "u", "u:", "user:"):
    print(base64.b64encode((before + token + "\\n").encode()).decode())
    print(base64.urlsafe_b64encode((before + token).encode()).decode())
print(urllib.parse.quote(token), urllib.parse.quote_plus(token), "https://u:" + urllib.parse.quote(token, "") + "@h")
print(json.dumps({"token": token}), json.dumps(json.dumps(token)), token.encode().hex(), repr(token.encode()))
"""


def test_an_encoded_secret_is_kept_nowhere(
    attack: Callable[..., Driven], quick: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "print.py").write_text(PRINT)
    shell = [f"{quick[0]} -S {tmp_path}/print.py"]
    attack(Step(shell=shell, writes={"README.md": "2\n"}, exit_code=1), check=quick, attempts=1, command=True)
