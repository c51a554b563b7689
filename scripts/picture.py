"""Makes docs/terminal.svg from a real run of the demo's first story: run it whenever the screens change."""

import io
import os
import sys
import tempfile
from pathlib import Path

from rich.console import Console as Rich
from rich.text import Text

from trueup.cli.demo_stories import STORIES, demo_environment, tell
from trueup.report.console import Console

WIDTH = 104
COMMAND = "$ trueup run 'the bulk discount is wrong' --agent-cmd '…' --check 'python -m pytest -q' --max-usd 2"


def main() -> None:
    screen = io.StringIO()
    with tempfile.TemporaryDirectory(prefix="picture-") as folder:
        environ = demo_environment({**os.environ, "HOME": folder}, Path(folder) / "state")
        tell(STORIES[0], Path(folder), environ, Console(screen, terminal=False, width=WIDTH, environ=environ))
    rich = Rich(record=True, width=WIDTH, file=io.StringIO())
    rich.print(Text(COMMAND, style="bold"))
    for line in screen.getvalue().replace(sys.executable, "python").splitlines():
        rich.print(Text(line, style="bold green" if line.startswith("passed") else ""))
    picture = rich.export_svg(title="trueup").replace("<text ", '<text xml:space="preserve" ')
    Path("docs/terminal.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
