"""What is thrown at every reader of untrusted text? One target per reader; a new parser or runner has one by itself."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from trueup.act.output import Captured
from trueup.act.process import Completed
from trueup.evidence import parsers
from trueup.evidence.cases import read_cases
from trueup.evidence.failure import Failure
from trueup.evidence.fallback import evidence_in
from trueup.evidence.fingerprint import evidence_id, fingerprint
from trueup.evidence.normalize import neutralise, normalize
from trueup.evidence.parsers import diagnostics, found_in_report, framed, go, json_report, junit_xml, sarif
from trueup.evidence.parsers.found import Found, Lines
from trueup.evidence.parsers.marks import searchable
from trueup.evidence.parsers.python import asides
from trueup.evidence.prefixes import without_prefixes
from trueup.evidence.text import failures_from_text, plain_lines
from trueup.verify.runners import RUNNERS, Evidence, RunContext, Runner
from trueup.verify.runners.additions import clang_log
from trueup.verify.runners.diagnostics_answers import answers_folder, complaints_seen, failure_of
from trueup.verify.runners.diagnostics_tools import TOOLS
from trueup.verify.runners.report_files import with_report

Target = Callable[[bytes], None]

TABLE = (*parsers._TESTS, *parsers._CRASHES)
_EVENT_FOLDERS = ("events", "unittest-events", "go-events", "javascript-events")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _no_tree(path: str) -> None:
    return None


def _sound(found: Iterable[Found], lines: Lines) -> None:
    for one in found:
        assert one.kind
        assert all(0 <= number < len(lines) for number in one.span)


def _identified(failures: Iterable[Failure]) -> None:
    """Each has its identities, and nothing in it acts on a terminal."""
    for failure in failures:
        assert fingerprint(failure)
        assert evidence_id(failure)
        for text in (failure.subject, failure.kind, failure.message, failure.excerpt, failure.file or ""):
            assert neutralise(text) == text, (failure.subject, text)


def _lines_target(read: Callable[[Lines], Iterable[Found]]) -> Target:
    def target(data: bytes) -> None:
        lines = plain_lines(_text(data))
        _sound(read(lines), lines)

    return target


def _framed(data: bytes) -> None:
    lines = plain_lines(_text(data))
    _sound(
        (complaint.found() for complaint in framed.framed_complaints(lines, framed.framed_forms(searchable(lines)))),
        lines,
    )


def _prefixes(data: bytes) -> None:
    """Only what stands before lines is dropped: each line is the end of the one that it was."""
    text = neutralise(_text(data))
    for old, new in zip(text.split("\n"), without_prefixes(text).split("\n"), strict=True):
        assert old.endswith(new), (old, new)


def _asides(data: bytes) -> None:
    lines = plain_lines(_text(data))
    assert all(0 <= number < len(lines) for span in asides(lines) for number in span)


def _fallback(data: bytes) -> None:
    evidence = evidence_in(plain_lines(_text(data)))
    assert list(evidence.lines) == sorted(set(evidence.lines))


def _junit(data: bytes) -> None:
    found = junit_xml.junit_xml(_text(data))
    assert (
        found is None or "<!" not in _text(data).replace("<![CDATA[", "").replace("<!--", "") or isinstance(found, list)
    )


def _sarif(data: bytes) -> None:
    _sound(sarif.sarif(_text(data)) or (), ())


def _go_events(data: bytes) -> None:
    lines = plain_lines(go.from_events(_text(data)))
    _sound(go.go_test(lines), lines)


def _report(data: bytes) -> None:
    _sound(found_in_report(_text(data)) or (), ())


def _whole(data: bytes) -> None:
    failures = failures_from_text("c", _text(data), exit_code=1, sources=_no_tree)
    assert failures
    _identified(failures)


def _normalize(data: bytes) -> None:
    plain = normalize(_text(data))
    assert not {"\x1b", "\x9b", "\x07", "\r"} & set(plain)


def _cases(kind: str) -> Target:
    def target(data: bytes) -> None:
        cases = read_cases("c", kind, _text(data), sources=_no_tree)
        if cases is not None:
            assert not set(cases.passed) & {f.subject for f in cases.failures}
            _identified(cases.failures)

    return target


@cache
def _place() -> Path:
    """One folder for the whole session: made, and left to the system's temporary folder to forget."""
    home = Path(tempfile.mkdtemp(prefix="trueup-fuzz-"))
    for name in _EVENT_FOLDERS:
        (home / "scratch" / "records" / name).mkdir(parents=True)
    (home / "bench").mkdir()
    return home


def _context(argv: tuple[str, ...], report: str = "") -> RunContext:
    home = _place()
    return RunContext(
        check="c",
        argv=argv,
        folder=home / "bench",
        scratch=home / "scratch",
        nonce="n0nce",
        checkout=home / "checkout",
        env={},
        sources=_no_tree,
        report=report,
    )


def _runner_target(runner: Runner) -> Target:
    """The tested code can write both: the events that the probe leaves, and the output."""

    def target(data: bytes) -> None:
        for name in _EVENT_FOLDERS:
            (_place() / "scratch" / "records" / name / "one.jsonl").write_bytes(data)
        for code in (0, 1):
            completed = Completed(argv=("x",), exit_code=code, stdout=Captured(head=data))
            evidence = runner.read(_context(("x",)), completed)
            if evidence is not None:
                _consistent(evidence)

    return target


def _consistent(evidence: Evidence) -> None:
    failing = {f.subject for f in evidence.failures if f.test}
    assert not failing & set(evidence.passed)
    assert not set(evidence.passed) & set(evidence.skipped)
    for failure in evidence.failures:
        assert fingerprint(failure)
        assert neutralise(failure.message) == failure.message
        assert neutralise(failure.excerpt) == failure.excerpt


def _answer(record: Callable[[bytes], bytes]) -> Target:
    """What a compiler or linter says in its machine format, about files that are all in the tree."""

    def target(data: bytes) -> None:
        run = replace(_context(("x",)), sources=lambda _path: "x = 1\n")
        answers_folder(run).mkdir(exist_ok=True)
        (answers_folder(run) / "one.json").write_bytes(record(data))
        clang_log(run).parent.mkdir(exist_ok=True)
        clang_log(run).write_bytes(data)
        _identified(failure_of(run, one) for one in complaints_seen(run))

    return target


def _said_by(tool: str) -> Callable[[bytes], bytes]:
    return lambda data: json.dumps({"tool": tool, "said": _text(data), "ran": [tool, "."]}).encode()


def _report_file(kind: str) -> Target:
    def target(data: bytes) -> None:
        (_place() / "bench" / "report").write_bytes(data)
        for code in (0, 1):
            completed = Completed(argv=("x",), exit_code=code)
            _consistent(with_report(_context(("x",), f"{kind}:report"), completed, Evidence(), {}))

    return target


def _named() -> Iterator[tuple[str, Target]]:
    for parser in TABLE:
        module = parser.read.__module__.rpartition(".")[2]
        yield f"{module}.{parser.read.__name__}", _lines_target(parser.read)
    yield "diagnostics", _lines_target(diagnostics.diagnostics)
    yield "diagnostics.strict", _lines_target(diagnostics.strict_diagnostics)
    yield "json_report", _lines_target(json_report.json_report)
    yield "framed", _framed
    yield "prefixes", _prefixes
    yield "python.asides", _asides
    yield "fallback", _fallback
    yield "junit_xml", _junit
    yield "sarif", _sarif
    yield "go.events", _go_events
    yield "report", _report
    yield "text", _whole
    yield "normalize", _normalize
    for kind in ("junit", "sarif", "tap"):
        yield f"cases.{kind}", _cases(kind)
        yield f"report_files.{kind}", _report_file(kind)
    yield "answers", _answer(bytes)
    for tool in TOOLS:
        yield f"answers.{tool}", _answer(_said_by(tool))
    for runner in RUNNERS:
        yield f"runner.{runner.name}", _runner_target(runner)


TARGETS: Mapping[str, Target] = dict(_named())


def seeds(samples: Iterable[str]) -> list[bytes]:
    """What the tests' own samples look like, and the marks by which the parsers are chosen."""
    marks = [f"{mark}x\n" for parser in TABLE for mark in parser.marks]
    return sorted({text.encode("utf-8", "replace") for text in (*samples, *marks)})


def event_seeds() -> list[bytes]:
    """A line of each kind of event, as the probes write them."""
    python: list[dict[str, object]] = [
        {"ev": "start", "python": "python"},
        {"ev": "collected", "items": [["a.py::t", "a.py", 1, "t"]]},
        {"ev": "begin", "id": "a.py::t"},
        {
            "ev": "report",
            "id": "a.py::t",
            "when": "call",
            "outcome": "failed",
            "kind": "E",
            "message": "m",
            "text": "t",
        },
        {"ev": "report", "id": "a.py::t", "when": "teardown", "outcome": "passed"},
        {"ev": "collect_error", "id": "b.py", "kind": "E", "text": "t"},
        {"ev": "modules", "loaded": [["m", "/m.py"]]},
        {"ev": "end"},
    ]
    javascript: list[dict[str, object]] = [
        {"ev": "start", "tool": "jest", "role": "main"},
        {"ev": "run"},
        {"ev": "tests", "ids": ["a.js::t"]},
        {"ev": "result", "id": "a.js::t", "outcome": "failed", "error": {"kind": "E", "message": "m", "stack": "at f (a.js:1:1)"}},
        {"ev": "broken", "file": "b.js", "error": {"frames": [["b.js", 1]]}},
        {"ev": "trouble", "id": "x", "error": {"text": "t"}},
        {"ev": "end"},
    ]  # fmt: skip
    golang: list[dict[str, object]] = [
        {"Action": "trueup-start"},
        {"Action": "run", "Package": "p", "Test": "TestA"},
        {"Action": "output", "Package": "p", "Test": "TestA", "Output": "--- FAIL: TestA (0.00s)\n"},
        {"Action": "fail", "Package": "p", "Test": "TestA"},
        {"Action": "fail", "Package": "p"},
        {"Action": "trueup-end"},
    ]
    tools: list[list[dict[str, object]]] = [[{**event, "tool": tool} if event["ev"] == "start" else event for event in javascript] for tool in ("jest", "vitest", "mocha", "node")]  # fmt: skip
    return ["".join(f"{json.dumps(event)}\n" for event in events).encode() for events in (python, golang, *tools)]


def answer_seeds() -> list[bytes]:
    """One complaint in each machine format."""
    place = {"caret": {"file": "a.c", "line": 1, "column": 2}}
    rust = {"message": "m", "level": "error", "spans": [{"is_primary": True, "file_name": "a.rs", "line_start": 1, "column_start": 2}], "rendered": "error[E0308]: m\n --> a.rs:1:2\n"}  # fmt: skip
    told: list[object] = [
        [{"code": "F401", "filename": "a.py", "location": {"row": 1, "column": 8}, "message": "m"}],
        {"file": "a.py", "line": 1, "column": 0, "severity": "error", "code": "arg-type", "message": "m"},
        {"generalDiagnostics": [{"file": "a.py", "severity": "error", "rule": "r", "message": "m", "range": {"start": {"line": 0, "character": 1}}}]},
        [{"filePath": "a.js", "messages": [{"ruleId": "semi", "severity": 2, "line": 1, "column": 2, "message": "m."}]}],
        [{"kind": "error", "option": "-Wunused", "message": "m", "locations": [place]}],
        rust,
        {"reason": "compiler-message", "manifest_path": "/w/Cargo.toml", "message": rust},
        {"tool": "ruff", "said": '[{"code": null, "filename": "a.py", "location": {"row": 1, "column": 1}, "message": "SyntaxError: m"}]'},
    ]  # fmt: skip
    clang = b"<dict><key>diagnostics</key><array><dict><key>level</key><string>error</string><key>filename</key><string>a.c</string><key>line</key><integer>1</integer><key>message</key><string>m</string></dict></array></dict>"
    return [*(json.dumps(one).encode() + b"\n" for one in told), clang]
