"""Which package index does this machine use? As pip is configured; uv, which does not read that, is told the same."""

from __future__ import annotations

import configparser
import hashlib
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

_SECTIONS = ("global", "install", "download")
_URL = re.compile(r"\b(?:https?|file|ftp)://[^\s'\"<>)]+", re.IGNORECASE)
_PASSED_ON = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy",
              "all_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")  # fmt: skip
_PLAIN = re.compile(r"(?:UV_(?:DEFAULT_INDEX|INDEX|INDEX_URL|EXTRA_INDEX_URL|FIND_LINKS|NATIVE_TLS|SYSTEM_CERTS"
                    r"|INSECURE_HOST|INDEX_STRATEGY|HTTP_TIMEOUT))$")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """Where packages come from. Addresses may hold credentials: they go to the installer's variables, nowhere else."""

    url: str = ""
    extra: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    none: bool = False
    certificates: str = ""
    files: tuple[str, ...] = ()
    """pip's configuration files that are there."""
    passed_on: tuple[tuple[str, str], ...] = ()
    for_uv: tuple[tuple[str, str], ...] = ()
    """What the user told uv itself goes before what pip is told."""

    @property
    def key(self) -> str:
        """The same for the same index; says nothing about it."""
        told = (self.url, self.extra, self.links, self.none, self.for_uv)
        return hashlib.sha256(repr(told).encode()).hexdigest()[:16]

    def uv_variables(self) -> dict[str, str]:
        told = dict(self.for_uv)
        indexed = {"UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL"} & told.keys()
        if not indexed:
            told |= {"UV_DEFAULT_INDEX": self.url} if self.url else {}
            told |= {"UV_INDEX": " ".join(self.extra)} if self.extra else {}
            told |= {"UV_INDEX_STRATEGY": "unsafe-best-match"} if self.extra else {}  # as pip does
        if self.links:
            told.setdefault("UV_FIND_LINKS", ",".join(self.links))
        if self.certificates:
            told.setdefault("SSL_CERT_FILE", self.certificates)
        return dict(self.passed_on) | told

    def pip_variables(self) -> dict[str, str]:
        """Everything said in variables, so that pip reads no file of its own."""
        told = {"PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
        told |= {"PIP_INDEX_URL": self.url} if self.url else {}
        told |= {"PIP_EXTRA_INDEX_URL": " ".join(self.extra)} if self.extra else {}
        told |= {"PIP_FIND_LINKS": " ".join(self.links)} if self.links else {}
        told |= {"PIP_NO_INDEX": "1"} if self.none else {}
        told |= {"PIP_CERT": self.certificates} if self.certificates else {}
        return dict(self.passed_on) | told

    def unnamed(self, text: str) -> str:
        """Without the names of the machines that it lies on, which installers also tell outside of addresses."""
        told = (self.url, *self.extra, *self.links, *(value for _, value in self.for_uv))
        hosts = {urlsplit(word).hostname for entry in told for word in entry.split() if "://" in word}
        for host in sorted(filter(None, hosts), key=len, reverse=True):
            text = re.sub(re.escape(host), "the package index", text, flags=re.IGNORECASE)
        return text

    def local_folders(self) -> tuple[str, ...]:
        """Places on the disk that the installer reads."""
        every = (self.url, *self.extra, *self.links, self.certificates)
        places = (entry.removeprefix("file://").rstrip("/") for entry in every)
        return tuple(place.removesuffix("/simple") for place in places if place.startswith("/"))  # its files lie beside


def index_of(env: Mapping[str, str]) -> Index:
    """What pip would use with these variables."""
    files = tuple(str(path) for path in _files(env) if path.is_file())
    told: dict[str, str] = {}
    for file in files:
        told |= _settings(file)
    told |= {name[4:].lower().replace("_", "-"): value for name, value in env.items() if name.startswith("PIP_")}
    return Index(
        url=told.get("index-url", ""),
        extra=tuple(told.get("extra-index-url", "").split()),
        links=tuple(dict.fromkeys(told.get("find-links", "").split())),
        none=told.get("no-index", "").lower() in {"1", "true", "yes", "on"},
        certificates=told.get("cert", ""),
        files=files,
        passed_on=tuple((name, env[name]) for name in _PASSED_ON if env.get(name)),
        for_uv=tuple(sorted((name, value) for name, value in env.items() if value and _PLAIN.match(name))),
    )


def without_addresses(text: str) -> str:
    """For messages: an address says nothing about the project, and may hold a password."""
    return _URL.sub("the package index", text)


def _files(env: Mapping[str, str]) -> Iterator[Path]:
    """In pip's order: later ones go before earlier ones."""
    chosen = env.get("PIP_CONFIG_FILE", "")
    if chosen == os.devnull:
        return
    home = Path(env.get("HOME") or "/nonexistent")
    yield from (Path("/etc/xdg/pip/pip.conf"), Path("/etc/pip.conf"))
    yield from (home / ".pip/pip.conf", Path(env.get("XDG_CONFIG_HOME") or home / ".config") / "pip/pip.conf")
    yield Path(sys.prefix) / "pip.conf"
    if chosen:
        yield Path(chosen)


def _settings(file: str) -> dict[str, str]:
    parser = configparser.RawConfigParser()
    try:
        parser.read(file, encoding="utf-8")
    except (configparser.Error, OSError, UnicodeDecodeError):
        return {}
    return {
        k.replace("_", "-"): v
        for section in _SECTIONS
        if parser.has_section(section)
        for k, v in parser[section].items()
    }
