"""Does the page work in a browser? The program that `entrypoint` starts, and Chromium in front of it."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from posixpath import join
from typing import Any

from trueup.act.command_line import which
from trueup.verify.verifiers import browser_probe
from trueup.verify.verifiers.base import Bench, Reach, Verdict
from trueup.verify.verifiers.entry_errors import about
from trueup.verify.verifiers.images import Image
from trueup.verify.verifiers.plans import PYTHON, Plan
from trueup.verify.verifiers.stage import Stage, answer_of, chosen_plans
from trueup.verify.verifiers.start_words import PORT
from trueup.verify.verifiers.starts import Start

NAME = "browser"
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PAGES = ("", "public", "dist", "static", "build", "site")
_WAIT = 20.0
_SECONDS = 60.0
_MOST = 10
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Browser:
    name: str = NAME
    question: str = "does the page work in a browser?"
    reach: Reach = Reach.STARTS
    needs: tuple[str, ...] = ("entrypoint",)

    def verify(self, bench: Bench) -> Verdict:
        plan = _served(bench)
        if plan is None:
            return Verdict(skipped="nothing serves a page")
        program = str(bench.settings.get("program") or "") or _chromium(bench)
        if not program:
            return Verdict(error="there is no Chromium on this machine (looked for: " + ", ".join(_PROGRAMS) + ")")
        if importlib.util.find_spec("playwright") is None:
            return Verdict(error="Playwright is not installed; it comes with `pip install 'trueup[browser]'`")
        return _visited(plan, program, bench)


def _served(bench: Bench) -> Plan | None:
    """The first program that answers requests; else a page that needs none but a server of files."""
    plan = next((plan for plan in chosen_plans(bench) if plan.serves and plan.argv), None)
    if plan is not None:
        return plan
    folder = next((folder for folder in _PAGES if join(folder, "index.html") in bench.files), None)
    if folder is None:
        return None
    page = join(folder, "index.html")
    start = Start(words=("index.html",), file=page, image=Image.of_folder(bench.files, folder), serves=True)
    return Plan(start=start, argv=(PYTHON, "-m", "http.server", PORT, "--bind", "127.0.0.1"), path="", serves=True)


def _chromium(bench: Bench) -> str:
    path = bench.env.get("PATH", os.defpath)
    return next((found for name in _PROGRAMS if (found := which(name, path))), "")


def _visited(plan: Plan, program: str, bench: Bench) -> Verdict:
    stage = Stage(bench)
    made = stage.environment(plan)
    if isinstance(made, Verdict):
        return made
    folder = bench.scratch / "browser"
    folder.mkdir()
    screenshot = folder / "page.png"
    with tempfile.TemporaryDirectory(prefix="trueup-", ignore_cleanup_errors=True) as outside:
        # Chromium makes sockets in its profile, and their paths must not be long. Behind walls this is another folder.
        short = "/tmp" if made[0].place.isolation else outside  # noqa: S108 - a private one
        done = stage.run(plan, *made, then=_then(program, folder, screenshot, short, bench))
    return _judged(plan, answer_of(done), screenshot, bench)


def _then(program: str, folder: Path, screenshot: Path, short: str, bench: Bench) -> dict[str, Any]:
    told = {
        "program": program,
        "profile": f"{short}/profile",
        "screenshot": str(screenshot),
        "path": str(bench.settings.get("path") or "/"),
        "wait": min(_WAIT, bench.seconds / 3),
    }
    return {
        "argv": [sys.executable, "-I", "-B", browser_probe.__file__, "{address}", json.dumps(told)],
        "env": {"PATH": os.defpath, "HOME": str(folder), "TMPDIR": short, "LANG": "C.UTF-8"},
        "seconds": min(_SECONDS, bench.seconds / 2),
        "writable": (folder,),
        "readable": (sys.prefix, sys.base_prefix, browser_probe.__file__, *_installation(program)),
    }


def _installation(program: str) -> Iterator[str]:
    """A program of the system is seen anyway; one that lies elsewhere with all that lies beside it."""
    real = os.path.realpath(program)
    if not real.startswith("/usr/"):
        yield os.path.dirname(real)  # noqa: PTH120 - text


def _judged(plan: Plan, answer: dict[str, Any], screenshot: Path, bench: Bench) -> Verdict:
    visit = answer.get("then")
    if "answered" not in answer or not isinstance(visit, dict):
        return Verdict(error=f"{plan.told!r} did not answer this time")
    try:
        seen = json.loads(str(visit["out"]))
    except ValueError:
        return Verdict(error=f"the browser could not be run: {str(visit['err']).strip()[-300:]}")
    found = [about(NAME, plan, kind, " ".join(said.split())[:_LONGEST]) for kind, said in _wrong(seen, bench)]
    # What it loads from elsewhere is not here: then a script that is missing is nobody's fault that we know.
    doubtful = {"console", "page-error"} if seen["elsewhere"] and not bench.network else set()
    return Verdict(
        failures=tuple(f for f in found if f.kind not in doubtful),
        advice=tuple(f for f in found if f.kind in doubtful),
        looked_at=1,
        files={"browser.png": screenshot.read_bytes()} if screenshot.is_file() else {},
    )


def _wrong(seen: dict[str, Any], bench: Bench) -> Iterator[tuple[str, str]]:
    if seen["crash"]:
        yield "no-page", seen["crash"]
        return
    yield from (("page-error", text) for text in seen["errors"][:_MOST])
    # The browser tells of a request that failed in its console, too.
    yield from (("console", t) for t in seen["console"][:_MOST] if not t.startswith("Failed to load resource"))
    yield from (("request", text) for text in seen["failed"][:_MOST])
    if not seen.get("text") and not seen.get("shapes"):
        yield "empty-page", "the page shows nothing"
    wanted = bench.settings.get("text")
    if wanted and str(wanted) not in str(seen.get("text", "")):
        yield "text", f"the page does not show {str(wanted)!r}"
