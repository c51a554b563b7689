"""Which variables does a check get, and which an agent?"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

_SECRET_NAME = re.compile(
    r"(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|CONNECTION_?STRING|WEBHOOK)S?(?![A-Z])"
    r"|(?:^|_|API|ACCESS|PRIVATE)KEYS?(?:_|\d|$)"
    r"|DATABASE_URL"
    r"|(?:^|_)(?:PASS|AUTH|JWT|DSN)$"
    r"|._PWD$"
)
"""Of the name in capitals. `TOKENIZERS_PARALLELISM`, `KEYBOARD`, `MONKEY` and `PWD` are no secrets."""

_SECRET_VALUE = re.compile(
    r"\b(?:sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}"
    r"|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30,}|eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+)"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
)
_URL_PASSWORD = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/:@]*:([^\s/@]+)@", re.IGNORECASE)

_ACCOUNT = re.compile(r"AWS_(?!CA_BUNDLE$|REGION$|DEFAULT_REGION$|DEFAULT_OUTPUT$|PAGER$|RETRY_MODE$|MAX_ATTEMPTS$)")
"""Withheld as well: they choose an account, but a region or a profile name is no text to blot out everywhere."""

_GIT_PLUMBING = re.compile(
    r"GIT_(?:ALTERNATE_OBJECT_DIRECTORIES|CEILING_DIRECTORIES|COMMON_DIR|CONFIG|CONFIG_(?:COUNT|PARAMETERS|KEY_\d+"
    r"|VALUE_\d+)|DIR|EXEC_PATH|GRAFT_FILE|IMPLICIT_WORK_TREE|INDEX_FILE|INTERNAL_SUPER_PREFIX|NAMESPACE"
    r"|NO_REPLACE_OBJECTS|OBJECT_DIRECTORY|PREFIX|QUARANTINE_PATH|REPLACE_REF_BASE|SHALLOW_FILE|WORK_TREE)"
)
"""Set around hooks and aliases; they would point every git command at another repository."""

_OUTER_SESSION = re.compile(
    r"CLAUDECODE|CLAUDE_CODE_(?:ENTRYPOINT|SSE_PORT|SESSION_ID)|GEMINI_CLI|QWEN_CODE|OPENCODE|CURSOR_AGENT"
    r"|PYTEST_(?:CURRENT_TEST|VERSION|XDIST_\w+)|TRUEUP_\w+|PWD|OLDPWD|INIT_CWD"
    r"|GITHUB_(?:ENV|OUTPUT|PATH|STATE|STEP_SUMMARY)"
)
"""They tell about the session, the test run or the folder that trueup was started in, not about the one to come; or
they name files through which a step steers the rest of its CI job, which is not theirs to steer."""

_SHORTEST_SECRET = 5
_PATH_LISTS = ("PATH", "PYTHONPATH", "NODE_PATH")
_PREFIXES = ("VIRTUAL_ENV", "CONDA_PREFIX")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckEnvironment:
    """What a check may see, and the names of what it may not."""

    variables: dict[str, str]
    withheld: tuple[str, ...]


def check_environment(
    host: Mapping[str, str],
    *,
    allow: Iterable[str] = (),
    tmp: Path,
    cache: Path,
    drop_paths: Iterable[Path] = (),
    rewrite: Mapping[str, str] | None = None,
) -> CheckEnvironment:
    """The user's environment without secrets, with temporary files, caches and bytecode in folders of our own.

    `allow` names variables that pass although they look secret. Path entries below `drop_paths` are left out.
    `rewrite` maps folders, such as the checkout to the bench, in path lists and in the active environment's folder.
    """
    own = _without(host, _OUTER_SESSION, _GIT_PLUMBING)
    allowed = frozenset(allow)
    withheld = {name for name, value in own.items() if _looks_secret(name, value) and name not in allowed}
    open_ = {name: value for name, value in own.items() if name not in withheld}
    moves: dict[str, str | None] = {**(rewrite or {}), **{str(path): None for path in drop_paths}}
    return CheckEnvironment(
        variables=_with_paths(open_, lambda entry: _moved(entry, moves))
        | _temporary(host, tmp)
        | {
            "PYTHONNOUSERSITE": "1",
            "PYTHONPYCACHEPREFIX": str(cache / "pycache"),
            "XDG_CACHE_HOME": str(cache / "xdg"),
        },
        withheld=tuple(sorted(withheld)),
    )


def agent_environment(
    host: Mapping[str, str], *, run_id: str, tmp: Path, rewrite: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The user's environment with its credentials, for work in another folder.

    `rewrite` maps folders, such as the checkout to the workspace, in path lists and in the active environment's folder.
    `TRUEUP_RUN` makes a run inside this run recognisable.
    """
    moves = dict(rewrite or {})
    own = _without(host, _OUTER_SESSION, _GIT_PLUMBING)
    return _with_paths(own, lambda entry: _moved(entry, moves)) | _temporary(host, tmp) | {"TRUEUP_RUN": run_id}


def secret_values(host: Mapping[str, str]) -> tuple[str, ...]:
    """Texts that must not appear in anything stored or shown; long ones first, so that none hides in another."""
    found: set[str] = set()
    for name, value in host.items():
        passwords = _URL_PASSWORD.findall(value)
        found.update(passwords, map(unquote, passwords))
        if _has_secret(name, value):
            found.add(value)
    return tuple(sorted((text for text in found if len(text) >= _SHORTEST_SECRET), key=lambda text: (-len(text), text)))


def _looks_secret(name: str, value: str) -> bool:
    return _has_secret(name, value) or bool(_ACCOUNT.match(name.upper()))


def _has_secret(name: str, value: str) -> bool:
    """An empty variable hides nothing; it may be there on purpose, to switch something off."""
    if not value or _GIT_PLUMBING.fullmatch(name):
        return False
    named = _SECRET_NAME.search(name.upper())
    return bool(named or _SECRET_VALUE.search(value) or _URL_PASSWORD.search(value))


def _without(host: Mapping[str, str], *names: re.Pattern[str]) -> dict[str, str]:
    return {name: value for name, value in host.items() if not any(pattern.fullmatch(name) for pattern in names)}


def _temporary(host: Mapping[str, str], tmp: Path) -> dict[str, str]:
    return dict.fromkeys(("TMPDIR", *(name for name in ("TMP", "TEMP") if name in host)), str(tmp))


def _with_paths(variables: Mapping[str, str], place: Callable[[str], str | None]) -> dict[str, str]:
    """Path entries where `place` says they lie now, without those that it says are nowhere."""
    placed = dict(variables)
    for name in variables.keys() & {*_PATH_LISTS, *_PREFIXES}:
        entries = [entry for entry in map(place, _entries(name, variables[name])) if entry is not None]
        if entries or name == "PATH":
            placed[name] = os.pathsep.join(entries)
        else:
            del placed[name]
    return placed


def _entries(name: str, value: str) -> list[str]:
    """A relative PATH entry would find programs in whatever folder a command runs in; modules may lie there."""
    entries = value.split(os.pathsep)
    return [entry for entry in entries if entry.startswith("/")] if name == "PATH" else entries


def _moved(entry: str, moves: Mapping[str, str | None]) -> str | None:
    """As it is written, or else as links lead: an environment may be activated through another name of the checkout."""
    for written in (os.path.normpath(entry), *([os.path.realpath(entry)] if entry.startswith("/") else [])):
        inside = written + "/"
        for old in sorted(moves, key=len, reverse=True):  # the innermost folder decides
            if inside.startswith(os.path.normpath(old) + "/"):
                new = moves[old]
                return None if new is None else os.path.normpath(new) + inside[len(os.path.normpath(old)) : -1]
    return entry
