"""Everyday commands that fail, and more formats of tools that nobody knows. Written after the parsers were."""

# ruff: noqa: E501 - the programs are kept in one piece
from __future__ import annotations

from benchmarks.fingerprints_tools.program import Program, Tool

_COMMANDS = '#!/bin/sh\n¶\necho "step $$ begins at $(date +%H:%M:%S)"\n§\n'
_PRELUDE = """\
import datetime, os, random, sys, time
stamp = lambda: datetime.datetime.now().strftime("%b %d %H:%M:%S")
root = os.getcwd()
"""
_SYSLOG = (
    _PRELUDE
    + """
for n in range(random.randint(1, 4)): print(f"{stamp()} node{random.randint(1, 9)} shopd[{os.getpid()}]: request {n} served in {random.randint(1, 90)}ms")
print(f"{stamp()} node{random.randint(1, 9)} shopd[{os.getpid()}]: §")
sys.exit(1)
"""
)
_LOGFMT = (
    _PRELUDE
    + """
for n in range(random.randint(1, 4)): print(f'time={time.time()} level=info caller=main.go:{random.randint(10, 99)} msg="retry after error" n={n}')
print(f'time={time.time()} level=error caller=main.go:{random.randint(10, 99)} msg="§"')
sys.exit(1)
"""
)
_CHECKLIST = (
    _PRELUDE
    + """
steps = ["✔ configuration", "✔ network", "✖ storage: §", "✔ permissions"]
random.shuffle(steps)
print(f"doctor 2.{random.randint(0, 1) * 0} in {root}")
for step in steps: print(f"  {step}  {random.randint(1, 900)}ms")
print(f"3 of 4 checks passed in {random.randint(1, 9)}s")
sys.exit(1)
"""
)
_BLOCKS = (
    _PRELUDE
    + """
print("── plan ──────────────────────")
print(f"reading {root}/plan.txt")
print("── apply ─────────────────────")
print("Error: apply failed")
print()
print("  × §")
print(f"    ├─▶ while reading {root}/plan.txt")
print(f"    ╰─▶ at line {random.randint(3, 3) if len(sys.argv) < 9 else 4}")
print("  help: see the manual")
sys.exit(1)
"""
)
_XMLISH = (
    _PRELUDE
    + """
print(f'<run id="{random.getrandbits(64):x}" started="{datetime.datetime.now().isoformat()}">')
for n in random.sample(range(3), 3): print(f'  <check name="c{n}" time="{random.random():.3f}" state="{"failed" if n == 1 else "ok"}">{"§" if n == 1 else ""}</check>')
print("</run>")
sys.exit(1)
"""
)


def _script(name: str, text: str, faults: dict[str, str]) -> Tool:
    program = "sh" if text.startswith("#!") else "python3"
    return Tool(name=name, argv=(program, "tool"), programs={"tool": Program(files={"tool": text}, faults=faults)})


_FAULTS = {"one": "volume is read-only", "two": "volume is full", "three": "lease was lost to another node"}
TOOLS = (
    _script(
        "commands",
        _COMMANDS,
        {
            "git": "git log",
            "git_option": "git log --no-such-option",
            "tar": "tar xf absent.tar",
            "tar_other": "tar xf other.tar",
            "ls": "ls absent.txt",
            "cp": "cp absent.txt there.txt",
            "grep": "grep -E '(' tool",
            "sed": "sed 'z z' tool",
            "awk": "awk 'BEGIN { x( }'",
            "curl": "curl -sS http://127.0.0.1:9/",
            "python": "python3 absent.py",
            "python_module": "python3 -m absent_module",
            "node": "node absent.js",
            "java": "java Absent",
            "docker": "docker ps",
            "mkdir": "mkdir a/b/c",
            "kill": "kill -9 $$",
            "timeout": "timeout 0.1 sleep 5; echo 'the step took too long' >&2; exit 124",
            "permission": "chmod 000 tool; ./tool",
            "perl": "perl absent.pl",
        },
    ),
    _script("held out: syslog", _SYSLOG, _FAULTS),
    _script("held out: logfmt", _LOGFMT, _FAULTS),
    _script("held out: checklist", _CHECKLIST, _FAULTS),
    _script("held out: cause tree", _BLOCKS, _FAULTS),
    _script("held out: XML-like", _XMLISH, _FAULTS),
)
