"""Which Python is a project written for, and do we understand it?"""

from __future__ import annotations

import re
import sys

from trueup.act.manifests import load_toml
from trueup.act.source_files import SourceFiles

_OLDER = re.compile(
    r"Missing parentheses in call to '(?:print|exec)'|multiple exception types must be parenthesized"
    r"|leading zeros in decimal integer|invalid decimal literal|inconsistent use of tabs|repr"
)
_SAME_QUOTES = re.compile(r"""f(["'])[^{]*\{[^}]*\1[^}]*(?:\1|$)""")
_GENERIC = re.compile(r"\s*(?:(?:async )?def|class) \w+\[|\s*type \w+(?:\[.*\])? *=")
_TEMPLATE = re.compile(r"""\bt(["'])""")
_LEAST = re.compile(r"(?:>=?|~=|==|\^)\s*(\d+)\.(\d+)")


def least_python(files: SourceFiles) -> tuple[int, int] | None:
    """The oldest one that the project says it runs on; None when it does not say."""
    project = load_toml(files.content("pyproject.toml") or b"") or {}
    said = _text(project, "project", "requires-python") or _text(project, "tool", "poetry", "dependencies", "python")
    said = said or (files.text(".python-version") or "").strip() or _from_setup(files)
    found = _LEAST.search(said) or re.fullmatch(r"(\d+)\.(\d+)(?:\.\d+)?", said)
    return (int(found[1]), int(found[2])) if found else None


def newer_than_ours(files: SourceFiles) -> bool:
    """What this interpreter refuses may be right there."""
    least = least_python(files)
    return least is not None and least > sys.version_info[:2]


def may_be_python_2(files: SourceFiles) -> bool:
    """It speaks of Python 2, or is packaged and does not say that it needs 3."""
    manifests = [files.text(name) or "" for name in ("setup.py", "setup.cfg", "PKG-INFO", "pyproject.toml")]
    if any(re.search(r"Python :: 2|Requires-Python: *(?:>=)?2|python_requires\W+2", text) for text in manifests):
        return True
    packaged = any("Programming Language :: Python" in text for text in manifests)
    return packaged and least_python(files) is None


def is_python_2(message: str) -> bool:
    """What only the older Python understands."""
    return bool(_OLDER.search(message))


def is_newer_python(message: str, source_line: str) -> bool:
    """What a later Python than ours understands: it is judged there, not here."""
    if sys.version_info >= (3, 12):
        return bool(_TEMPLATE.search(source_line)) and sys.version_info < (3, 14)
    if "f-string" in message:
        return "cannot include" in message or bool(_SAME_QUOTES.search(source_line))
    return bool(_GENERIC.match(source_line) or _TEMPLATE.search(source_line))


def _text(table: object, *keys: str) -> str:
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table if isinstance(table, str) else ""


def _from_setup(files: SourceFiles) -> str:
    for name in ("setup.cfg", "setup.py"):
        found = re.search(r"python_requires\s*=\s*['\"]?([^'\"\n,#]+)", files.text(name) or "")
        if found:
            return found[1]
    return ""
