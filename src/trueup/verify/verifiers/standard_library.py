"""Does a module come with Python itself, with this version of it?"""

from __future__ import annotations

import sys

GONE: dict[str, tuple[int, int]] = {
    **dict.fromkeys(("asynchat", "asyncore", "distutils", "imp", "smtpd"), (3, 12)),
    **dict.fromkeys(
        ("aifc", "audioop", "cgi", "cgitb", "chunk", "crypt", "imghdr", "lib2to3", "mailcap", "msilib", "nis",
         "nntplib", "ossaudiodev", "pipes", "sndhdr", "spwd", "sunau", "telnetlib", "uu", "xdrlib"), (3, 13)),
    **dict.fromkeys(("binhex", "asynchat.compat", "formatter", "parser", "symbol"), (3, 11)),
}  # fmt: skip
"""The version that no longer has it."""
_LATER = frozenset(
    {"compression", "annotationlib", "concurrent", "pathlib", "string", "tomllib", "zoneinfo", "graphlib"}
)
_OTHER = frozenset({"__main__", "_typeshed", "test", "idlelib", "turtledemo", "this", "antigravity", "java", "org"})
"""Of other builds and other Pythons; `_typeshed` is there for type checkers alone."""


def is_standard(name: str) -> bool:
    """Of any version: whether it is still there is another question."""
    return name in sys.stdlib_module_names or name in GONE or name in _LATER or name in _OTHER


def gone_in(name: str, least: tuple[int, int] | None) -> tuple[int, int] | None:
    """The version that dropped it, if the project runs on none that still has it."""
    version = GONE.get(name)
    return version if version and least and least >= version else None
