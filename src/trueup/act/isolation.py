"""How does code run that nobody vouches for: a project's modules, the build of a package?

With bubblewrap it sees the system's programs, its interpreter and what it is given, may write only where it is told
to, and has no network unless somebody allows it. Where there is no bubblewrap it runs with the rights of the user,
and whoever starts it has to say so.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from trueup.act.process import Processes
from trueup.act.sandbox import Bubblewrap, View, Walls, find_bubblewrap
from trueup.errors import UsageError

_SYSTEM = frozenset({"bin", "dev", "lib", "lib32", "lib64", "libx32", "nix", "proc", "sbin", "sys", "usr"})
_ETC = (
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "timezone", "passwd", "group", "nsswitch.conf", "hosts",
    "host.conf", "protocols", "services", "mime.types", "os-release", "alternatives", "fonts", "ssl/certs",
    "ssl/openssl.cnf", "pki/tls/certs", "pki/ca-trust", "ca-certificates.conf", "java", "chromium", "chromium.d",
)  # fmt: skip
"""Of the system's settings only what programs need: there are passwords among the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolation:
    bubblewrap: Bubblewrap | None
    why_not: str = ""

    def __bool__(self) -> bool:
        return self.bubblewrap is not None

    def confine(
        self,
        processes: Processes,
        *,
        writable: Iterable[Path],
        readable: Iterable[Path | str] = (),
        network: bool = False,
    ) -> Processes:
        """The same processes, behind walls where there can be some."""
        if self.bubblewrap is None:
            return processes
        views = _nothing_but_the_system(network=network)
        views |= dict.fromkeys(map(os.path.realpath, readable), View.READABLE)
        views |= dict.fromkeys(map(os.path.realpath, writable), View.WRITABLE)
        return processes.confined(Walls(bubblewrap=self.bubblewrap, views=views, network=network))


def isolation(env: Mapping[str, str]) -> Isolation:
    """What there is on this machine; tried once in a process."""
    return _isolation(env.get("PATH", os.defpath))


@cache
def _isolation(path: str) -> Isolation:
    try:
        return Isolation(bubblewrap=find_bubblewrap({"PATH": path}))
    except UsageError as error:
        return Isolation(bubblewrap=None, why_not=error.why)


def _nothing_but_the_system(*, network: bool) -> dict[str, View]:
    views = {f"/{name}": View.PRIVATE for name in os.listdir("/") if _is_to_hide(name)}  # noqa: PTH208 - names
    shown = (*_ETC, *(("resolv.conf",) if network else ()))
    views |= {f"/etc/{name}": View.READABLE for name in shown if os.path.exists(f"/etc/{name}")}  # noqa: PTH110
    return views


def _is_to_hide(name: str) -> bool:
    place = f"/{name}"
    return name not in _SYSTEM and os.path.isdir(place) and not os.path.islink(place)  # noqa: PTH112, PTH114 - text


def plain_environment(home: Path, *, path: Iterable[str] = ()) -> dict[str, str]:
    """Variables for code that nobody vouches for: none of the user's."""
    folders = (home, home / "tmp", home / "cache")
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    return {
        "PATH": os.pathsep.join((*path, "/usr/local/bin", "/usr/bin", "/bin")),
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONUTF8": "1",
    }
