"""Which failure leads to which fixer? Rows of YAML: those that come with trueup, and the user's own before them."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from importlib import resources
from typing import Any

import yaml

from trueup.act.remedies.base import Around, Ask, Fixer, Proposal
from trueup.act.remedies.fixers import BUILTIN, GROUP, PARAMETERS
from trueup.act.remedies.templates import Template
from trueup.act.source_files import SourceFiles
from trueup.config.names import did_you_mean
from trueup.errors import UsageError
from trueup.evidence.failure import Failure
from trueup.plugins import found, load_one

KEYS = ("name", "check", "kind", "file", "message", "fix", "with", "source")
NONE = "none"
"""As `fix`: the row of that name does nothing, a bundled one included."""
LARGEST = 1_000_000
_MOST_IDEAS = 8
"""Of one row for one failure: each costs a verification."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the registry. An empty tuple matches everything."""

    name: str
    fix: str
    check: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    file: tuple[str, ...] = ()
    message: tuple[Template, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    digest: str = ""
    """Of what it says: another text is another rule, with no past."""

    def groups(self, failure: Failure) -> Mapping[str, str] | None:
        """What the placeholders stand for; None when the row is not about this failure."""
        if not (_fits(failure.check, self.check) and _fits(failure.kind, self.kind)):
            return None
        if self.file and not (failure.file and _fits(failure.file, self.file)):
            return None
        return self._said(failure) if self.message else {}

    def _said(self, failure: Failure) -> Mapping[str, str] | None:
        texts = (failure.message, failure.excerpt)
        said = (template.match(text) for template in self.message for text in texts if text)
        return next((groups for groups in said if groups is not None), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    rows: tuple[Row, ...]

    def proposals(
        self, failures: Iterable[Failure], files: SourceFiles, around: Around, *, off: frozenset[str] = frozenset()
    ) -> Iterator[Proposal]:
        """For each failure, what the rows propose, in their order; asked for one after the other. `off`: not these."""
        for failure in failures:
            for row in self.rows:
                groups = None if row.name in off else row.groups(failure)
                if groups is None:
                    continue
                ask = Ask(failure=failure, groups=groups, parameters=row.parameters, files=files, around=around)
                for number, (why, edits) in enumerate(fixer_of(row.fix)(ask)):
                    if number >= _MOST_IDEAS:
                        break
                    yield Proposal(remedy=row.name, failure=failure, edits=edits, why=why)


def fixer_of(name: str) -> Fixer:
    fixer: Any = load_one(GROUP, name, BUILTIN)
    return fixer  # type: ignore[no-any-return]


def _fits(text: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatchcase(text, pattern) for pattern in patterns)


# --- reading rows -----------------------------------------------------------------------------------------------


def registry(own: Iterable[tuple[str, bytes]] = ()) -> Registry:
    """The user's own rows first, as (file name, content); one with the name of a bundled row replaces it."""
    mine = [row for name, content in own for row in read_rows(content, name)]
    names = {row.name for row in mine}
    rows = (*mine, *(row for row in bundled() if row.name not in names))
    return Registry(rows=tuple(row for row in rows if row.fix != NONE))


@functools.cache
def bundled() -> tuple[Row, ...]:
    folder = resources.files("trueup.act.remedies").joinpath("rows")
    files = sorted((one for one in folder.iterdir() if one.name.endswith(".yaml")), key=lambda one: one.name)
    return tuple(row for one in files for row in read_rows(one.read_bytes(), one.name))


def read_rows(content: bytes, file: str) -> tuple[Row, ...]:
    """Raises `UsageError` that names the row and what is wrong with it."""
    raw = _yaml(content, file)
    if not isinstance(raw, list):
        raise UsageError(f"{file} is not a list of remedies", do="Begin each of them with `- name: …`.")
    rows = tuple(_row(one, f"{file}, remedy {number}") for number, one in enumerate(raw, 1))
    names = [row.name for row in rows]
    double = next((name for name in names if names.count(name) > 1), None)
    if double is not None:
        raise UsageError(f"{file}: two remedies are named {double!r}", do="Give each its own name.")
    return rows


def _yaml(content: bytes, file: str) -> Any:
    if len(content) > LARGEST:
        raise UsageError(f"{file} is larger than {LARGEST / 1e6:g} MB", do="Remedies are a few lines each.")
    try:
        return yaml.load(content, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - safe, and quick
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{file} is not valid YAML", why=str(error), do="Correct it, then try again.") from error


def _row(raw: Any, place: str) -> Row:
    if not isinstance(raw, dict):
        raise UsageError(f"{place} is not a table", do=f"Its keys are: {', '.join(KEYS)}.")
    _refuse_unknown(raw, KEYS, place)
    name, fix = (_word(raw.get(key), key, place) for key in ("name", "fix"))
    place = f"{place} ({name})"
    parameters = raw.get("with", {})
    if not isinstance(parameters, dict):
        raise UsageError(f"{place}: 'with' is not a table", do="Write the fixer's parameters below it.")
    _check_fixer(fix, parameters, place)
    return Row(
        name=name,
        fix=fix,
        check=_texts(raw, "check", place),
        kind=_texts(raw, "kind", place),
        file=_texts(raw, "file", place),
        message=tuple(_template(text, place) for text in _texts(raw, "message", place)),
        parameters=parameters,
        digest=hashlib.sha256(json.dumps(raw, sort_keys=True, default=str).encode()).hexdigest()[:16],
    )


def _refuse_unknown(raw: Mapping[Any, Any], known: Iterable[str], place: str) -> None:
    known = tuple(known)
    for key in raw:
        if key not in known:
            hint = did_you_mean(str(key), known)
            do = "" if hint else f"Known here: {', '.join(known) or 'none'}."
            raise UsageError(f"{place}: unknown key {key!r}", why=hint, do=do)


def _check_fixer(fix: str, parameters: Mapping[Any, Any], place: str) -> None:
    if fix == NONE:
        return
    known = found(GROUP, BUILTIN)
    if fix not in known:
        hint = did_you_mean(fix, known)
        raise UsageError(f"{place}: there is no fixer {fix!r}", why=hint, do=f"Known are: {', '.join(sorted(known))}.")
    if fix in PARAMETERS:
        _refuse_unknown(parameters, PARAMETERS[fix].known, f"{place}, with")
        missing = next((key for key in PARAMETERS[fix].required if key not in parameters), None)
        if missing is not None:
            raise UsageError(f"{place}: {fix} needs {missing!r}", do="Write it below `with`.")


def _word(value: Any, key: str, place: str) -> str:
    if not isinstance(value, str) or not value.strip() or "\n" in value:
        raise UsageError(f"{place} has no {key!r}", do="Add it: a word or two on one line.")
    return value


def _texts(raw: Mapping[str, Any], key: str, place: str) -> tuple[str, ...]:
    value = raw.get(key, [])
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(one, str) and one for one in texts):
        raise UsageError(f"{place}: {key} cannot be used", why="It has to be a text, or a list of texts.")
    return tuple(texts)


def _template(text: str, place: str) -> Template:
    try:
        return Template(text)
    except ValueError as error:
        raise UsageError(f"{place}: message {text!r} cannot be used", why=f"It has to be {error}.") from error
