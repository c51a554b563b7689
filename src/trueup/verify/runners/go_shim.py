"""What did each Go test do? Asked by a stand-in for the `go` program that shows exactly what the user asked to see.

This file is not imported by trueup. The go runner writes it as `go`, with a first line that names the interpreter, into
a folder of its own that comes first on the PATH, beside a `go_shim.json`. It uses the standard library only, without
`site`. `go test` is run with `-json`; the events are kept, and the text that they hold is printed as plain `go test`
would have printed it; who asks for `-json` gets the events. Every other command, and whatever it does not know, is
handed to the real program unchanged.
"""

# It has to start quickly: nothing but these modules, and the plain functions of `os`.
# ruff: noqa: PTH118, PTH120, PTH123, S606

from __future__ import annotations

import json
import os
import re
import signal
import sys
from typing import Any

_NO_VALUE = frozenset(
    (
        *("a", "asan", "benchmem", "buildvcs", "c", "cover", "failfast", "fullpath", "h", "help", "i", "json"),
        *("linkshared", "modcacherw", "msan", "n", "race", "short", "trimpath", "v", "work", "x"),
    )
)
"""Flags that stand alone; all others take the next word unless they hold a `=`."""
_NOT_A_RUN = frozenset(("bench", "c", "fuzz", "h", "help", "list", "n"))
"""What these print is not the text of test results."""
_RESULT = re.compile(r"((?: {4})*)--- (PASS|FAIL|SKIP|BENCH): (\S+) \(")
_LOGGED = re.compile(r" {4}\S[^:\n]*\.go:\d+: ")
_TEST_NAME = re.compile(r"(?:Test|Fuzz|Example)\w*$")


class Words:
    """The arguments of `go test`, as far as they matter here."""

    def __init__(self, words: list[str]) -> None:
        self.flags: dict[str, str] = {}
        self.packages: list[str] = []
        at = 0
        while at < len(words) and words[at] not in ("-args", "--args"):
            at += self._take(words, at)

    def _take(self, words: list[str], at: int) -> int:
        word = words[at]
        if not word.startswith("-") or word == "-":
            self.packages.append(word)
            return 1
        name, equals, value = word.lstrip("-").partition("=")
        name = name.removeprefix("test.")
        alone = bool(equals) or name in _NO_VALUE
        self.flags[name] = value if equals else "true" if alone else "".join(words[at + 1 : at + 2])
        return 1 if alone else 2

    def has(self, name: str) -> bool:
        return self.flags.get(name, "false").lower() not in ("false", "0", "f")


class Screen:
    """Prints what plain `go test` would print. Without `-v` that is much less than the events hold."""

    def __init__(self, words: Words, write: Any) -> None:
        self.verbose = words.has("v")
        self.events = words.has("json")
        self.listed = bool(words.packages) and not self.events
        self.failed = False
        self._write = write
        self._waiting: dict[str, list[dict[str, Any]]] = {}

    def show(self, line: bytes) -> None:
        event = event_of(line)
        if event is None or self.events:
            self._write(1, line)
        elif event.get("Action") == "build-output":
            self._write(2, _bytes(event.get("Output")))
        elif self.verbose:
            self._write(1, _bytes(event.get("Output")))
            self.failed = self.failed or _is_end(event, "fail")
        else:
            self._gather(event)

    def _gather(self, event: dict[str, Any]) -> None:
        package = str(event.get("Package", ""))
        self._waiting.setdefault(package, []).append(event)
        if not event.get("Test") and event.get("Action") in ("pass", "fail", "skip"):
            self.failed = self.failed or event["Action"] == "fail"
            self._print(self._waiting.pop(package), event["Action"])

    def _print(self, events: list[dict[str, Any]], ended: str) -> None:
        own = [e for e in events if e.get("Output") and not e.get("Test")]
        if ended == "pass" and self.listed:
            said = [e["Output"] for e in own if e["Output"].startswith(("ok  \t", "?   \t"))]
        else:
            said = list(_Package(events).lines())
        self._write(1, _bytes("".join(said)))

    def close(self) -> None:
        """What was under way when the end came; and the last line of a list of packages."""
        for events in self._waiting.values():
            self._print(events, "fail")
        if self.listed and self.failed:
            self._write(1, b"FAIL\n")


class _Package:
    """The output of one test program: what tests log is shown below their result, and only when they failed."""

    def __init__(self, events: list[dict[str, Any]]) -> None:
        self.events = events
        self.logs: dict[str, list[str]] = {}
        self.results: dict[str, str] = {}
        self.logging = ""

    def lines(self) -> Any:
        for event in self.events:
            test, text = str(event.get("Test", "")), str(event.get("Output", ""))
            if test and text:
                printed = self._printed(test, text)
                if printed:
                    yield printed
            elif text:
                yield from self._reports()  # the end of the program: "FAIL", "exit status 1", "FAIL\tpackage"
                yield text
            elif test and "/" not in test:
                yield from self._reports()
        yield from self._reports()

    def _printed(self, test: str, text: str) -> str:
        """What the test itself wrote; what it logged is kept, and the marks of `-v` are dropped."""
        text = text.lstrip("\x16")
        result = _RESULT.search(text)
        if text.startswith("=== "):
            return ""
        if result and result[3] == test:
            self.results[test] = text[result.start() :]
            return text[: result.start()]
        if _LOGGED.match(text) or (self.logging == test and text.startswith("        ")):
            self.logging = test
            self.logs.setdefault(test, []).append(text)
            return ""
        self.logging = ""
        return text

    def _reports(self) -> Any:
        top = [test for test in self.results if "/" not in test]
        for test in top:
            yield from self._report(test)

    def _report(self, test: str) -> Any:
        result = self.results.pop(test)
        depth = test.count("/")
        if "--- FAIL: " in result:
            yield "    " * depth + result.lstrip(" ")
            for line in self.logs.pop(test, ()):
                yield "    " * depth + line
        for inner in [name for name in self.results if name.rpartition("/")[0] == test]:
            yield from self._report(inner)


def event_of(line: bytes) -> dict[str, Any] | None:
    if not line.startswith(b"{"):
        return None
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and "Action" in event else None


def _is_end(event: dict[str, Any], action: str) -> bool:
    return event.get("Action") == action and not event.get("Test")


def _bytes(text: object) -> bytes:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else b""


def arguments(words: Words, given: list[str], told: dict[str, Any]) -> list[str]:
    """What is added goes first: the user's own flags come later and win, except for what was selected."""
    added = ["-json"]
    if "count" not in words.flags:
        added.append("-count=1")  # a result from go's cache is no look at this tree
    if told["overlay"] and "overlay" not in words.flags:
        added.append("-overlay=" + told["overlay"])
    names = {name for name in told["names"] if _TEST_NAME.match(name)}
    if told["keep_going"]:
        given = [word for word in given if word.lstrip("-").partition("=")[0] not in ("failfast", "test.failfast")]
    if not names:
        return [*added, *given]
    at = next((n for n, word in enumerate(given) if word in ("-args", "--args")), len(given))
    chosen = "-run=^(" + "|".join(sorted(names)) + ")$"
    return [*added, *given[:at], chosen, *given[at:]]


def run(real: str, argv: list[str], take: Any) -> int:
    """Start it, hand over each line of its output, and return how it ended."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(writing, 1)
        os.close(reading)
        os.close(writing)
        os.execv(real, argv)
    os.close(writing)
    for number in (signal.SIGINT, signal.SIGTERM):  # the child has them as well, or gets them from here
        signal.signal(number, lambda number, _: os.kill(child, number))
    with os.fdopen(reading, "rb") as lines:
        for line in lines:
            take(line)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


def hide(others: dict[str, str]) -> None:
    """What the tests start must not be heard as if the check had started it."""
    for name, ours in others.items():
        now = os.environ.get(name, "")
        part = next((text for text in (ours + os.pathsep, " " + ours, ours) if text in now), None)
        if part is not None:
            os.environ[name] = now.replace(part, "", 1)
            if not os.environ[name]:
                del os.environ[name]


def _write_all(target: int, content: bytes) -> None:
    while content:
        content = content[os.write(target, content) :]


def main(argv: list[str]) -> int:
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and what it starts would, too
        signal.signal(number, signal.SIG_DFL)
    with open(os.path.join(os.path.dirname(argv[0]), "go_shim.json"), encoding="utf-8") as file:
        told = json.load(file)
    real, given = told["go"], argv[1:]
    entries = os.environ.get("PATH", "").split(os.pathsep)
    os.environ["PATH"] = os.pathsep.join(part for part in entries if part != told["home"])  # tests find the real one
    at = 2 if given[:1] == ["-C"] else 0
    words = Words(given[at + 1 :])
    if given[at : at + 1] == ["test"]:
        hide(told["others"])
    if given[at : at + 1] != ["test"] or any(words.has(name) for name in _NOT_A_RUN):
        os.execv(real, ["go", *given])
    name = f"{os.getpid()}-{os.urandom(4).hex()}.jsonl"
    events = os.open(os.path.join(told["events"], name), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    screen = Screen(words, _write_all)

    def take(line: bytes) -> None:
        _write_all(events, line)
        screen.show(line)

    _write_all(events, b'{"Action":"trueup-start"}\n')
    code = run(real, ["go", *given[:at], "test", *arguments(words, given[at + 1 :], told)], take)
    screen.close()
    _write_all(events, b'{"Action":"trueup-end"}\n')
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv))
