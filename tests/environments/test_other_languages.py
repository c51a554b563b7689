"""Cargo and Go answer for their manifests: the real programs, with a registry that lies on this disk."""

from __future__ import annotations

import io
import json
import os
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from trueup.verify.verifiers.base import Verdict


def tool(name: str) -> str:
    found = shutil.which(name, path=f"{os.environ['PATH']}:{Path('~/.cargo/bin').expanduser()}:/usr/local/go/bin")
    if found is None:
        pytest.skip(f"{name} is not installed on this machine")
    return found


def verdict(gate: Any, files: dict[str, str]) -> Verdict:
    found: Verdict = gate.verify("dependencies", files)
    return found


# --- Cargo --------------------------------------------------------------------------------------------------------


@pytest.fixture
def cargo(gate: Any) -> Any:
    """Cargo, with one crate in a folder instead of the registry, and no network."""
    program = tool("cargo")
    home = gate.base / "cargo"
    crate = home / "crates" / "tiny"
    (crate / "src").mkdir(parents=True)
    (crate / "src/lib.rs").touch()
    (crate / "Cargo.toml").write_text('[package]\nname = "tiny"\nversion = "1.2.0"\nedition = "2021"\n')
    (crate / ".cargo-checksum.json").write_text(json.dumps({"files": {}, "package": "0" * 64}))
    source = f'[source.crates-io]\nreplace-with = "here"\n[source.here]\ndirectory = "{home}/crates"\n'
    (home / "config.toml").write_text(f"{source}[net]\noffline = true\n")
    rustup = os.environ.get("RUSTUP_HOME") or str(Path("~/.rustup").expanduser())
    gate.env |= {"CARGO_HOME": str(home), "RUSTUP_HOME": rustup}
    gate.env["PATH"] = f"{Path(program).parent}:{gate.env['PATH']}"
    return gate


def manifest(requirement: str) -> dict[str, str]:
    package = '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n'
    return {"Cargo.toml": f"{package}\n[dependencies]\n{requirement}\n", "src/main.rs": "fn main() {}\n"}


def test_cargo_resolves_what_the_registry_has(cargo: Any) -> None:
    said = verdict(cargo, manifest('tiny = "1"'))
    assert (said.failures, said.error) == ((), "")
    assert said.looked_at == 1


@pytest.mark.parametrize("requirement", ['tiny = "9"', 'huge = "1"'])
def test_cargo_names_what_cannot_be_had(cargo: Any, requirement: str) -> None:
    said = verdict(cargo, manifest(requirement))
    (failure,) = said.failures
    assert failure.kind == "unresolvable"
    assert failure.file == "Cargo.toml"
    assert requirement.partition(" ")[0] in failure.message


def test_a_crate_beside_the_manifest_is_not_looked_at(cargo: Any) -> None:
    assert verdict(cargo, manifest('part = { path = "../part" }')).skipped


# --- Go -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def go(gate: Any) -> Any:
    """Go, with a folder instead of the module proxy, and no network."""
    program = tool("go")
    versions = gate.base / "proxy" / "example.com" / "tiny" / "@v"
    versions.mkdir(parents=True)
    (versions / "list").write_text("v1.2.0\n")
    (versions / "v1.2.0.info").write_text('{"Version": "v1.2.0", "Time": "2024-01-01T00:00:00Z"}')
    (versions / "v1.2.0.mod").write_text("module example.com/tiny\n")
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("example.com/tiny@v1.2.0/go.mod", "module example.com/tiny\n")
        archive.writestr("example.com/tiny@v1.2.0/tiny.go", "package tiny\n")
    (versions / "v1.2.0.zip").write_bytes(content.getvalue())
    gate.env |= {"GOPROXY": f"file://{gate.base}/proxy", "GOSUMDB": "off"}
    gate.env["PATH"] = f"{Path(program).parent}:{gate.env['PATH']}"
    return gate


def module(requirement: str) -> dict[str, str]:
    return {"go.mod": f"module example.com/app\n\ngo 1.18\n\n{requirement}\n", "main.go": "package main\n"}


def test_go_resolves_what_the_proxy_has(go: Any) -> None:
    said = verdict(go, module("require example.com/tiny v1.2.0"))
    assert (said.failures, said.error) == ((), "")
    assert said.looked_at == 1


def test_go_names_a_version_that_cannot_be_had(go: Any) -> None:
    said = verdict(go, module("require example.com/tiny v1.9.0"))
    (failure,) = said.failures
    assert failure.kind == "unresolvable"
    assert "example.com/tiny@v1.9.0" in failure.message


def test_a_module_that_lies_beside_is_not_looked_at(go: Any) -> None:
    replaced = module("require example.com/part v1.0.0\n\nreplace example.com/part => ../part")
    assert verdict(go, replaced).skipped
