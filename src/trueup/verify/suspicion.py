"""Does a change newly touch the runner, the stack, the interpreter's end, or what equality means?

Such code may be honest. It is shown to a person instead of being believed, because tests that it can reach prove
nothing any more. Only what is new counts: a construct that the old text had as often is not mentioned.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from trueup.decide.moves import Suspicion
from trueup.verify.suspicion_hidden import hidden_findings, weakened
from trueup.verify.suspicious_detours import detour_findings
from trueup.verify.suspicious_python import Finding, python_findings

Change = tuple[str, str | None, str]
"""Path, old text (None = a new file), new text."""

_PYTHON = (".py", ".pyi", ".pyx", ".pyw")
_JAVASCRIPT = (".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx", ".vue", ".svelte")
_TEST_FILE = re.compile(r"(?:test_.*|.*_test|conftest)\.py$|.*[.-](?:test|spec)\.[cm]?[jt]sx?$")
_LONGEST = 200

_ASSERT = r"""require\s*\(\s*['"](?:node:)?assert(?:/strict)?['"]\s*\)"""
"""Under another name than its own, product code wants something else of it than to assert."""
_BUILT_IN = r"\b(?:Object|Array|Number|String|Function|Promise)\s*\.\s*prototype"

Rules = Mapping[str, str]
"""Why a person should look -> the pattern that shows it."""

_JAVASCRIPT_RULES: Rules = {
    "ends the process": r"\bprocess\s*\.\s*(?:exit|reallyExit|abort|kill|exitCode)\b",
    "acts when the process ends": r"\bprocess\s*\.\s*(?:on|once)\s*\(\s*['\"](?:exit|beforeExit|uncaught|unhandled)",
    "replaces loaded modules": r"\brequire\s*\.\s*cache\b|\bModule\s*\.\s*_(?:load|resolveFilename|cache)\b",
    "loads the test runner": (
        r"['\"](?:@?jest(?:/[\w-]+)?|vitest(?:/[\w-]+)?|mocha|chai|node:test|@playwright/test|expect)['\"]"
    ),
    "imports the tests": r"""['"](?:[^'"]*[.-](?:test|spec)(?:\.[cm]?[jt]sx?)?|[^'"]*__(?:tests|mocks)__/[^'"]*)['"]""",
    "uses the test runner": (
        r"\b(?:jest|vi)\s*\.\s*\w+\s*\(|\bexpect\s*\.\s*extend\b"
        r"|\bglobal(?:This)?\s*\.\s*(?:expect|it|test|describe)\b"
    ),
    "asks whether it is being tested": r"\b(?:JEST_WORKER_ID|VITEST(?:_\w+)?|NODE_TEST_CONTEXT|MOCHA_\w+)\b",
    "changes a built-in": (rf"{_BUILT_IN}\s*(?:\.\s*\w+|\[[^\]]+\])\s*=[^=]|defineProperty\s*\(\s*{_BUILT_IN}"),
    "changes what equality means": (
        r"\bObject\s*\.\s*is\s*=[^=]|\bassert\s*\.\s*\w+\s*=[^=]"
        r"|\b(?:assign|definePropert(?:y|ies)|set)\s*\(\s*assert\b"
        rf"|\b(?!assert\b)\w+\s*=\s*{_ASSERT}(?!\s*\.)|\(\s*{_ASSERT}\s*,"
        r"|\bimport\s+(?!assert\b|type\b)\w+\s+from\s+['\"](?:node:)?assert(?:/strict)?['\"]"
    ),
}

_COMPILED_RULES: Rules = {
    "ends the process as if all were well": (
        r"\bos\.Exit\s*\(\s*0|\bprocess::exit\s*\(\s*0|\bSystem\s*\.\s*exit\s*\(\s*0|\bexitProcess\s*\(\s*0"
        r"|\b_?exit\s*\(\s*(?:0|EXIT_SUCCESS)\s*\)|\bEnvironment\s*\.\s*Exit\s*\(\s*0|\bexit!|\b(?:at_exit|atexit)\b"
    ),
}
_COMPILED = (".go", ".rs", ".java", ".kt", ".scala", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".cs", ".rb", ".php")

_PYTHON_RULES: Rules = {
    "touches the test runner": r"\b_?pytest\b|\bpluggy\b|PYTEST_|\bunittest\b",
    "ends the interpreter or acts when it ends": r"\bos\._exit\b|\batexit\b|\bos\.abort\b",
    "reaches into the interpreter": r"\bsys\.(?:modules|settrace|setprofile|_getframe|monitoring|meta_path)\b",
    "reads the stack or foreign objects": r"\binspect\.(?:stack|currentframe)\b|\bgc\.get_|\bf_back\b",
    "decides what equality means": r"\bdef __(?:eq|ne)__\b",
}
"""For Python that our own Python cannot parse."""


def suspicions(changes: Iterable[Change], *, opaque: bool = False) -> tuple[Suspicion, ...]:
    """What a person should look at, in the order of the changes. Test files are left out: they use the runner.

    `opaque`: some check can be looked into no further than its exit code.
    """
    return tuple(
        Suspicion(path=path, line=finding.line, text=_line(new, finding.line), why=finding.why)
        for path, old, new in changes
        if not _TEST_FILE.match(PurePosixPath(path).name)
        for finding in (*_added(path, old or "", new, opaque=opaque), *_weakened(path, old or "", new, opaque=opaque))
    )


def _added(path: str, old: str, new: str, *, opaque: bool) -> Iterator[Finding]:
    """Those that the old text had less often. The same construct on another line is not new."""
    before = Counter(finding.construct for finding in _findings(path, old, opaque=opaque))
    for finding in _findings(path, new, opaque=opaque):
        if before[finding.construct]:
            before[finding.construct] -= 1
        else:
            yield finding


def _weakened(path: str, old: str, new: str, *, opaque: bool) -> Iterator[Finding]:
    if old and _is_python(path, new):
        try:
            yield from weakened(ast.parse(old), ast.parse(new), opaque=opaque)
        except (SyntaxError, ValueError, RecursionError):
            return


def _findings(path: str, text: str, *, opaque: bool) -> list[Finding]:
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in _JAVASCRIPT:
        return list(_by_line(text, _JAVASCRIPT_RULES, comment="//"))
    if suffix in _COMPILED:
        return list(_by_line(text, _COMPILED_RULES, comment="#" if suffix == ".rb" else "//"))
    if not _is_python(path, text):
        return []
    try:
        module = ast.parse(text)
        found = (
            *python_findings(module),
            *hidden_findings(text, module, opaque=opaque),
            *detour_findings(module),
        )
    except (SyntaxError, ValueError, RecursionError):
        return list(_by_line(text, _PYTHON_RULES, comment="#"))
    return list(dict.fromkeys(sorted(found, key=lambda f: f.line)))


def _is_python(path: str, text: str) -> bool:
    return PurePosixPath(path).suffix.lower() in _PYTHON or _is_python_script(text)


def _is_python_script(text: str) -> bool:
    return text.startswith("#!") and "python" in text.partition("\n")[0]


def _by_line(text: str, rules: Rules, *, comment: str) -> Iterator[Finding]:
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()[:2000]
        if stripped.startswith(comment):
            continue
        for why, pattern in rules.items():
            if re.search(pattern, stripped):
                yield Finding(line=number, why=why, construct=f"{why}: {stripped}")


def _line(text: str, number: int) -> str:
    lines = text.split("\n")
    return lines[number - 1].strip()[:_LONGEST] if 0 < number <= len(lines) else ""
