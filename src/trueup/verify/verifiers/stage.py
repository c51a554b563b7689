"""Where is a program tried? In an environment for each project, in a layout for each image."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from posixpath import join
from typing import Any

from trueup.act.command_line import which
from trueup.act.declared import Needs, nearest, needs_of
from trueup.act.environments import Environment, is_intact, throw_away
from trueup.act.isolation import plain_environment
from trueup.act.manifests import load_json
from trueup.act.process import Completed
from trueup.act.refusals import Refused
from trueup.verify.verifiers import entry_probe
from trueup.verify.verifiers.base import Bench, Verdict
from trueup.verify.verifiers.entry_errors import judged
from trueup.verify.verifiers.images import Image
from trueup.verify.verifiers.layout import laid_out
from trueup.verify.verifiers.plans import PYTHON, Plan, plan_of, plans_of
from trueup.verify.verifiers.shop import Shop, shop_for
from trueup.verify.verifiers.start_words import words_of
from trueup.verify.verifiers.starts import Start

_PATIENCE = 40.0
_SETTLE = 4.0
_RESERVE = 3.0


def chosen_plans(bench: Bench) -> tuple[Plan, ...]:
    """What the user configured, else what the tree says."""
    command = bench.settings.get("command")
    if not command:
        return plans_of(bench.files)
    words, why_not = words_of(list(command) if isinstance(command, list) else str(command), {})
    image = Image.of_folder(bench.files, str(bench.settings.get("folder") or ""))
    start = Start(words=words, file="trueup.toml", image=image, serves=True, why_not=why_not)
    return (plan_of(start, bench.files),)


class Stage:
    """Where programs are tried: an environment for each project, a layout for each image."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._needs = needs_of(bench.files)
        self._made: dict[str, tuple[Shop, Environment] | Verdict] = {}
        self._laid: dict[str, Path] = {}

    def has_module(self, plan: Plan, name: str) -> bool:
        made = self.environment(plan)
        if isinstance(made, Verdict):
            return any(name == line.name.replace("-", "_") for line in self._needs_of(plan).running.requirements)
        site, library = made[1].site, Path(made[1].prefix, "lib", f"python{made[0].place.interpreter.short}")
        return any((folder / name).exists() or (folder / f"{name}.py").exists() for folder in (site, library))

    def tried(self, plan: Plan) -> Verdict:
        if not plan.argv:
            return Verdict(skipped=f"{plan.start.file}: {plan.told or 'the command'} is not started: {plan.why_not}")
        if plan.argv[0] == "node":
            return self._node(plan)
        made = self.environment(plan)
        if isinstance(made, Verdict):
            return made
        done = self.run(plan, *made)
        changed = not made[0].place.isolation and not is_intact(made[1].folder)
        if changed:
            throw_away(made[1].folder, self._bench.cache)
        return judged(plan, answer_of(done), done, self._bench, self._needs_of(plan), tampered=changed)

    def environment(self, plan: Plan) -> tuple[Shop, Environment] | Verdict:
        needs = self._needs_of(plan)
        if needs.folder not in self._made:
            self._made[needs.folder] = self._make(needs)
        return self._made[needs.folder]

    def _needs_of(self, plan: Plan) -> Needs:
        return nearest(self._needs, plan.file or plan.start.file)

    def _make(self, needs: Needs) -> tuple[Shop, Environment] | Verdict:
        shop = shop_for(needs, self._bench)
        if shop is None:
            return Verdict(skipped=f"it runs on Python {needs.python}, and there is none on this machine")
        made = shop.environment(needs.running, ())
        if isinstance(made, Refused):
            return Verdict(error=f"its dependencies could not be installed: {made.text[:300]}")
        return shop, made

    def run(self, plan: Plan, shop: Shop, made: Environment, *, then: dict[str, Any] | None = None) -> Completed:
        """Start it beside the probe. `then` is a command that runs while it answers, with what it may see and write."""
        top, cwd = self._place(plan)
        home = self._bench.scratch / "home"
        env = plain_environment(home, path=(str(made.folder / "bin"),)) | {"VIRTUAL_ENV": str(made.folder)}
        env |= {"PYTHONPATH": ":".join(str(cwd / root) for root in self._roots(plan, cwd))}
        env |= self._variables(plan)
        argv = [made.python if word == PYTHON else word for word in plan.argv]
        more = then or {}
        inside = shop.place.isolation.confine(
            self._bench.processes,
            writable=(top, home, *more.get("writable", ())),
            readable=(made.folder, made.prefix, entry_probe.__file__, *more.get("readable", ())),
            network=self._bench.network,
        )
        return self._watched(inside.run, plan, argv, env, cwd, made.python, more)

    def _watched(
        self, run: Any, plan: Plan, argv: list[str], env: dict[str, str], cwd: Path, python: str, more: dict[str, Any]
    ) -> Completed:
        settings = self._bench.settings
        patience = min(float(settings.get("seconds") or _PATIENCE), max(1.0, self._bench.seconds - _RESERVE))
        asked = {
            "argv": argv,
            "cwd": str(cwd),
            "env": env,
            "path": str(settings.get("path") or "/"),
            "serves": plan.serves,
            "settle": min(_SETTLE, patience),
            "patience": patience,
            "then": more.get("argv"),
            "then_env": more.get("env"),
            "then_seconds": more.get("seconds"),
        }
        self._bench.tell(f"starting {plan.told}")
        done: Completed = run(
            (python, "-I", "-B", entry_probe.__file__),
            cwd=cwd,
            env=env,
            timeout=min(self._bench.seconds, patience + float(more.get("seconds") or 0) + _RESERVE),
            stdin=json.dumps(asked).encode(),
            merge_stderr=False,
        )
        return done

    def _place(self, plan: Plan) -> tuple[Path, Path]:
        image = plan.start.image
        if image.key not in self._laid:
            self._laid[image.key] = laid_out(self._bench.files, image, self._bench.scratch / f"image{len(self._laid)}")
        top = self._laid[image.key]
        cwd = top / image.folder.lstrip("/")
        cwd.mkdir(parents=True, exist_ok=True)
        return top, cwd

    @staticmethod
    def _roots(plan: Plan, cwd: Path) -> Iterator[str]:
        for root in plan.roots if plan.module else ():
            if not root.startswith("/") and (cwd / root).is_dir():
                yield root

    def _variables(self, plan: Plan) -> dict[str, str]:
        """Of the image those that are plain; of the user's settings all."""
        told = {k: v for k, v in plan.start.env.items() if k.isidentifier() and k not in _OURS and "\0" not in v}
        given = self._bench.settings.get("env")
        return told | ({str(k): str(v) for k, v in given.items()} if isinstance(given, dict) else {})

    def _node(self, plan: Plan) -> Verdict:
        manifest = join(plan.start.image.folder.lstrip("/"), "package.json")
        table = load_json(self._bench.files.content(manifest) or b"") or {}
        program = which("node", self._bench.env.get("PATH", ""))
        if table.get("dependencies") or program is None:
            why = "its packages are not installed" if program else "node is not installed"
            return Verdict(skipped=f"{plan.start.file}: {plan.told} is not started: {why}")
        made = self._make(Needs(folder="", sets=()))
        if isinstance(made, Verdict):
            return made
        done = self.run(replace(plan, argv=(program, *plan.argv[1:])), *made, then={"readable": (Path(program),)})
        return judged(plan, answer_of(done), done, self._bench, self._needs_of(plan), tampered=False)


_OURS = frozenset({"PATH", "HOME", "TMPDIR", "PORT", "PYTHONPATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "VIRTUAL_ENV"})


def answer_of(done: Completed) -> dict[str, Any]:
    try:
        answer = json.loads(done.stdout.text())
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}
