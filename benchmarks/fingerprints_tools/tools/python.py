"""Programs that Python's linters, type checkers and formatters complain about."""

from __future__ import annotations

from benchmarks.fingerprints_tools.program import Program, Tool

_CART = """\
\"\"\"A cart.\"\"\"

from dataclasses import dataclass

¶


@dataclass
class Item:
    \"\"\"One item.\"\"\"

    name: str
    price: int


def total(items: list[Item]) -> int:
    \"\"\"All prices.\"\"\"
    result = 0
    for item in items:
        result += item.price
    §
    return result
"""
_FILES = {"shop/__init__.py": '"""A shop."""\n', "shop/cart.py": _CART}
_TYPES = {
    "assign": 'result = "three"',
    "assign_other": "label: str = result",
    "attribute": "result += items[0].weight",
    "attribute_other": "result += items[0].size",
    "argument": "total(3)",
    "name": "result += discount",
    "nested": "table: dict[str, list[int]] = {1: ['x']}",
    "syntax": "result +=",
}
_LINT = {
    "unused": "left = 3",
    "unused_other": "right = 3",
    "name": "result += discount",
    "compare": "if result == None: result = 1",
    "syntax": "result +=",
}


def _tool(name: str, argv: tuple[str, ...], faults: dict[str, str], **more: object) -> Tool:
    return Tool(name=name, argv=argv, programs={"cart": Program(files=_FILES, faults=faults)}, **more)  # type: ignore[arg-type] # keywords of Tool


TOOLS = (
    _tool(
        "mypy",
        ("mypy", "--strict", "--cache-dir=/dev/null", "{files}"),
        _TYPES,
        colour=("--pretty",),
        forms={
            "column": ("--show-column-numbers", "--show-error-end"),
            "context": ("--show-error-context",),
            "bare": ("--no-error-summary",),
        },
        env={"MYPY_FORCE_COLOR": "1", "TERM": "xterm-256color"},
    ),
    _tool("pyright", ("pyright", "{files}"), _TYPES),
    _tool(
        "flake8",
        ("flake8", "--max-line-length=120", "{files}"),
        _LINT,
        colour=("--color=always",),
        forms={"source": ("--show-source",)},
    ),
    _tool(
        "pylint",
        ("pylint", "--disable=all", "--enable=E,W,C0121", "{files}"),
        _LINT,
        forms={"colour": ("--output-format=colorized",)},
    ),
    _tool(
        "ruff",
        ("ruff", "check", "--no-cache", "--isolated", "--select", "E,F,W", "{files}"),
        _LINT,
        forms={"concise": ("--output-format=concise",)},
    ),
    _tool(
        "ruff format --check",
        ("ruff", "format", "--check", "--no-cache", "--isolated", "{files}"),
        {"style": "result  = 1", "syntax": "result +="},
    ),
    Tool(
        name="black --check",
        argv=("black", "--check", "{files}"),
        colour=("--color",),
        programs={
            "cart": Program(
                files={"a.py": "¶\nx = 1\n§\n", "b.py": "y  = 1\n"}, faults={"style": "z  = 1", "syntax": "z = = 1"}
            ),
            "one": Program(files={"a.py": "¶\nx = 1\n§\n", "b.py": "y = 1\n"}, faults={"style": "z  = 1"}),
        },
    ),
    Tool(
        name="isort --check",
        argv=("isort", "--check", "{files}"),
        programs={
            "cart": Program(
                files={"a.py": "import sys\nimport os\n¶\n§\n", "b.py": "import os\n"}, faults={"order": "x = 1"}
            ),
            "both": Program(
                files={"a.py": "import sys\nimport os\n¶\n§\n", "b.py": "import sys\nimport os\n"},
                faults={"order": "x = 1"},
            ),
        },
    ),
    Tool(
        name="bandit",
        argv=("bandit", "-q", "{files}"),
        programs={
            "cart": Program(
                files={"a.py": "import subprocess\n¶\n\ndef run(x):\n    §\n    return x\n"},
                faults={
                    "eval": "eval(x)",
                    "shell": "subprocess.call(x, shell=True)",
                    "assert": "assert x",
                    "password": 'password = "hunter2"',
                },
            )
        },
    ),
)
