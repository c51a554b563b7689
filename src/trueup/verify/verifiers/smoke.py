"""Does it import with its real dependencies? On a copy, without a network, with exactly what it declares installed."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from posixpath import join
from typing import Any

from trueup.act.copying import copy_tree
from trueup.act.declared import Needs, nearest, needs_of
from trueup.act.environments import Environment, is_intact, throw_away
from trueup.act.isolation import plain_environment
from trueup.act.process import Completed
from trueup.act.refusals import Refused, Why
from trueup.evidence.failure import Failure
from trueup.evidence.told import Phase
from trueup.verify.verifiers import import_probe
from trueup.verify.verifiers.base import Bench, Reach, Verdict
from trueup.verify.verifiers.import_errors import Complaint, complaint_of
from trueup.verify.verifiers.modules import Module, modules_of, third_party
from trueup.verify.verifiers.plans import started_files
from trueup.verify.verifiers.shop import Shop, shop_for

NAME = "smoke"
_EACH = 60.0
"""Seconds for one module."""
_RESERVE = 2.0


@dataclass(frozen=True, slots=True)
class Smoke:
    name: str = NAME
    question: str = "does it import with its real dependencies?"
    reach: Reach = Reach.STARTS
    needs: tuple[str, ...] = ("syntax", "dependencies")

    def verify(self, bench: Bench) -> Verdict:
        modules = modules_of(bench.files, started_files(bench.files))
        if not modules:
            return Verdict(skipped="no Python module")
        found = [_try(needs, own, bench) for needs, own in _by_project(bench, modules)]
        if all(one.skipped for one in found):
            return found[0]
        errors = list(dict.fromkeys(one.error for one in found if one.error))
        failures = tuple(failure for one in found for failure in one.failures)
        if errors and not failures:
            return Verdict(error="; ".join(errors))
        return Verdict(
            failures=failures,
            advice=tuple(dict.fromkeys(advice for one in found for advice in one.advice)),
            looked_at=sum(one.looked_at for one in found),
            made={name: value for one in found for name, value in one.made.items()},
        )


def _by_project(bench: Bench, modules: Iterable[Module]) -> Iterator[tuple[Needs, list[Module]]]:
    every = needs_of(bench.files)
    groups: dict[str, tuple[Needs, list[Module]]] = {}
    for module in modules:
        needs = nearest(every, module.file)
        groups.setdefault(needs.folder, (needs, []))[1].append(module)
    yield from groups.values()


def _try(needs: Needs, modules: list[Module], bench: Bench) -> Verdict:
    shop = shop_for(needs, bench)
    if shop is None:
        return Verdict(skipped=f"it runs on Python {needs.python}, and there is none on this machine")
    wanted = third_party(bench.files, modules)
    made = shop.environment(needs.running, wanted)
    if isinstance(made, Refused):
        return _not_installed(needs, made)
    copy = bench.scratch / "tree"
    if not copy.exists():
        copy_tree(bench.files, copy)
    done = _probe(needs, modules, sorted(wanted), made, shop, copy, bench)
    answers = list(_answers(done))
    if not answers or "files" not in answers[-1]:
        return Verdict(error=f"the imports could not be tried: {_why(done)}")
    changed = () if shop.place.isolation else _changed(made, bench)
    complaints = _complaints(answers, modules, needs, made, copy, bench)
    return Verdict(
        failures=(*changed, *(c.failure for c in complaints if c.counts)),
        advice=(*(c.failure for c in complaints if not c.counts), *_weaker(answers[0], shop)),
        looked_at=len(modules),
        made={f"environment {needs.folder}": str(made.folder)},
    )


def _probe(
    needs: Needs,
    modules: list[Module],
    preload: list[str],
    made: Environment,
    shop: Shop,
    copy: Path,
    bench: Bench,
) -> Completed:
    home = bench.scratch / "home"
    env = plain_environment(home, path=(str(made.folder / "bin"),)) | {"VIRTUAL_ENV": str(made.folder)}
    asked = {
        "modules": [_asked(module, needs, copy) for module in modules],
        "preload": preload,
        "root": f"{copy}/",
        "cwd": str(copy / needs.folder),
        "seconds": min(_EACH, max(1.0, bench.seconds / 3)),
        "limit": bench.seconds,
        "guard": not shop.place.isolation and not bench.network,
        "django": _django(bench, needs),
    }
    inside = shop.place.isolation.confine(
        bench.processes,
        writable=(copy, home),
        readable=(made.folder, made.prefix, import_probe.__file__),
        network=bench.network,
    )
    bench.tell(f"importing {len(modules)} modules")
    return inside.run(
        (made.python, "-I", "-B", import_probe.__file__),
        cwd=copy,
        env=env | {str(k): str(v) for k, v in dict(bench.settings.get("env") or {}).items()},
        timeout=max(1.0, shop.place.seconds - _RESERVE),
        stdin=json.dumps(asked).encode(),
        merge_stderr=False,
    )


def _asked(module: Module, needs: Needs, copy: Path) -> dict[str, Any]:
    folders = dict.fromkeys((module.root, needs.folder, join(needs.folder, "src")))
    return {
        "name": module.name,
        "file": f"{copy}/{module.file}",
        "path": [place for folder in folders if os.path.isdir(place := join(str(copy), folder))],  # noqa: PTH112 - text
        "whole": module.whole,
    }


def _django(bench: Bench, needs: Needs) -> str:
    """The settings that `manage.py` names: without them no model can be imported."""
    text = bench.files.text(join(needs.folder, "manage.py")) or ""
    found = re.search(r"DJANGO_SETTINGS_MODULE['\"]\s*,\s*['\"]([\w.]+)['\"]", text)
    return found[1] if found else ""


# --- what it means -------------------------------------------------------------------------------------------


def _answers(done: Completed) -> Iterator[dict[str, Any]]:
    for line in done.stdout.text().splitlines():
        try:
            answer = json.loads(line)
        except ValueError:
            return
        if isinstance(answer, dict):
            yield answer


def _why(done: Completed) -> str:
    if done.timed_out:
        return "it took too long"
    return done.not_started or done.stderr.text().strip()[-300:] or f"exit code {done.exit_code}"


def _complaints(
    answers: list[dict[str, Any]], modules: list[Module], needs: Needs, made: Environment, copy: Path, bench: Bench
) -> list[Complaint]:
    """One for each cause. A module that another one brought with it can be imported, though perhaps not first."""
    brought = {str(file).removeprefix(f"{copy}/") for file in answers[-1]["files"]}
    found: dict[tuple[str, ...], Complaint] = {}
    for answer in answers[1:-1]:
        module = modules[int(answer["module"])]
        if answer["ok"] or module.file in brought:
            continue
        complaint = complaint_of(answer["error"], module, needs, made, copy, bench.files)
        seen = (str(complaint.failure.file), str(complaint.failure.line), complaint.failure.message)
        if seen not in found or (complaint.counts and not found[seen].counts):
            found[seen] = complaint
    return list(found.values())


def _not_installed(needs: Needs, refused: Refused) -> Verdict:
    manifest = needs.running.manifest
    if refused.why is not Why.BUILD:
        return Verdict(error=f"the dependencies of {manifest} could not be installed: {refused.text[:300]}")
    failure = Failure(
        check=NAME,
        subject=f"{manifest} install",
        phase=Phase.BUILD,
        kind="install",
        message=refused.text,
        file=manifest,
        test=False,
    )
    return Verdict(failures=(failure,), looked_at=1)


def _changed(made: Environment, bench: Bench) -> tuple[Failure, ...]:
    if is_intact(made.folder):
        return ()
    throw_away(made.folder, bench.cache)
    message = "while it was imported, something wrote to its installed packages; they were thrown away"
    return (Failure(check=NAME, subject="environment", kind="tampered", message=message, test=False),)


def _weaker(first: dict[str, Any], shop: Shop) -> tuple[Failure, ...]:
    """What does not hold on this machine is said."""
    if shop.place.isolation:
        return ()
    held = {
        "namespace": "without a network, but with your rights on this machine's files",
        "guard": "with your rights; only the interpreter itself refused it the network",
    }.get(str(first.get("network")), "with your rights")
    message = f"the modules were imported {held}, because there is no sandbox: {shop.place.isolation.why_not}"
    return (Failure(check=NAME, subject="sandbox", kind="no-sandbox", message=message, test=False),)
