"""With what are a project's dependencies resolved and installed: which Python, which installer, which index?"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from packaging.specifiers import SpecifierSet

from trueup.act.declared import Declared, Needs
from trueup.act.environments import Environment, environment
from trueup.act.indexes import index_of
from trueup.act.interpreter_choice import choose
from trueup.act.isolation import isolation
from trueup.act.refusals import Refused, Why
from trueup.act.resolving import Installer, Order, Place, installer, pin
from trueup.act.source_files import SourceFiles
from trueup.verify.verifiers.base import Bench

VERSION = 1
_FRESH = 24 * 3600.0
"""So long a resolution holds. An index grows; what it refused is always asked again."""
_IMAGE = re.compile(r"^\s*FROM\s+(?:--\S+\s+)?(?:\S+/)?python:(3\.\d+)", re.IGNORECASE | re.MULTILINE)
_TEXT = re.compile(r"(?:python-)?(3\.\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shop:
    installer: Installer
    place: Place
    elsewhere: tuple[str, ...] = ()
    """Other versions of Python that the project names, as `3.8`."""

    def resolve(self, one: Declared) -> tuple[str, ...] | Refused:
        """The pins, with builds where there is no other way and they can be walled in."""
        answer = self._asked(one)
        return answer if isinstance(answer, Refused) else answer[0]

    def environment(self, one: Declared, imports: Iterable[str]) -> Environment | Refused:
        answer = self._asked(one)
        if isinstance(answer, Refused):
            return answer
        pins, builds = answer
        return environment(pins, self.installer, self.place, builds=builds, imports=imports)

    def resolves_elsewhere(self, one: Declared) -> bool:
        """Whether a Python that the project names, and that is not here, can have these."""
        asked = (self.installer.resolve(_order(one), self.place, builds=False, python=v) for v in self.elsewhere)
        return any(not isinstance(answer, Refused) for answer in asked)

    def _asked(self, one: Declared) -> tuple[tuple[str, ...], bool] | Refused:
        order = _order(one)
        if not order.requirements:
            return (), False
        note = self.place.cache / "resolved" / f"{self._key(order)}.json"
        if (known := _noted(note)) is not None:
            return known
        pins, builds = self.installer.resolve(order, self.place, builds=False), False
        if isinstance(pins, Refused) and pins.why in {Why.NEEDS_BUILD, Why.BUILD} and self.place.isolation:
            pins, builds = self.installer.resolve(order, self.place, builds=True), True
        if isinstance(pins, Refused):
            return pins
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(json.dumps({"at": time.time(), "pins": pins, "builds": builds}))
        return pins, builds

    def _key(self, order: Order) -> str:
        told = [VERSION, sorted(order.requirements), sorted(order.constraints), order.prereleases]
        told += [self.place.interpreter.key, self.place.index.key, self.installer.name]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:40]


def shop_for(needs: Needs, bench: Bench) -> Shop | None:
    """None when this machine has no Python that the project runs on."""
    env = bench.env
    found = choose(env, needs.python, bench.cache, root=bench.files.root)
    if found is None:
        return None
    place = Place(
        processes=bench.processes,
        interpreter=found,
        index=index_of(env),
        cache=bench.cache,
        scratch=bench.scratch / "installer",
        until=time.monotonic() + bench.seconds,
        isolation=isolation(env),
        home=env.get("HOME", ""),
    )
    named = {version for version in _named_versions(bench.files, needs.folder) if version != found.short}
    return Shop(installer=installer(env, bench.settings), place=place, elsewhere=tuple(sorted(named)))


def _order(one: Declared) -> Order:
    return Order(
        requirements=tuple(dict.fromkeys(line.text for line in one.requirements)),
        constraints=tuple(dict.fromkeys(line.text for line in one.constraints)),
        prereleases=one.prereleases,
    )


def _noted(note: Path) -> tuple[tuple[str, ...], bool] | None:
    try:
        told = json.loads(note.read_bytes())
        pins = tuple(map(str, told["pins"]))
        if time.time() - float(told["at"]) < _FRESH and all(pin(one) == one for one in pins):
            return pins, bool(told["builds"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None


def _named_versions(files: SourceFiles, folder: str) -> set[str]:
    """What image, `.python-version` and `runtime.txt` say beside the manifest."""
    found: set[str] = set()
    for path in files.called("Dockerfile", ".python-version", "runtime.txt"):
        if path.startswith(f"{folder}/" if folder else ""):
            pattern = _IMAGE if path.endswith("Dockerfile") else _TEXT
            found.update(pattern.findall(files.text(path) or ""))
    return {version for version in found if SpecifierSet(">=3.7").contains(version)}
