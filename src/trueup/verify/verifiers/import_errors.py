"""An import failed: what is the evidence, and is it the project's fault, or just that this is not where it runs?"""

from __future__ import annotations

import ast
import errno
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trueup.act.declared import Needs
from trueup.act.environments import Environment
from trueup.act.remedies.distributions import distributions_of
from trueup.act.requirement_lines import canonical
from trueup.act.source_files import SourceFiles
from trueup.evidence.failure import Failure
from trueup.evidence.told import Phase
from trueup.verify.verifiers.findings import is_aside
from trueup.verify.verifiers.modules import Module

NO_SERVER = re.compile(
    r"Connection\w*Error|ConnectError|ConnectTimeout|gaierror|OperationalError|ServerSelectionTimeout|NoBrokersAvailable"
    r"|InterfaceError|Network is unreachable|Name or service not known|name resolution|trueup: no network|MaxRetryError"
    r"|URLError|Connection refused|Could not connect|EndpointConnectionError|NewConnectionError",
)
NOT_CONFIGURED = re.compile(
    r"ImproperlyConfigured|AppRegistryNotReady|pydantic_settings|NoCredentials|CredentialsError|ConfigurationError"
    r"|api[_ -]?key|(?:environment|env) ?var|OpenAIError|UndefinedValueError|MissingEnvironment|must be set|is not set",
    re.IGNORECASE,
)
LIBRARY = re.compile(
    r"cannot open shared object file|libGL|Unable to find .*\.so|No display|couldn't connect to display"
)
_ELSEWHERE = {errno.ENETUNREACH, errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL, errno.EROFS}
NOT_ITSELF = "its dependencies are installed here, and not the project itself"
_LONGEST = 700
_WINDOWS = re.compile(
    r"(?:has no attribute|cannot import name|name) '(?:windll|oledll|WinDLL|OleDLL|WINFUNCTYPE|WinError|FormatError"
    r"|GetLastError|WindowsError|startfile|getwindowsversion|STARTUPINFO|CREATE_NEW_CONSOLE|ProactorEventLoop"
    r"|WindowsSelectorEventLoopPolicy|WindowsProactorEventLoopPolicy)'"
)
"""Parts of Python that it has on Windows alone."""
_SYSTEM = re.compile(r"\bsys\.platform\b|\bos\.name\b|\bplatform\.system\b|\bsysconfig\.get_platform\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    failure: Failure
    counts: bool


def complaint_of(
    error: dict[str, Any], module: Module, needs: Needs, made: Environment, copy: Path, files: SourceFiles
) -> Complaint:
    kind, message = str(error["kind"]), _plain(str(error["message"]), made, copy)
    file, line = _place(error, module, copy)
    doubt = _doubt(error, module, needs) or _doubt_made(error, files)
    doubt = doubt or _doubt_told(error, files, file, line, module, needs)
    text = f"{kind}: {message}" if message else kind
    return Complaint(
        failure=Failure(
            check="smoke",
            subject=f"{file} {kind}",
            phase=Phase.COLLECT,
            kind=kind,
            message=(f"not judged, because {doubt}: {text}" if doubt else text)[:_LONGEST],
            file=file,
            line=line,
            source_line=_source(files, file, line),
            repro=f'python -c "import {module.name}"' if module.whole else None,
            test=False,
        ),
        counts=not doubt,
    )


def _place(error: dict[str, Any], module: Module, copy: Path) -> tuple[str, int | None]:
    """The last line of the project's own code that was reached."""
    for file, line, _ in reversed(error["frames"]):
        if str(file).startswith(f"{copy}/"):
            return str(file)[len(str(copy)) + 1 :], int(line)
    return module.file, None


def _source(files: SourceFiles, file: str, line: int | None) -> str | None:
    lines = (files.text(file) or "").splitlines()
    return lines[line - 1].strip() if line and 0 < line <= len(lines) else None


def _plain(message: str, made: Environment, copy: Path) -> str:
    for place in (f"{made.site}/", f"{made.folder}/", f"{copy}/", f"{made.prefix}/"):
        message = message.replace(place, "")
    return " ".join(message.split())


def _doubt(error: dict[str, Any], module: Module, needs: Needs) -> str:
    """Why it cannot be judged here; "" when it can."""
    told = " ".join(map(str, error["chain"]))
    if error["kind"] in {"PackageNotFoundError", "DistributionNotFound"} and needs.installable:
        return NOT_ITSELF
    missing = str(error["name"] or "").partition(".")[0] if error["kind"] == "ModuleNotFoundError" else ""
    if missing:
        return _doubt_missing(missing, module, needs)
    if error["kind"] == "KeyError" and any(str(f[0]).endswith(("/os.py", "<frozen os>")) for f in error["frames"]):
        return "it needs a variable that is not set here"
    if NO_SERVER.search(told) or error["errno"] in _ELSEWHERE:
        return "it needs a server when it is imported"
    if NOT_CONFIGURED.search(told):
        return "it needs settings that are not here"
    if _WINDOWS.search(told):
        return "it is for another system"
    if LIBRARY.search(told):
        return "a library of the system is not installed here"
    return ""


def _doubt_made(error: dict[str, Any], files: SourceFiles) -> str:
    """A build writes some modules, such as one with the version, and says in its settings where to."""
    path = str(error["name"] or "").replace(".", "/") if error["kind"] == "ModuleNotFoundError" else ""
    told = (files.text(name) or "" for name in ("pyproject.toml", "setup.cfg", "setup.py"))
    named = "/" in path and any(f"{path}.py" in text for text in told)
    return "it is written when the project is built" if named else ""


def _doubt_told(
    error: dict[str, Any], files: SourceFiles, file: str, line: int | None, module: Module, needs: Needs
) -> str:
    """It was refused on purpose: on another system, or without what is optional."""
    around = list(_around(files.python(file), line or 0))
    if not any(isinstance(node, ast.Raise | ast.Assert) for node in around):
        return ""
    if any(_SYSTEM.search(ast.unparse(node.test)) for node in around if isinstance(node, ast.Assert | ast.If)):
        return "it is for another system"
    doubts = (_doubt_missing(str(name).partition(".")[0], module, needs) for name in error["missing"])
    alone = len(error["chain"]) == 1  # else it may only pass on what is wrong elsewhere
    refused = alone and needs.installable and error["kind"] in {"ImportError", "ModuleNotFoundError"}
    return next(filter(None, doubts), "the library refuses it on purpose" if refused else "")


def _around(tree: ast.Module | SyntaxError | None, line: int) -> Iterator[ast.stmt]:
    """The statement on this line, and those that it lies in."""
    for node in ast.walk(tree) if isinstance(tree, ast.Module) else ():
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
            yield node


def _doubt_missing(missing: str, module: Module, needs: Needs) -> str:
    if doubt := doubt_missing(missing, needs):
        return doubt
    if needs.installable and not module.top:
        return "a part of a package may need more than the package itself"
    if needs.installable and is_aside(module.file):
        return "a script beside a package may need more than the package itself"
    return ""


def doubt_missing(missing: str, needs: Needs) -> str:
    """Why the absence of a module may not be the project's fault."""
    if missing in sys.stdlib_module_names:
        return "this Python is built without it, or it is for another system"
    if any(one.unchecked for one in needs.sets):
        return "a requirement from elsewhere was not installed"
    if {canonical(name) for name in (missing, *distributions_of(missing, {}))} & needs.elsewhere:
        return "only an extra or a group asks for it"
    if not needs.declares:
        return "nothing says what the project needs"
    return ""
