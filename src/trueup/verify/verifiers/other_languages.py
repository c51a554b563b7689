"""Can the declared sets of other languages be resolved? npm, Cargo and Go answer, where they are installed.

They get the manifest and its lock in a folder of their own: no settings, hooks or sources of the tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from posixpath import dirname

from trueup.act.command_line import which
from trueup.act.indexes import without_addresses
from trueup.act.manifests import load_json
from trueup.act.process import Completed
from trueup.evidence.failure import Failure
from trueup.evidence.told import Phase
from trueup.verify.verifiers.base import Bench, Verdict

_NOT_PROJECTS = frozenset(
    {"node_modules", "vendor", "target", "test", "tests", "testdata", "fixtures", "examples", "example"}
)
_MOST = 5
_LONGEST = 600
_KEPT = 400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tool:
    program: str
    manifest: str
    beside: tuple[str, ...]
    argv: tuple[str, ...]
    refusal: re.Pattern[str]
    """What shows that the declared set itself is at fault."""


_TOOLS = (
    _Tool(
        program="npm",
        manifest="package.json",
        beside=("package-lock.json", "npm-shrinkwrap.json"),
        argv=("install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"),
        refusal=re.compile(r"ETARGET|E404|ERESOLVE|EINVALIDPACKAGENAME|EUNSUPPORTEDPROTOCOL|No matching version"),
    ),
    _Tool(
        program="cargo",
        manifest="Cargo.toml",
        beside=("Cargo.lock",),
        argv=("generate-lockfile", "--quiet"),
        refusal=re.compile(
            r"failed to select a version|no matching package|candidate versions found which didn't match"
        ),
    ),
    _Tool(
        program="go",
        manifest="go.mod",
        beside=("go.sum",),
        argv=("mod", "download"),
        refusal=re.compile(
            r"unknown revision|invalid version|no matching versions|malformed module path"
            r"|@v\S+: reading .*(?:404 Not Found|410 Gone|no such file or directory)"  # a proxy that does not have it
        ),
    ),
)


def other_languages(bench: Bench) -> Iterator[Verdict]:
    for tool in _TOOLS:
        manifests = [p for p in bench.files.called(tool.manifest) if not _NOT_PROJECTS & set(PurePosixPath(p).parts)]
        for manifest in manifests[:_MOST]:
            if _asks_for_something(tool, manifest, bench):
                yield _verdict(tool, manifest, bench)


def _asks_for_something(tool: _Tool, manifest: str, bench: Bench) -> bool:
    """Whether it names packages, all of them from the registry: what lies beside the manifest is not shown."""
    content = bench.files.content(manifest) or b""
    if tool.program != "npm":
        section = rb"^\[(?:.*\.)?dependencies\]" if tool.program == "cargo" else rb"^require\b"
        local = rb"path\s*=" if tool.program == "cargo" else rb"^replace\b.*=>\s*\.{0,2}/"
        return bool(re.search(section, content, re.MULTILINE)) and not re.search(local, content, re.MULTILINE)
    table = load_json(content) or {}
    asked = [table.get(name) for name in ("dependencies", "devDependencies")]
    values = [str(value) for one in asked if isinstance(one, dict) for value in one.values()]
    return (
        bool(values)
        and "workspaces" not in table
        and not any(":" in v or "/" in v or v.startswith(".") for v in values)
    )


def _verdict(tool: _Tool, manifest: str, bench: Bench) -> Verdict:
    program = which(tool.program, bench.env.get("PATH", ""))
    if program is None:
        return Verdict(advice=(_told(tool, manifest, f"not looked at: {tool.program} is not installed", "no-tool"),))
    folder = bench.scratch / tool.program / dirname(manifest)
    folder.mkdir(parents=True, exist_ok=True)
    for name in (tool.manifest, *tool.beside):
        content = bench.files.content(str(PurePosixPath(dirname(manifest)) / name))
        if content is not None:
            (folder / name).write_bytes(content)
    if tool.program == "cargo":
        (folder / "src").mkdir(exist_ok=True)
        (folder / "src/lib.rs").touch()
    bench.tell(f"resolving {manifest}")
    done = _run(tool, program, folder, bench)
    return _judged(tool, manifest, done)


def _run(tool: _Tool, program: str, folder: Path, bench: Bench) -> Completed:
    kept = bench.cache / tool.program
    kept.mkdir(parents=True, exist_ok=True)
    env = {name: value for name, value in bench.env.items() if _FOR_TOOLS.fullmatch(name)} | {
        "npm_config_cache": str(kept),
        "npm_config_ignore_scripts": "true",
        "npm_config_update_notifier": "false",
        "CARGO_NET_RETRY": "1",
        "GOFLAGS": "-mod=mod",
        "GOMODCACHE": str(kept),
        "GOTOOLCHAIN": "local",
    }
    return bench.processes.run(
        (program, *tool.argv), cwd=folder, env=env, timeout=bench.seconds, merge_stderr=True, keep=_KEPT
    )


_FOR_TOOLS = re.compile(
    r"PATH|HOME|LANG|TMPDIR|CARGO_HOME|RUSTUP_HOME|GOPROXY|GONOSUMDB|GOSUMDB|NODE_EXTRA_CA_CERTS|ssl_cert_\w+"
    r"|npm_config_(?:registry|cafile|proxy|https_proxy)|https?_proxy|no_proxy",
    re.IGNORECASE,
)


def _judged(tool: _Tool, manifest: str, done: Completed) -> Verdict:
    if done.exit_code == 0:
        return Verdict(looked_at=1)
    said = without_addresses(done.stdout.text()).strip()
    if not tool.refusal.search(said):
        why = "it did not finish in time" if done.timed_out else done.not_started or said[-300:] or "it said nothing"
        return Verdict(error=f"{tool.program} could not answer for {manifest}: {why}")
    lines = [line.removeprefix("npm error ").removeprefix("npm ERR! ").strip() for line in said.splitlines()]
    told = " ".join(line for line in lines if line and not line.startswith(("A complete log", "code ")))
    return Verdict(failures=(_told(tool, manifest, told[:_LONGEST], "unresolvable"),), looked_at=1)


def _told(tool: _Tool, manifest: str, message: str, kind: str) -> Failure:
    return Failure(
        check="dependencies",
        subject=f"{manifest} {tool.program}",
        phase=Phase.BUILD,
        kind=kind,
        message=message,
        file=manifest,
        test=False,
    )
