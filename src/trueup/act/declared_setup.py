"""What do `setup.cfg` and `setup.py` declare? Read, never run."""

from __future__ import annotations

import ast
import configparser
import contextlib
from typing import Any

Found = tuple[list[str], dict[str, list[str]], str, bool]
"""For running, by extra, versions of Python, whether it has a name."""


def setup_cfg(text: str) -> Found:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return [], {}, "", False
    options = parser["options"] if parser.has_section("options") else {}
    extras = dict(parser["options.extras_require"]) if parser.has_section("options.extras_require") else {}
    return (
        _list(options.get("install_requires", "")),
        {name: _list(value) for name, value in extras.items()},
        options.get("python_requires", "").strip(),
        parser.has_option("metadata", "name"),
    )


def _list(value: str) -> list[str]:
    """`file: requirements.txt` is no list; that file is read as what it is."""
    if value.strip().startswith(("file:", "attr:")):
        return []
    lines = (line.split(" #")[0].strip() for line in value.replace(";\n", "\n").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def setup_py(module: ast.Module | SyntaxError | None) -> Found:
    """What is written as text in the call; what has to be computed is not known."""
    if not isinstance(module, ast.Module):
        return [], {}, "", False
    values = {
        target.id: value
        for node in ast.walk(module)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and (value := _literal(node.value, {})) is not None
    }
    calls = (n for n in ast.walk(module) if isinstance(n, ast.Call) and _called(n.func) == "setup")
    call = next(calls, None)
    if call is None:
        return [], {}, "", False
    said = {keyword.arg: _literal(keyword.value, values) for keyword in call.keywords if keyword.arg}
    extras = said.get("extras_require")
    return (
        _strings(said.get("install_requires")),
        {str(k): _strings(v) for k, v in extras.items()} if isinstance(extras, dict) else {},
        str(said.get("python_requires") or ""),
        "name" in said,
    )


def console_scripts(text: str, module: ast.Module | SyntaxError | None) -> list[tuple[str, str]]:
    """Names and what they start, of either file; `module` is that of a `setup.py`."""
    lines: list[str] = []
    if isinstance(module, ast.Module):
        calls = (n for n in ast.walk(module) if isinstance(n, ast.Call) and _called(n.func) == "setup")
        given = (k.value for call in calls for k in call.keywords if k.arg == "entry_points")
        for value in (_literal(node, {}) for node in given):
            if isinstance(value, dict):
                lines += _strings(value.get("console_scripts"))
    else:
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        with contextlib.suppress(configparser.Error):
            parser.read_string(text)
            lines += _list(parser.get("options.entry_points", "console_scripts", fallback=""))
    pairs = (line.partition("=")[::2] for line in lines if "=" in line)
    return [(name.strip(), entry.strip()) for name, entry in pairs]


def _called(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _literal(node: ast.expr, values: dict[str, Any]) -> Any:
    if isinstance(node, ast.Name):
        return values.get(node.id)
    with contextlib.suppress(ValueError, TypeError, RecursionError, MemoryError, SyntaxError):
        return ast.literal_eval(node)
    return None


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return _list(value)
    return [one for one in value if isinstance(one, str)] if isinstance(value, list | tuple) else []
