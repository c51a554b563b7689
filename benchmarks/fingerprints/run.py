"""What does each tool print for each failure, under each change that should not matter?"""

from __future__ import annotations

import os
import shutil
import subprocess  # noqa: TID251 - it measures what the tools print, outside the product
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.fingerprints.shape import MORE, PAD, Failing, Style, Tool
from benchmarks.fingerprints_tools.wrapped import WRAPPINGS

_LONGEST_RUN = 120
_FOLDERS = ("home/ci/work/shop", "builds/9f3a/runner-2/checkout")
_STAMP = "2026-03-0{day}T11:{minute:02}:{second:02}.{part:07}Z "


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The form in which a log is judged, and its labels."""

    id: str
    tool: str
    command: str
    exit_code: int
    output: str
    junit_xml: None
    label_group: str
    perturbation: str
    coarse_key: str
    failure_ids: tuple[str, ...]

    def told(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """One look of the workspace."""

    folder: int = 0
    pad: int = 0
    beside: bool = False


_CHANGES = (
    ("base", _Place()),
    ("moved", _Place(folder=1, pad=13)),
    ("neighbours", _Place(beside=True, pad=2)),
)
_STYLES = 2
"""In how many other styles each failure is seen: they take turns, as running them all takes long."""
_WRAPPINGS = 3
"""Inside how many logs of others it is seen: they take turns, too."""


def missing(tool: Tool) -> str:
    """The first thing that the tool needs and that is not here; "" when all is."""
    return next((n for n in tool.needs if not (shutil.which(n) or Path(n).exists())), "")


def records(tool: Tool, scratch: Path) -> Iterator[Record]:
    for family, styles in tool.families.items():
        for turn, failing in enumerate(tool.failing):
            taken = _taken(styles, failing, turn)
            for record in _family(tool, family, taken, failing, scratch):
                yield record
                if record.perturbation == "base" and tool.surroundings:
                    yield from _wrapped(record, turn)


def _wrapped(base: Record, turn: int) -> Iterator[Record]:
    names = [*WRAPPINGS]
    start = turn * _WRAPPINGS % len(names)
    for name in (names[start:] + names)[:_WRAPPINGS]:
        told = {"id": f"{base.label_group}:{name}".replace(" ", "_"), "perturbation": name}
        yield replace(base, **told, output=WRAPPINGS[name](base.output))  # type: ignore[arg-type]  # both are texts


def _taken(styles: tuple[Style, ...], failing: Failing, turn: int) -> tuple[Style, ...]:
    fit = [style for style in styles if not style.failing or failing.name in style.failing]
    others = fit[1:]
    start = turn * _STYLES % max(1, len(others))
    return (*fit[:1], *(others[start:] + others[:start])[:_STYLES])


def _family(tool: Tool, family: str, styles: tuple[Style, ...], failing: Failing, scratch: Path) -> Iterator[Record]:
    runs = [
        (change, style, place)
        for style in styles[:1]
        for change, place in _CHANGES
        if not (place.beside and _hits_all(failing))
    ]
    runs += [(style.name, style, _Place(folder=n % 2, pad=n)) for n, style in enumerate(styles[1:], start=1)]
    for change, style, place in runs:
        try:
            code, output = _ran(tool, style, failing, place, scratch)
        except subprocess.TimeoutExpired:
            sys.stderr.write(f"  {tool.name}/{failing.name}/{change} did not end\n")
            continue
        if code == 0:  # what should fail and does not is no failing run: it shows as a gap in the counts
            sys.stderr.write(f"  {tool.name}/{failing.name}/{change} passed\n")
            continue
        yield _record(tool, family, style, failing, change, code, output)
        if change == "base":
            yield _record(tool, family, style, failing, "crlf", code, output.replace("\n", "\r\n"))
            yield _record(tool, family, style, failing, "stamped", code, _stamped(output))


def _hits_all(failing: Failing) -> bool:
    """What goes wrong before each test fails those beside it, too: that is another set of failures."""
    return failing.name in {"before", "set up", "setup", "tear down", "set up all", "setup class"}


def _record(tool: Tool, family: str, style: Style, failing: Failing, change: str, code: int, output: str) -> Record:
    named = tool.name if not family else f"{tool.name} {family}"
    group = f"{named}:{failing.name}"
    return Record(
        id=f"{group}:{change}".replace(" ", "_"),
        tool=named,
        command=" ".join(style.command),
        exit_code=code,
        output=output,
        junit_xml=None,
        label_group=group,
        perturbation=change,
        coarse_key=f"{named}:{failing.coarse or failing.name}",
        failure_ids=(failing.test,),
    )


def _stamped(output: str) -> str:
    lines = output.split("\n")
    stamps = (
        _STAMP.format(day=n % 7 + 1, minute=n // 60 % 60, second=n % 60, part=n * 7919) for n in range(len(lines))
    )
    return "\n".join(stamp + line for stamp, line in zip(stamps, lines, strict=False))


def _ran(tool: Tool, style: Style, failing: Failing, place: _Place, scratch: Path) -> tuple[int, str]:
    root = scratch / _FOLDERS[place.folder]
    if root.exists():
        shutil.rmtree(root)
    files = {**tool.shared, **failing.files, **(tool.beside if place.beside else {})}
    _lay(root, files, pad=f"{tool.comment} an edit above\n" * place.pad, more=tool.more if place.beside else "")
    env = _environment(root, style.env)
    command = [part.replace("%ROOT%", str(root)) for part in style.command]
    done = subprocess.run(
        command,
        cwd=root,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=_LONGEST_RUN,
        check=False,
    )
    return done.returncode, done.stdout.decode("utf-8", "replace")


def _lay(root: Path, files: Mapping[str, str], *, pad: str, more: str) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("->"):
            path.symlink_to(text.removeprefix("->"))
        else:
            path.write_text(text.replace(PAD, pad).replace(MORE, more))


def _environment(root: Path, more: Mapping[str, str]) -> dict[str, str]:
    kept = {
        k: v for k, v in os.environ.items() if k in {"PATH", "HOME", "CARGO_HOME", "RUSTUP_HOME", "GOPATH", "GOPROXY"}
    }
    return {
        **kept,
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "GOFLAGS": "-vet=off",
        "CARGO_TARGET_DIR": str(root.parents[2] / "target"),
        **more,
    }
