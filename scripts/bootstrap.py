"""How does a fresh clone become ready to work? This makes `.venv`, with trueup and its development tools in it.

    python3 scripts/bootstrap.py

It needs Python 3.11 and nothing else: no pip, no uv. uv is used where it is there or can be installed, because it
keeps to the lock file; pip otherwise, because only pip reads pip's own configuration. Running it again only
compiles what changed, until `pyproject.toml` or `uv.lock` change.
"""
# ruff: noqa: T201, TID251 - a script for people, which runs before anything is installed
# It is read by older Pythons too, to be able to say that they are too old: no syntax that is newer than 3.8.

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

OLDEST = (3, 11)
NEWER_PYTHONS = ("python3.14", "python3.13", "python3.12", "python3.11")
ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
STAMP = ENVIRONMENT / ".ready"
TOOLS = ROOT / ".bootstrap"
"""uv lives in an environment of its own: `uv sync` removes from `.venv` what the lock does not name."""
UV = "uv>=0.9"


def main() -> int:
    if _is_ready():
        _compile(ROOT / "src")
        return 0
    STAMP.unlink(missing_ok=True)
    if not (_sync_with(shutil.which("uv")) or _without_uv()):
        return 1
    _compile(ROOT / "src", *ENVIRONMENT.glob("lib/python*/site-packages"))
    STAMP.write_text(_digest(), encoding="ascii")
    _say(f"{ENVIRONMENT.name} is ready")
    return 0


def _compile(*folders: Path) -> None:
    """Where PYTHONDONTWRITEBYTECODE is set, every start of trueup would compile all that it loads anew."""
    _succeeds(os.fspath(_python_of(ENVIRONMENT)), "-m", "compileall", "-q", *map(os.fspath, folders))


def _is_ready() -> bool:
    return _python_of(ENVIRONMENT).exists() and STAMP.is_file() and STAMP.read_text(encoding="ascii") == _digest()


def _digest() -> str:
    """What the environment depends on; the place too, because the scripts in it name their interpreter in full."""
    parts = [os.fsencode(ROOT), *((ROOT / name).read_bytes() for name in ("pyproject.toml", "uv.lock"))]
    return hashlib.sha256(b"\0".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def _python_of(environment: Path) -> Path:
    return environment / "bin" / "python"


def _say(text: str) -> None:
    print(f"setup: {text}", flush=True)


def _refuse(what: str, do: str) -> bool:
    print(f"setup: {what}\n       {do}", file=sys.stderr, flush=True)
    return False


def _run(*argv: str | Path, **variables: str) -> bool:
    words = [os.fspath(word) for word in argv]
    _say("$ " + " ".join(words))
    try:
        return subprocess.run(words, cwd=ROOT, env={**os.environ, **variables}, check=False).returncode == 0
    except OSError as error:
        _say(f"{words[0]}: {error.strerror}")
        return False


def _succeeds(*argv: str) -> bool:
    """A question, asked in silence."""
    try:
        return subprocess.run(argv, cwd=ROOT, check=False, capture_output=True).returncode == 0
    except OSError:
        return False


# --- with uv -------------------------------------------------------------------------------------------------------


def _sync_with(uv: str | None) -> bool:
    """Exactly what the lock file says."""
    if uv is None:
        return False
    # Without a suitable Python here, uv finds or fetches one; an environment that exists keeps its own.
    ours = _suitable_python() if not _python_of(ENVIRONMENT).exists() else None
    with_python = ("--python", ours) if ours else ()
    if _run(uv, "sync", "--frozen", *with_python, UV_PROJECT_ENVIRONMENT=os.fspath(ENVIRONMENT)):
        return True
    _say("uv could not do it (it does not read pip's configuration, for example); going on without it")
    return False


def _without_uv() -> bool:
    python = _suitable_python()
    if python is None:
        version = ".".join(map(str, OLDEST))
        return _refuse(
            f"trueup needs Python {version} or newer; this is {sys.version.split()[0]} ({sys.executable})",
            f"Install one and try again with `make PYTHON=python{version} …`, or install uv, which brings its own.",
        )
    if not _can_make_environments(python):
        return False
    uv = TOOLS / "bin" / "uv"
    has_uv = uv.exists() or (shutil.which("uv") is None and _install_uv(python))
    return (has_uv and _sync_with(os.fspath(uv))) or _install_with_pip(python)


def _install_uv(python: str) -> bool:
    return _make_environment(python, TOOLS) and _pip_install(TOOLS, UV)


# --- Python --------------------------------------------------------------------------------------------------------


def _suitable_python() -> str | None:
    if sys.version_info >= OLDEST:
        return sys.executable
    return next(filter(None, map(shutil.which, NEWER_PYTHONS)), None)


def _can_make_environments(python: str) -> bool:
    """Debian keeps `ensurepip` in a package of its own."""
    if _has(python, "venv", "ensurepip") or _has(python, "venv", "pip"):
        return True
    package = _venv_package(python)
    command = f"apt-get install -y {package}"
    if shutil.which("apt-get") is None:
        return _refuse(f"{python} cannot make virtual environments", "Install its `venv` and `ensurepip` modules.")
    if os.geteuid() != 0:
        return _refuse(f"{python} cannot make virtual environments", f"Install what is missing: sudo {command}")
    _say(f"{python} cannot make virtual environments; installing {package}, as you are root")
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    _run("apt-get", "update", "-q", **quiet)
    if _run("apt-get", "install", "-q", "-y", "--no-install-recommends", package, **quiet):
        return True
    return _refuse(f"{package} could not be installed", f"Install it yourself: {command}")


def _has(python: str, *modules: str) -> bool:
    return _succeeds(python, "-c", "import " + ", ".join(modules))


def _venv_package(python: str) -> str:
    default = shutil.which("python3", path="/usr/bin")
    if default and os.path.realpath(default) == os.path.realpath(python):
        return "python3-venv"
    asked = subprocess.run(
        [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], check=True, capture_output=True, text=True
    )
    return f"python{asked.stdout.strip()}-venv"


# --- with pip ------------------------------------------------------------------------------------------------------


def _make_environment(python: str, folder: Path) -> bool:
    if _has(python, "ensurepip"):
        return _run(python, "-m", "venv", "--clear", folder)
    # An older Debian pip can install into another environment, though ensurepip is missing.
    made = _run(python, "-m", "venv", "--clear", "--without-pip", folder)
    return made and _run(python, "-m", "pip", "--python", _python_of(folder), "install", "--quiet", "pip")


def _pip_install(environment: Path, *what: str | Path) -> bool:
    options = ("--quiet", "--disable-pip-version-check")
    return _run(_python_of(environment), "-m", "pip", "install", *options, *what)


def _install_with_pip(python: str) -> bool:
    """The locked versions where the index has them, else whatever satisfies `pyproject.toml`."""
    if not _make_environment(python, ENVIRONMENT):
        return _refuse("the virtual environment could not be made", "The messages above say why.")
    wanted = ("--editable", ".", *_development_tools())
    constraints = ENVIRONMENT / "constraints.txt"
    constraints.write_text("".join(f"{line}\n" for line in _locked_versions()), encoding="utf-8")
    if _pip_install(ENVIRONMENT, "--constraint", constraints, *wanted):
        return True
    _say("the locked versions cannot be had here; taking others that fit")
    return _pip_install(ENVIRONMENT, *wanted) or _refuse(
        "the packages could not be installed", "The messages above say why; `pip config list` shows where pip looks."
    )


def _development_tools() -> Sequence[str]:
    groups = _read_toml(ROOT / "pyproject.toml")["dependency-groups"]
    return groups["dev"]  # type: ignore[index, no-any-return]


def _locked_versions() -> Iterator[str]:
    """`name==version` of every package that is locked to one version for all platforms."""
    packages = [p for p in _read_toml(ROOT / "uv.lock")["package"] if "registry" in p["source"]]  # type: ignore[attr-defined]
    names = [package["name"] for package in packages]
    return (f"{p['name']}=={p['version']}" for p in packages if names.count(p["name"]) == 1)


def _read_toml(path: Path) -> dict[str, object]:
    import tomllib

    return tomllib.loads(path.read_text(encoding="utf-8"))


def _continue_with(python: str | None) -> None:
    """An interpreter that is too old hands over to a newer one, if there is any."""
    if python is not None and os.path.realpath(python) != os.path.realpath(sys.executable):
        os.execv(python, [python, *sys.argv])  # noqa: S606 - the same script, from argv


if __name__ == "__main__":
    _continue_with(_suitable_python())
    sys.exit(main())
