"""Which Go tests ran, and what became of each? Asked through a stand-in for `go` that prints what go would."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath, PurePosixPath

import msgspec

from trueup.act.process import Completed
from trueup.evidence.failure import Failure, Phase
from trueup.evidence.normalize import neutralise
from trueup.evidence.places import shorten, source_at
from trueup.evidence.report import SeenBy, Strength, TestPlace
from trueup.evidence.text import GUESSED, failures_from_text
from trueup.verify.go_source import go_tests
from trueup.verify.runners.additions import others, programs_home
from trueup.verify.runners.base import Evidence, RunContext
from trueup.verify.runners.repro import Written, every_written, options, shown_once
from trueup.verify.runners.stand_ins import program_behind, write_program

_VISIBLE = re.compile(r"(?:^|[\s;&|('\"])go(?:\s+-C\s+\S+)?\s+test(?:\s|$|[;&|)'\"])")
_RESULT = re.compile(r"--- (PASS|FAIL|SKIP): (\S{1,1000}) \(\d[\d.]{0,12}s\)$")
_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
_WRAPPERS = frozenset({"env", "nice", "time", "xvfb-run", "timeout"})
_BROKEN = ("[build failed]", "[setup failed]")
_FLAGS = re.compile(r"--?(?:race|short|msan|asan|trimpath)")
_OPTIONS = re.compile(r"--?(?:tags|mod|modfile|ldflags|gcflags|asmflags|cpu)(?:=.*)?")
"""Options that may change what a test does."""
_LARGEST_FILE = 512 * 1024 * 1024


class GoRunner:
    name = "go"

    def recognises(self, argv: tuple[str, ...]) -> bool:
        """`go test …`, also behind a plain wrapper."""
        at = next((n for n, word in enumerate(argv) if PurePath(word).name == "go"), None)
        if at is None or (at > 0 and PurePath(argv[0]).name not in _WRAPPERS):
            return False
        rest = argv[at + 3 :] if argv[at + 1 : at + 2] == ("-C",) else argv[at + 1 :]
        return rest[:1] == ("test",)

    def prepare(self, run: RunContext) -> Mapping[str, str]:
        """Only where `go test` is to be seen: other programs may want to know which `go` they were given."""
        path = run.env.get("PATH", "")
        go = program_behind(run, "go")
        _forget_results(run.env)
        if go is None or not run.shows(_VISIBLE):
            return {}
        home, events = programs_home(run), run.records / "go-events"
        home.mkdir(exist_ok=True)
        events.mkdir(parents=True)
        told = {
            "go": go,
            "home": str(home),
            "events": str(events),
            "names": sorted({_function(i) for i in run.select or ()}),
            "overlay": _overlay(run, home),
            "keep_going": run.keep_going,
            "others": others(run, ("PATH",)),
        }
        (home / "go_shim.json").write_text(json.dumps(told), encoding="utf-8")
        write_program(home / "go", Path(__file__).with_name("go_shim.py").read_text(encoding="utf-8"))
        return {"PATH": os.pathsep.join(part for part in (str(home), path) if part)}

    def hindered(self, run: RunContext, completed: Completed) -> bool:  # noqa: ARG002 - what is unknown is handed on
        return False

    def read(self, run: RunContext, completed: Completed) -> Evidence | None:
        seen = _read_events(run.records / "go-events")
        return _evidence(run, completed, seen) if seen.started else None

    def select(self, argv: tuple[str, ...], ids: tuple[str, ...]) -> tuple[str, ...] | None:
        """By the stand-in, which is not asked when the command names its program by a path."""
        return argv if _can_choose(ids) and any(word == "go" for word in argv) else None


def _can_choose(ids: tuple[str, ...]) -> bool:
    return all(_function(i).startswith(("Test", "Fuzz", "Example")) for i in ids)


def _function(test_id: str) -> str:
    """`TestAdd` for `example.com/calc.TestAdd/negative`."""
    package, _, rest = test_id.rpartition("/")
    whole = test_id if not package else rest
    if "." in whole and not _is_subtest(test_id):
        return whole.rpartition(".")[2]
    head = re.search(r"\.((?:Test|Fuzz|Example)\w*)(?:/|$)", test_id)
    return head[1] if head else whole


def _is_subtest(test_id: str) -> bool:
    return re.search(r"\.(?:Test|Fuzz|Example)\w*/", test_id) is not None


def _overlay(run: RunContext, home: Path) -> str:
    """Files that must not be collected are left out of the build: for the compiler they are not there."""
    files = [str(run.folder / path) for path in run.ignore if path.endswith("_test.go")]
    if not files:
        return ""
    overlay = home / "overlay.json"
    overlay.write_text(json.dumps({"Replace": dict.fromkeys(files, "")}), encoding="utf-8")
    return str(overlay)


def _forget_results(env: Mapping[str, str]) -> None:
    """What `go clean -testcache` does, in the cache of the bench: a remembered pass is no look at a tree.

    The stand-in asks for fresh results itself; this is for `go test` behind scripts.
    """
    home = env.get("XDG_CACHE_HOME")
    if not home or "GOCACHE" in env or not Path(home, "go-build").is_dir():
        return
    try:
        Path(home, "go-build", "testexpire.txt").write_text(f"{time.time_ns()}\n", encoding="ascii")
    except OSError:  # somebody made it something else: then go cannot read it either, and remembers nothing
        return


# --- events --------------------------------------------------------------------------------------------------


class _Event(msgspec.Struct, kw_only=True, frozen=True, rename="pascal"):
    action: str
    package: str = ""
    test: str = ""
    output: str = ""


@dataclass(slots=True, kw_only=True)
class _Seen:
    """All `go test` commands of one check, folded."""

    started: int = 0
    ended: int = 0
    collected: dict[str, None] = field(default_factory=dict)
    ends: dict[str, set[str]] = field(default_factory=dict)
    """Id -> every result that was told of it: with `-count 2` there are two."""
    said: dict[str, list[str]] = field(default_factory=dict)
    packages: dict[str, set[str]] = field(default_factory=dict)
    """Import path -> `pass`, `fail`, `skip`."""
    about: dict[str, list[str]] = field(default_factory=dict)
    """What a package said outside its tests."""

    def add(self, event: _Event) -> None:
        match event.action:
            case "trueup-start":
                self.started += 1
            case "trueup-end":
                self.ended += 1
            case "output":
                self._said(event)
            case "run" | "pass" | "fail" | "skip" | "bench" if event.test:
                self.collected[_id(event)] = None
                if event.action not in {"run", "pass"}:  # a program that just ends is a pass to go
                    self.ends.setdefault(_id(event), set()).add(event.action)
            case "pass" | "fail" | "skip":
                self.packages.setdefault(event.package, set()).add(event.action)

    def _said(self, event: _Event) -> None:
        if not event.test:
            self.about.setdefault(event.package, []).append(event.output)
            return
        self.said.setdefault(_id(event), []).append(event.output)
        result = _RESULT.search(event.output.rstrip("\n"))
        # Older versions miss a result that stands behind text which the test did not end with a new line.
        if result and result[2] == event.test:
            self.ends.setdefault(_id(event), set()).add(result[1].lower())

    def failed(self) -> list[str]:
        """Tests that failed by themselves, and not only because a part of them did."""
        bad = [i for i in self.collected if "fail" in self.ends.get(i, ())]
        outer = _around(bad)
        return [i for i in bad if i not in outer]

    def packages_with_tests(self) -> frozenset[str]:
        return frozenset(map(_package_of, self.collected))

    def with_result(self, result: str) -> tuple[str, ...]:
        return tuple(i for i in self.collected if self.ends.get(i) == {result})

    def skipped(self) -> tuple[str, ...]:
        return tuple(i for i in self.collected if self.ends.get(i, set()) - {"pass"} in ({"skip"}, {"bench"}))

    def running(self) -> tuple[str, ...]:
        begun = [i for i in self.collected if i not in self.ends]
        outer = _around(begun)
        return tuple(i for i in begun if i not in outer)


def _around(ids: list[str]) -> set[str]:
    """The tests that these are parts of. A part may have a slash in its own name: then nothing runs in between."""
    found: set[str] = set()
    for test_id in ids:
        outer = test_id.rpartition("/")[0]
        while outer and outer not in found:
            found.add(outer)
            outer = outer.rpartition("/")[0]
    return found


def _id(event: _Event) -> str:
    return f"{event.package}.{event.test}" if event.package else event.test


def _package_of(test_id: str) -> str:
    found = re.search(r"^(.*?)\.((?:Test|Fuzz|Example|Benchmark)[^/]*)(?:/.*)?$", test_id, re.DOTALL)
    return found[1] if found else ""


def _read_events(folder: Path) -> _Seen:
    seen = _Seen()
    decode = msgspec.json.Decoder(_Event).decode
    for path in sorted(folder.glob("*.jsonl")):
        for line in _lines(path):
            try:
                seen.add(decode(line.decode("utf-8", "replace")))
            except msgspec.MsgspecError:
                continue  # plain text between the events, as older versions print it
    return seen


def _lines(path: Path) -> Iterator[bytes]:
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _LARGEST_FILE:
            return
        with path.open("rb") as lines:
            yield from lines
    except OSError:
        return


# --- what it amounts to --------------------------------------------------------------------------------------


def _evidence(run: RunContext, completed: Completed, seen: _Seen) -> Evidence:
    ids = tuple(seen.collected)
    return Evidence(
        failures=tuple(_failures(run, completed, seen)),
        passed=seen.with_result("pass"),
        skipped=seen.skipped(),
        inventory=ids,
        places=tuple(_places(run, ids)),
        strength=Strength.INVENTORY,
        running=seen.running(),
        seen_by=SeenBy.STRUCTURE,
        selects=_can_choose(ids),  # the stand-in was asked, whatever the command is
    )


def _failures(run: RunContext, completed: Completed, seen: _Seen) -> Iterator[Failure]:
    """The text tells most about a failure; the events say which tests it may speak of."""
    failed = frozenset(seen.failed())
    told: set[str] = set()
    modules = tuple(_modules(run.folder))
    for failure in _from_text(run, _said_by_tests(seen)):
        if failure.subject in failed and failure.subject not in told:
            yield replace(_placed(run, failure, modules), test=True, repro=_repro(run, failure.subject))
            told.add(failure.subject)
    for failure in _from_text(run, completed.stdout.text()) if completed.exit_code else ():
        if failure.phase is Phase.BUILD:
            yield replace(failure, test=False)
            told.add("")
    for test_id in seen.failed():
        if test_id not in told:
            yield _from_events(run, seen, test_id)
    yield from _broken_packages(run, seen, explained="" in told)
    if not completed.timed_out:
        yield from _crashes(run, completed, seen)


def _placed(run: RunContext, failure: Failure, modules: tuple[tuple[str, str], ...]) -> Failure:
    """Go names a file without its folder: it is the folder of the package."""
    folder = _folder_of(_package_of(failure.subject), modules)
    if not failure.file or folder is None or "/" in failure.file:
        return failure
    file = (PurePosixPath(folder) / failure.file).as_posix()
    if run.sources(file) is None:
        return failure
    line = source_at(file, failure.line or 0, run.sources)
    return replace(failure, file=file, source_line=None if line is None else run.redact(line))


def _said_by_tests(seen: _Seen) -> str:
    """Package by package, with the parts of a test before the test, as the reader of `-json` wants it."""
    bad = [i for i in seen.collected if "fail" in seen.ends.get(i, ())]
    packages: dict[str, list[str]] = {}
    for test_id in bad:
        packages.setdefault(_package_of(test_id), []).append(test_id)
    said = [
        [*(seen.said.get(i, []) for i in sorted(ids, reverse=True)), seen.about.get(package, [])]
        for package, ids in packages.items()
    ]
    return "".join(text for package in said for texts in package for text in texts)


def _from_text(run: RunContext, text: str) -> tuple[Failure, ...]:
    said = run.redact(neutralise(text))  # before any cut can halve a secret
    found = failures_from_text(run.check, said, exit_code=1, sources=run.sources) if said.strip() else ()
    return tuple(failure for failure in found if failure.kind not in GUESSED)


def _from_events(run: RunContext, seen: _Seen, test_id: str) -> Failure:
    text = run.redact(neutralise("".join(seen.said.get(test_id, ())))).strip()
    lines = [line.strip() for line in text.split("\n") if not line.startswith("=== ")]
    message = "\n".join(line for line in lines if not _RESULT.search(line))
    return Failure(
        check=run.check,
        subject=test_id,
        kind="FAIL",
        message=shorten(message, 1000),
        excerpt=shorten("\n".join(lines)),
        repro=_repro(run, test_id),
    )


def _broken_packages(run: RunContext, seen: _Seen, *, explained: bool) -> Iterator[Failure]:
    """A package that failed although none of its tests did: it does not build, or its program ended by itself."""
    at_fault = {_package_of(i) for i in (*seen.failed(), *seen.running())}
    with_tests = seen.packages_with_tests()
    for package, ends in seen.packages.items():
        if "fail" not in ends or package in at_fault:
            continue
        text = run.redact(neutralise("".join(seen.about.get(package, ())))).strip()
        if any(mark in text for mark in _BROKEN) and explained:
            continue  # the compiler's own words are there
        ran = package in with_tests
        message = "\n".join(line for line in text.split("\n") if not line.startswith(("FAIL\t", "FAIL", "ok ")))
        yield Failure(
            check=run.check,
            subject=package,
            kind="FAIL",
            message=shorten(message or "the package failed, none of its tests did", 1000),
            excerpt=shorten(text),
            phase=Phase.RUN if ran else Phase.COLLECT,
            test=False,
        )


def _crashes(run: RunContext, completed: Completed, seen: _Seen) -> Iterator[Failure]:
    """The test program ended in the middle, whatever exit code it had."""
    message = "the test program ended before this test did"
    for test_id in seen.running():
        excerpt = f"{message} (exit code {completed.exit_code})"
        yield Failure(
            check=run.check,
            subject=test_id,
            kind="crash",
            message=message,
            excerpt=excerpt,
            repro=_repro(run, test_id),
        )
    if seen.ended < seen.started and not seen.running():
        message = "go test was ended before it was done"
        yield Failure(check=run.check, subject="", kind="crash", message=message, test=False)
    at_fault = {_package_of(i) for i in seen.running()}
    with_tests = seen.packages_with_tests()
    for package, ends in seen.packages.items():
        # Without this word the program ended before its tests did, and those that did not run are not even named.
        said_so = any(text.endswith("PASS\n") for text in seen.about.get(package, ()))
        if ends == {"pass"} and package not in at_fault and not said_so and package in with_tests:
            message = "the test program ended with exit code 0 before it was done"
            yield Failure(check=run.check, subject=package, kind="crash", message=message, test=False)


def _repro(run: RunContext, test_id: str) -> str | None:
    """From the folder of the module: elsewhere go does not know its packages."""
    name, package = _function(test_id), _package_of(test_id)
    parts = test_id[len(package) + 1 :].split("/")
    pattern = "/".join(f"^{re.escape(part)}$" for part in parts) if all(parts) else f"^{name}$"
    home = _module_of(package, tuple(_modules(run.folder)))

    def again(how: Written) -> str:
        kept = options(how.arguments, _FLAGS, _OPTIONS)
        if "-C" not in how.prefix:
            how = replace(how, folder=home or how.folder)
        return how.again(*kept, "-run", pattern, package or "./...")

    return shown_once(every_written(run, _prefix, ("go", "test")), again)


def _prefix(argv: tuple[str, ...]) -> tuple[str, ...]:
    at = argv.index("test") if "test" in argv else 0
    return argv[: at + 1] if GoRunner().recognises(argv) else ()


def _places(run: RunContext, ids: tuple[str, ...]) -> Iterator[TestPlace]:
    """Where top-level tests are written. A part of a test has no function of its own."""
    modules = tuple(_modules(run.folder))
    known: dict[str, dict[str, tuple[str, int]]] = {}
    for test_id in ids:
        package = _package_of(test_id)
        if package not in known:
            known[package] = _written(run.folder, _folder_of(package, modules))
        name = test_id[len(package) + 1 :]
        if name in known[package]:
            file, line = known[package][name]
            yield TestPlace(id=test_id, file=file, line=line, name=name)


def _modules(folder: Path) -> Iterator[tuple[str, str]]:
    """Module path and folder of each module of the tree."""
    for path in sorted((*folder.glob("go.mod"), *folder.glob("*/go.mod"), *folder.glob("*/*/go.mod"))):
        named = _MODULE.search(_text(path))
        if named:
            yield named[1], path.parent.relative_to(folder).as_posix()


def _module_of(package: str, modules: tuple[tuple[str, str], ...]) -> str | None:
    """The folder of the module that a package belongs to."""
    mine = [(len(m), folder) for m, folder in modules if package == m or package.startswith(f"{m}/")]
    return max(mine)[1] if mine else None


def _folder_of(package: str, modules: tuple[tuple[str, str], ...]) -> str | None:
    package = package.removesuffix("_test")
    for module, folder in sorted(modules, key=lambda one: -len(one[0])):
        if package == module or package.startswith(f"{module}/"):
            return (Path(folder) / package[len(module) + 1 :]).as_posix()
    return None


def _written(root: Path, folder: str | None) -> dict[str, tuple[str, int]]:
    found: dict[str, tuple[str, int]] = {}
    for path in sorted((root / folder).glob("*_test.go")) if folder is not None else ():
        for function in go_tests(_text(path)):
            found.setdefault(function.name, (path.relative_to(root).as_posix(), function.line))
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace") if not path.is_symlink() else ""
    except OSError:
        return ""
