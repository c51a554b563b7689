"""What does a compiler or linter that has just complained say when it is asked for its machine format?

This file is not imported by trueup. The runner copies it into a folder of its own, beside a `diagnostics.json` and
small scripts that come first on the PATH under the names of the tools. Such a script runs the real tool as it was
called, with nothing in between; only when the exit code says that there is something to complain about is this program
started, and what it does is seen by nobody but trueup. Whatever is unusual leads to no answer, and the text has to do.
"""

# It has to start quickly: nothing but these modules, and the plain functions of `os`.
# ruff: noqa: PTH100, PTH104, PTH108, PTH109, PTH118, PTH120, PTH123, PTH202, S606

from __future__ import annotations

import json
import os
import re
import signal
import sys
from typing import Any

_LARGEST_ANSWER = 64 * 1024 * 1024
_PATIENCE = 20


def question(tool: dict[str, Any], words: list[str]) -> list[str] | None:
    """The user's words and ours; None when it is not to be asked."""
    leave = re.compile(tool["leave"])
    end = words.index("--") if "--" in words else len(words)
    if any(leave.fullmatch(word) for word in words[:end]):
        return None
    commands = tool["commands"]
    if commands is None:
        return [*tool["added"], *without_outputs(tool, words[:end]), *words[end:]]
    at = next((n for n, word in enumerate(words) if not word.startswith(("-", "+"))), None)
    if at is None or words[at] not in commands:
        return None
    return [*words[: at + 1], *commands[words[at]], *words[at + 1 :]]


def without_outputs(tool: dict[str, Any], words: list[str]) -> list[str]:
    """The words but for those that name a file to write."""
    alone, with_value = re.compile(tool["drop"]), re.compile(tool["drop_two"])
    kept, at = [], 0
    while at < len(words):
        if with_value.fullmatch(words[at]):
            at += 1
        elif not alone.fullmatch(words[at]):
            kept.append(words[at])
        at += 1
    return kept


def ask(argv: list[str], stream: int, answer: str, patience: float) -> int | None:
    """Run it where nobody sees it; its exit code, or None when it took too long."""
    target = os.open(answer, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    nothing = os.open(os.devnull, os.O_RDWR)
    child = os.fork()
    if not child:
        try:
            os.setpgid(0, 0)
            for number in (0, 1, 2):
                os.dup2(target if number == stream else nothing, number)
            os.execv(argv[0], argv)
        finally:
            os._exit(127)
    os.close(target)
    late: list[bool] = []

    def end(*_: object) -> None:
        late.append(True)
        for kill, number in ((os.killpg, signal.SIGKILL), (os.kill, signal.SIGKILL)):
            try:
                kill(child, number)
            except OSError:
                continue

    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    signal.setitimer(signal.ITIMER_REAL, patience)
    _, status = os.waitpid(child, 0)
    return None if late else os.waitstatus_to_exitcode(status)


def patience() -> float:
    """A tool that was quick may be asked; what took long is not made to take much longer."""
    try:
        with open(f"/proc/{os.getppid()}/stat", encoding="utf-8", errors="replace") as stat:
            began = int(stat.read().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        with open("/proc/uptime", encoding="utf-8") as uptime:
            return _PATIENCE + 2 * (float(uptime.read().split()[0]) - began)
    except (OSError, ValueError, IndexError):
        return _PATIENCE


def main(argv: list[str]) -> int:
    home = os.path.dirname(os.path.abspath(argv[0]))
    with open(os.path.join(home, "diagnostics.json"), encoding="utf-8") as file:
        told = json.load(file)
    program, code, words = argv[1], int(argv[2]), argv[3:]
    name, start = told["programs"][program]["tool"], [told["programs"][program]["real"]]
    if name is None:  # an interpreter: the tool is its module
        name = told["modules"].get(words[1]) if words[:1] == ["-m"] and len(words) > 1 else None
        start, words = [*start, *words[:2]], words[2:]
    tool = told["tools"].get(name)
    asked = question(tool, words) if tool and code in tool["codes"] else None
    if tool is None or asked is None:
        return 0
    for variable in told["without"]:
        os.environ.pop(variable, None)
    answer = os.path.join(told["answers"], f"{os.getpid()}-{os.urandom(4).hex()}")
    asked = [word.replace("{answers}", told["answers"]) if word in tool["added"] else word for word in asked]
    ended = ask([*start, *asked], tool["stream"], answer, patience())
    if ended == code and os.path.getsize(answer) <= _LARGEST_ANSWER:
        with open(answer, encoding="utf-8", errors="replace") as said:
            whole = {"tool": name, "ran": [program, *argv[3:]], "folder": os.getcwd(), "said": said.read()}
        with open(f"{answer}.part", "x", encoding="utf-8") as record:
            json.dump(whole, record)
        os.rename(f"{answer}.part", f"{answer}.json")
    os.unlink(answer)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
