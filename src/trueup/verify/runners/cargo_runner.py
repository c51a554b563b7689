"""Which Rust tests ran, and what became of each? Read from the lines of `cargo test` and nextest, if all are there."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from trueup.act.process import Completed
from trueup.evidence.failure import Failure, Phase, known_by_name
from trueup.evidence.normalize import neutralise
from trueup.evidence.report import SeenBy, Strength
from trueup.evidence.text import GUESSED, failures_from_text, plain_lines
from trueup.verify.runners.additions import programs_home
from trueup.verify.runners.base import Evidence, RunContext
from trueup.verify.runners.repro import Written, every_written, options, shown_once
from trueup.verify.runners.stand_ins import program_behind, write_stand_in

_VISIBLE = re.compile(r"(?:^|[\s;&|('\"])cargo(?:\s+\+\S+)?\s+(?:test|t)(?:\s|$|[;&|)'\"])")
_TOLD = re.compile("--no-fail-fast|--no-run")
_FLAGS = re.compile(r"--(?:all-features|no-default-features|release|locked|offline|frozen)|-r")
_OPTIONS = re.compile(r"--(?:features|profile|target|manifest-path|config)(?:=.*)?|-[FZ]")
"""Options that may change what a test does."""
_HEADER = re.compile(
    r"\s{1,12}Running (?:(unittests) )?(\S{1,500}) \(.{0,400}?([\w.-]{1,200}?)(?:-[0-9a-f]{16})?(?:\.exe)?\)$"
)
_DOC_HEADER = re.compile(r"\s{1,12}Doc-tests (\S{1,200})$")
_ANNOUNCED = re.compile(r"running (\d{1,7}) tests?$")
_RESULT = re.compile(
    r"test (.{1,1000}?)(?: - (?:should panic|compile fail|compile))? \.\.\. (ok|FAILED|ignored(?:, .{0,400})?)$"
)
_SUMMARY = re.compile(r"test result: (?:ok|FAILED)\. (\d{1,7}) passed; (\d{1,7}) failed; (\d{1,7}) ignored;")
_DOC_LINE = re.compile(r" \(line \d{1,9}\)")
_NEXTEST_START = re.compile(r"\s{1,12}Starting (\d{1,7}) tests? across ")
_NEXTEST_RESULT = re.compile(
    r"\s{1,12}(PASS|FAIL|TIMEOUT|LEAK|SIG[A-Z]{2,8}|ABORT) \[[^\]\n]{1,20}\] (?:\([^)\n]{1,40}\) )?\s{0,4}"
    r"(\S{1,200}) (\S{1,1000})$"
)
_NEXTEST_SUMMARY = re.compile(r"\s{1,12}Summary \[")


class CargoRunner:
    name = "cargo"

    def recognises(self, argv: tuple[str, ...]) -> bool:
        return _subcommand(argv) in {("test",), ("t",), ("nextest", "run")}

    def prepare(self, run: RunContext) -> Mapping[str, str]:
        """Cargo stops after the first test program that fails. A stand-in lets it go on where all has to be seen."""
        path = run.env.get("PATH", "")
        cargo = program_behind(run, "cargo")
        visible, told = run.shows(_VISIBLE), run.shows(_TOLD)
        if not run.keep_going or cargo is None or not visible or told:
            return {}
        home = programs_home(run)
        home.mkdir(exist_ok=True)
        write_stand_in(home / "cargo", cargo, more=dict.fromkeys(("test", "t"), ("--no-fail-fast",)))
        return {"PATH": os.pathsep.join(part for part in (str(home), path) if part)}

    def hindered(self, run: RunContext, completed: Completed) -> bool:  # noqa: ARG002 - what is unknown is handed on
        return False

    def read(self, run: RunContext, completed: Completed) -> Evidence | None:
        """What is cut in the middle is no inventory: the exit code and the text have to do."""
        if completed.not_started or completed.stdout.omitted:
            return None
        said = run.redact(neutralise(completed.stdout.text()))
        lines = plain_lines(said)
        parts = _nextest(lines) or _parts(lines, run.folder)
        if not parts:
            return None
        return _evidence(run, completed, parts)

    def select(self, argv: tuple[str, ...], ids: tuple[str, ...]) -> tuple[str, ...] | None:
        """`-- --exact name …`. Examples in comments are named by their line, which an id leaves out."""
        if _subcommand(argv) not in {("test",), ("t",)} or not all("::" in i for i in ids):
            return None
        names = tuple(dict.fromkeys(i.partition("::")[2] for i in ids))
        own, _, theirs = (argv, "", ()) if "--" not in argv else _divided(argv)
        return (*own, "--", *theirs, "--exact", *names)


def _divided(argv: tuple[str, ...]) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
    at = argv.index("--")
    return argv[:at], "--", argv[at + 1 :]


def _subcommand(argv: tuple[str, ...]) -> tuple[str, ...]:
    """`("test",)` for `cargo +nightly test --all`."""
    if not argv or PurePath(argv[0]).name not in {"cargo", "cargo.exe"}:
        return ()
    rest = argv[2:] if argv[1:2] and argv[1].startswith("+") else argv[1:]
    return rest[:2] if rest[:1] == ("nextest",) else rest[:1]


# --- the lines -----------------------------------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class _Part:
    """What one test program printed."""

    owner: str = ""
    glue: str = "::"
    announced: int | None = None
    results: list[tuple[str, str]] = field(default_factory=list)
    """Name and `ok`, `FAILED` or `ignored`, in the order of the lines."""
    summed: int | None = None
    """How many its last line counts; None when it never came to that."""
    lines: list[str] = field(default_factory=list)

    def id_of(self, name: str) -> str:
        plain = _DOC_LINE.sub("", name)
        return f"{self.owner}{self.glue}{plain}" if self.owner else plain

    @property
    def complete(self) -> bool:
        return self.announced == len(self.results) == self.summed

    @property
    def cut(self) -> bool:
        return self.announced is not None and self.summed is None


def _parts(lines: list[str], folder: Path) -> list[_Part]:
    """One look through the lines. Without headings (`-q`) all belongs to programs without a name."""
    members = None
    parts: list[_Part] = []
    upcoming = _Part()
    for line in lines:
        header = _HEADER.match(line)
        if header:
            members = tuple(_members(folder)) if members is None else members
            upcoming = _Part(owner=_owner(folder, members, header[2], header[3], unit=bool(header[1])))
        elif _DOC_HEADER.match(line):
            upcoming = _Part()
        elif announced := _ANNOUNCED.match(line):
            parts.append(replace(upcoming, announced=int(announced[1]), results=[], lines=[]))
        elif parts:
            _add(parts[-1], line)
    return parts


def _add(part: _Part, line: str) -> None:
    part.lines.append(line)
    if part.summed is not None:
        return
    if line.startswith("test ") and (result := _RESULT.match(line)):
        part.results.append((result[1], result[2].partition(",")[0]))
    elif summary := _SUMMARY.match(line):
        part.summed = sum(int(count) for count in summary.groups())


def _nextest(lines: list[str]) -> list[_Part]:
    start = next((n for n, line in enumerate(lines) if _NEXTEST_START.match(line)), None)
    if start is None:
        return []
    begun = _NEXTEST_START.match(lines[start])
    results: dict[tuple[str, str], str] = {}
    for line in lines[start:]:
        if match := _NEXTEST_RESULT.match(line):
            results[match[2], match[3]] = "ok" if match[1] in {"PASS", "LEAK"} else "FAILED"
    ended = any(_NEXTEST_SUMMARY.match(line) for line in lines[start:])
    part = _Part(
        announced=int(begun[1]) if begun else None, summed=len(results) if ended else None, lines=lines[start:]
    )
    part.results = [(f"{binary}::{name}", result) for (binary, name), result in results.items()]
    return [part]


def _members(folder: Path) -> Iterator[tuple[str, str]]:
    """Name of the library and folder of each package of the tree."""
    yield from ((name.replace("-", "_"), home) for name, home in _packages(folder))


def _packages(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and folder of each package of the tree."""
    for path in sorted((*folder.glob("Cargo.toml"), *folder.glob("*/Cargo.toml"), *folder.glob("*/*/Cargo.toml"))):
        try:
            package = tomllib.loads(path.read_text(encoding="utf-8")).get("package", {})
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(package, dict) and isinstance(package.get("name"), str):
            yield package["name"], path.parent.relative_to(folder).as_posix()


def _owner(folder: Path, members: tuple[tuple[str, str], ...], path: str, program: str, *, unit: bool) -> str:
    """The source file as the tree knows it; cargo names it from the folder of its package."""
    here = [(name, home) for name, home in members if (folder / home / path).is_file()]
    named = [home for name, home in here if unit and name == program.replace("-", "_")]
    homes = named or [home for _, home in here]
    if len(homes) == 1:
        return (PurePath(homes[0]) / path).as_posix()
    return f"{program}/{path}" if len(homes) > 1 else path


# --- what it amounts to --------------------------------------------------------------------------------------


def _evidence(run: RunContext, completed: Completed, parts: list[_Part]) -> Evidence:
    failures = (*_failures(run, parts), *_crashes(run, completed, parts))
    if not all(part.complete or part.cut for part in parts):  # `-q`, or words of the tests between the results
        return Evidence(failures=failures or _told_quietly(run, parts))
    results: dict[str, set[str]] = {}
    for part in parts:
        for name, result in part.results:
            results.setdefault(part.id_of(name), set()).add(result)
    return Evidence(
        failures=failures,
        passed=tuple(i for i, seen in results.items() if seen == {"ok"}),
        skipped=tuple(i for i, seen in results.items() if "ignored" in seen and "FAILED" not in seen),
        inventory=tuple(results),
        strength=Strength.INVENTORY,
        seen_by=SeenBy.TEXT,
    )


def _told_quietly(run: RunContext, parts: list[_Part]) -> tuple[Failure, ...]:
    """Program by program: two of them may have a failing test of one name, and both count."""
    failed = [part.lines for part in parts if any(line.startswith("test result: FAILED") for line in part.lines)]
    texts = ("\n".join(("", *lines, "")) for lines in failed)
    found = [failures_from_text(run.check, text, exit_code=1, sources=run.sources) for text in texts]
    told = [tuple(f for f in failures if f.kind not in GUESSED) for failures in found]
    return known_by_name((f for failures in told for f in failures), frozenset())


def _failures(run: RunContext, parts: list[_Part]) -> Iterator[Failure]:
    for part in parts:
        failed = [name for name, result in part.results if result == "FAILED"]
        if failed:
            yield from _failed(run, part, dict.fromkeys(failed))


def _failed(run: RunContext, part: _Part, names: Mapping[str, None]) -> Iterator[Failure]:
    """The parser of the text knows what was said; here it is known whose test it is."""
    text = "\n".join(("", *part.lines, ""))
    found = failures_from_text(run.check, text, exit_code=1, sources=run.sources)
    by_name = {f.subject: f for f in found if f.kind not in GUESSED}
    for name in names:
        test_id, plain = part.id_of(name), _DOC_LINE.sub("", name)
        told = by_name.get(plain) or by_name.get(plain.rpartition("::")[2]) or _plain(run, plain)
        repro = _repro(run, part.owner, plain) if " " not in plain else None
        yield replace(told, subject=test_id, test=True, phase=Phase.RUN, repro=repro)


def _repro(run: RunContext, owner: str, name: str) -> str | None:
    """Of the package and the program that the test belongs to: others may have a test of that name, and end first."""
    packages = {home: package for package, home in _packages(run.folder)}
    home = next((h for h in (".", *sorted(packages)) if h in packages and _lies_in(owner, h) and h != "."), ".")
    package = ("-p", packages[home]) if len(packages) > 1 and home in packages else ()
    target = _target(owner if home == "." else owner[len(home) + 1 :])

    def again(how: Written) -> str:
        theirs = how.arguments[: how.arguments.index("--")] if "--" in how.arguments else how.arguments
        return how.again(*package, *target, *options(theirs, _FLAGS, _OPTIONS), "--", "--exact", name)

    return shown_once(every_written(run, _prefix, ("cargo", "test")), again)


def _prefix(argv: tuple[str, ...]) -> tuple[str, ...]:
    if _subcommand(argv) not in {("test",), ("t",)}:
        return ()
    return argv[: 3 if argv[1].startswith("+") else 2]


def _lies_in(path: str, folder: str) -> bool:
    return folder == "." or path.startswith(f"{folder}/")


def _target(path: str) -> tuple[str, ...]:
    """`src/lib.rs` is the library, `tests/api.rs` the program `api`."""
    if path == "src/lib.rs":
        return ("--lib",)
    named = re.fullmatch(r"(?:src/(bin)|(test)s|(example)s|(bench)es)/([\w-]+)(?:\.rs|/main\.rs)", path)
    kind = next((word for word in named.groups()[:4] if word), "") if named else ""
    return (f"--{kind}", named[5]) if named else ()


def _plain(run: RunContext, name: str) -> Failure:
    return Failure(check=run.check, subject=name, kind="FAILED", message="", excerpt=f"test {name} ... FAILED")


def _crashes(run: RunContext, completed: Completed, parts: list[_Part]) -> tuple[Failure, ...]:
    """A test program that never came to its last line ended in the middle, and cargo may not have noticed."""
    if completed.timed_out:
        return ()
    message = "the test program ended before its tests did"
    return tuple(
        Failure(
            check=run.check,
            subject=part.owner,
            kind="crash",
            message=message,
            excerpt=f"{message}: {len(part.results)} of {part.announced} have a result",
            test=False,
        )
        for part in parts
        if part.cut
    )
