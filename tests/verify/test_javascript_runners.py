"""What the probe sees of JavaScript tests: node:test for real, the other tools from what they reported."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from trueup.act.process import Completed, Processes
from trueup.evidence.failure import Failure, Phase
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.report import CheckResult, CheckStatus, SeenBy, Strength
from trueup.verify.conclude import conclude
from trueup.verify.runners.additions import preload_name
from trueup.verify.runners.base import Evidence, RunContext
from trueup.verify.runners.javascript_events import read_sessions
from trueup.verify.runners.javascript_runner import JavaScriptRunner, prepare_probe
from trueup.verify.runners.jest import JEST
from trueup.verify.runners.mocha import MOCHA
from trueup.verify.runners.node_test import NODE_TEST
from trueup.verify.runners.vitest import VITEST

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")

MIXED = {
    "calc.js": "exports.half = (n) => n / 2;\nexports.odd = () => { throw new RangeError('too odd'); };\n",
    "test/calc.test.js": """
        const { describe, it, test, before } = require('node:test');
        const assert = require('assert');
        const { half, odd } = require('../calc');
        describe('half', () => {
          it('of two', () => { assert.strictEqual(half(2), 2); });
          it('of four', () => { assert.strictEqual(half(4), 2); });
          it.skip('of nothing', () => {});
          it.todo('of everything');
          it('same', () => {});
          it('same', () => { assert.ok(false, 'the second'); });
        });
        test('deep', () => { odd(); });
        test('outer', async (t) => { await t.test('inner', () => {}); });
        test('a child sees nothing of us', () => {
          assert.strictEqual(process.env.NODE_OPTIONS, undefined);
          assert.deepStrictEqual(process.execArgv, []);
        });
        describe('broken hook', () => { before(() => { throw new TypeError('not today'); }); it('x', () => {}); });
    """,
    "test/plain.test.js": "require('assert').ok(true);\n",
    "test/wrong.test.js": "\nconst = 1;\n",
}


def failure(result: CheckResult, subject: str) -> Failure:
    return next(f for f in result.failures if f.subject == subject)


@pytest.fixture(scope="module")
def mixed(new_lab: Callable[[], Any]) -> CheckResult:
    result: CheckResult = new_lab().check(MIXED, "node --test")
    return result


# --- node:test, for real -----------------------------------------------------------------------------------------


@needs_node
def test_every_test_of_node_is_in_the_inventory_under_its_file_and_groups(mixed: CheckResult) -> None:
    assert mixed.status is CheckStatus.FAILED
    assert (mixed.strength, mixed.seen_by) == (Strength.INVENTORY, SeenBy.STRUCTURE)
    file = "test/calc.test.js::"
    assert set(mixed.inventory or ()) == {
        f"{file}half > of two",
        f"{file}half > of four",
        f"{file}half > of nothing",
        f"{file}half > of everything",
        f"{file}half > same",
        f"{file}half > same (2)",
        f"{file}deep",
        f"{file}outer",
        f"{file}outer > inner",
        f"{file}a child sees nothing of us",
        f"{file}broken hook > x",
        "test/plain.test.js",
    }
    assert set(mixed.skipped) == {f"{file}half > of nothing", f"{file}half > of everything"}
    assert set(mixed.passed) == {
        f"{file}half > of four",
        f"{file}half > same",
        f"{file}outer",
        f"{file}outer > inner",
        f"{file}a child sees nothing of us",
        "test/plain.test.js",
    }


@needs_node
def test_a_failure_has_its_class_its_place_and_its_line(mixed: CheckResult) -> None:
    of_two = failure(mixed, "test/calc.test.js::half > of two")
    assert (of_two.kind, of_two.phase, of_two.test) == ("AssertionError", Phase.RUN, True)
    assert "1 !== 2" in of_two.message
    assert (of_two.file, of_two.line) == ("test/calc.test.js", 5)
    assert of_two.source_line == "it('of two', () => { assert.strictEqual(half(2), 2); });"
    deep = failure(mixed, "test/calc.test.js::deep")
    assert (deep.kind, deep.message, deep.file, deep.line) == ("RangeError", "too odd", "calc.js", 2)
    assert "node:internal" not in deep.excerpt
    assert "test/calc.test.js:12" in deep.excerpt
    assert deep.repro == "node --test test/calc.test.js"


@needs_node
def test_a_message_of_the_tests_own_comes_with_the_values(mixed: CheckResult) -> None:
    second = failure(mixed, "test/calc.test.js::half > same (2)")
    assert second.message.splitlines() == ["the second", "expected: true", "actual: false"]


@needs_node
def test_a_hook_that_fails_is_a_failure_beside_the_tests(mixed: CheckResult) -> None:
    hook = failure(mixed, "test/calc.test.js::broken hook")
    assert (hook.kind, hook.message, hook.test, hook.phase) == ("TypeError", "not today", False, Phase.RUN)


@needs_node
def test_a_file_with_a_syntax_error_hides_its_tests_and_names_the_line(mixed: CheckResult) -> None:
    wrong = failure(mixed, "test/wrong.test.js")
    assert (wrong.kind, wrong.phase, wrong.test) == ("SyntaxError", Phase.COLLECT, False)
    assert wrong.message == "Unexpected token '='\n> const = 1;"
    assert (wrong.file, wrong.line) == ("test/wrong.test.js", 1)


@needs_node
def test_leaving_with_exit_code_0_fails_the_test_that_ran_and_passes_none_after_it(lab: Any) -> None:
    text = """
        const { test } = require('node:test');
        test('one', () => {});
        test('two', () => process.exit(0));
        test('three', () => {});
    """
    for command in ("node --test", "node a.test.js"):
        result = lab.check({"a.test.js": text}, command)
        assert (result.status, result.exit_code) == (CheckStatus.FAILED, 0)
        (crash,) = result.failures
        assert (crash.subject, crash.kind) == ("a.test.js::two", "crash")
        assert result.passed == ("a.test.js::one",)


@needs_node
def test_no_test_file_at_all_is_an_error(lab: Any) -> None:
    result = lab.check({"calc.js": "exports.x = 1;\n"}, "node --test")
    assert result.status is CheckStatus.ERROR
    assert result.reason == "no tests were collected"


@needs_node
def test_files_that_are_to_be_left_out_are_not_run_and_chosen_files_are(lab: Any) -> None:
    good = "require('node:test').test('x', () => {});\n"
    bad = "require('node:test').test('y', () => { throw new Error('no'); });\n"
    files = {"a.test.js": good, "b.test.js": bad}
    ignoring = lab.check(files, "node --test", ignore=("b.test.js",))
    assert (ignoring.status, ignoring.inventory) == (CheckStatus.PASSED, ("a.test.js::x",))
    assert [(e.status, e.inventory) for e in ignoring.extra] == [(CheckStatus.FAILED, ("b.test.js::y",))]
    chosen = lab.check(files, "node --test", select={"tests": ("b.test.js::y",)})
    assert [f.subject for f in chosen.failures] == ["b.test.js::y"]
    assert chosen.inventory == ("b.test.js::y",)


@needs_node
def test_the_users_own_node_options_are_kept_and_seen_by_the_tests(lab: Any) -> None:
    text = """
        const { test } = require('node:test');
        test('x', () => { require('assert').strictEqual(process.env.NODE_OPTIONS, '--stack-trace-limit=20'); });
    """
    env = {**lab.env, "NODE_OPTIONS": "--stack-trace-limit=20"}
    assert lab.check({"a.test.js": text}, "node --test", env=env).status is CheckStatus.PASSED


@needs_node
def test_the_users_own_reporter_prints_what_it_always_printed(lab: Any) -> None:
    files = {"a.test.js": "require('node:test').test('x', () => {});\n"}
    result = lab.check(files, "node --test --test-reporter=tap")
    assert result.inventory == ("a.test.js::x",)
    printed = (lab.base / "logs" / result.log).read_text()
    assert printed.startswith("TAP version 13\n# Subtest: x\nok 1 - x\n")


@needs_node
def test_another_node_program_does_not_notice_anything(lab: Any, processes: Processes, tmp_path: Path) -> None:
    text = """
        const seen = { argv: process.execArgv, lines: new Error().stack.split('\\n').length, exits: process.listenerCount('exit') };
        const patched = require('stream').Readable.prototype.push.toString().includes('TestsStream');
        console.log(JSON.stringify({ ...seen, patched, main: require.main === module }));
        process.exitCode = 3;
    """
    (tmp_path / "a.js").write_text(text)
    bare = processes.run(("node", "a.js"), cwd=tmp_path, env=lab.env, timeout=60)
    result = lab.check({"a.js": text}, "node a.js")
    assert (result.exit_code, result.inventory) == (3, None)
    assert (lab.base / "logs" / result.log).read_text() == bare.stdout.text()


@needs_node
def test_a_program_that_may_not_load_the_probe_is_run_without_it(lab: Any) -> None:
    text = "console.log('it ran', process.env.NODE_OPTIONS);\n"
    flag = "--permission" if "--permission" in _node_options(lab) else "--experimental-permission"
    lab.load({"a.js": text})
    command = f"node {flag} --allow-fs-read={lab.bench.folder}/* a.js"
    result = lab.check({"a.js": text}, command)
    assert result.status is CheckStatus.PASSED
    assert "it ran undefined" in (lab.base / "logs" / result.log).read_text()


def _node_options(lab: Any) -> str:
    asked = lab.processes.run(("node", "--help"), cwd=lab.base, env=lab.env, timeout=60)
    return "\n".join(line.split("=")[0].strip() for line in asked.stdout.text().splitlines())


# --- the other tools, from their reports -------------------------------------------------------------------------

SOURCE = {"a.test.js": "one\ntwo\n  expect(1).toBe(2);\n", "src/calc.js": "\n  throw new Error('deep');\n"}


def context(tmp_path: Path, argv: tuple[str, ...] = ("npm", "test"), **more: Any) -> RunContext:
    bench, scratch = tmp_path / "bench", tmp_path / "scratch"
    bench.mkdir(exist_ok=True)
    scratch.mkdir(exist_ok=True)
    told: dict[str, Any] = {
        "check": "tests",
        "argv": argv,
        "folder": bench,
        "scratch": scratch,
        "nonce": "n0nce",
        "checkout": tmp_path / "checkout",
        "env": {},
        "sources": SOURCE.get,
        **more,
    }
    return RunContext(**told)


def report(run: RunContext, *events: Mapping[str, Any], name: str = "1-a") -> None:
    folder = run.records / "javascript-events"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))


def ended(processes: Processes, tmp_path: Path, *, code: int = 0, said: str = "") -> Completed:
    script = f"printf '%s' \"$1\"; exit {code}"
    return processes.run(("sh", "-c", script, "x", said), cwd=tmp_path, env={"PATH": "/usr/bin:/bin"}, timeout=60)


def read(runner: JavaScriptRunner, run: RunContext, completed: Completed) -> Evidence:
    evidence = runner.read(run, completed)
    assert evidence is not None
    return evidence


START = {"ev": "start", "tool": "jest"}
RUN, END = {"ev": "run"}, {"ev": "end"}
TESTS = {"ev": "tests", "file": "a.test.js", "ids": ["a.test.js::x", "a.test.js::y"]}


def passed(name: str) -> dict[str, Any]:
    return {"ev": "result", "id": f"a.test.js::{name}", "outcome": "passed"}


def failed(name: str, **error: Any) -> dict[str, Any]:
    return {"ev": "result", "id": f"a.test.js::{name}", "outcome": "failed", "error": error}


def test_what_jest_says_in_colours_becomes_a_plain_failure_with_its_place(processes: Processes, tmp_path: Path) -> None:
    run = context(tmp_path)
    stack = (
        "Error: \x1b[2mexpect(\x1b[22mreceived).toBe(expected)\n\nExpected: 2\nReceived: 1\n"
        f"    at Object.toBe ({run.folder}/a.test.js:3:3)\n"
        f"    at new Promise (<anonymous>)\n    at run ({run.folder}/node_modules/jest-circus/run.js:1:1)"
    )
    report(run, START, RUN, TESTS, failed("x", stack=stack, text=stack), passed("y"), END)
    evidence = read(JEST, run, ended(processes, tmp_path, code=1))
    (found,) = evidence.failures
    assert (found.kind, found.message) == ("Error", "expect(received).toBe(expected)\nExpected: 2\nReceived: 1")
    assert (found.file, found.line, found.source_line) == ("a.test.js", 3, "expect(1).toBe(2);")
    assert "\x1b" not in found.excerpt
    assert "jest-circus" not in found.excerpt
    assert found.repro == "npx jest -t '^x$' --runTestsByPath a.test.js"
    assert (evidence.passed, evidence.inventory) == (("a.test.js::y",), ("a.test.js::x", "a.test.js::y"))


def test_the_frames_that_vitest_has_mapped_are_believed_before_the_stack(processes: Processes, tmp_path: Path) -> None:
    run = context(tmp_path)
    error = {
        "kind": "TypeError",
        "message": "no",
        "stack": "TypeError: no\n at /elsewhere.js:9:9",
        "frames": [["src/calc.js", 2]],
    }
    report(run, {**START, "tool": "vitest"}, RUN, TESTS, failed("x", **error), passed("y"), END)
    (found,) = read(VITEST, run, ended(processes, tmp_path, code=1)).failures
    assert (found.kind, found.file, found.line, found.source_line) == (
        "TypeError",
        "src/calc.js",
        2,
        "throw new Error('deep');",
    )
    assert found.repro == "npx vitest run -t '^x$' a.test.js"


def test_a_pass_before_a_failing_hook_is_no_pass(processes: Processes, tmp_path: Path) -> None:
    run = context(tmp_path)
    late = failed("x", kind="Error", message="cannot clean up")
    report(run, {**START, "tool": "mocha"}, RUN, TESTS, passed("x"), late, passed("x"), passed("y"), END)
    evidence = read(MOCHA, run, ended(processes, tmp_path, code=1))
    assert evidence.passed == ("a.test.js::y",)
    assert [f.message for f in evidence.failures] == ["cannot clean up"]


def test_a_session_that_did_not_end_is_a_failure_whatever_the_exit_code(processes: Processes, tmp_path: Path) -> None:
    run = context(tmp_path)
    begin = {"ev": "begin", "id": "a.test.js::y"}
    report(run, START, RUN, {"ev": "file", "file": "a.test.js"}, TESTS, passed("x"), begin)
    completed = ended(processes, tmp_path)
    evidence = read(JEST, run, completed)
    (crash,) = evidence.failures
    assert (crash.subject, crash.kind, crash.test) == ("a.test.js::y", "crash", True)
    assert conclude(run, completed, evidence).status is CheckStatus.FAILED


def test_a_process_that_ends_while_it_loads_a_file_fails_that_file(processes: Processes, tmp_path: Path) -> None:
    run = context(tmp_path)
    report(run, {**START, "tool": "mocha"}, {"ev": "file", "file": "a.test.js"})
    (crash,) = read(MOCHA, run, ended(processes, tmp_path)).failures
    assert (crash.subject, crash.kind, crash.phase, crash.test) == ("a.test.js", "crash", Phase.COLLECT, False)


def test_a_broken_file_keeps_its_identity_when_its_lines_move(processes: Processes, tmp_path: Path) -> None:
    prints = set()
    for line in (2, 3):
        text = f"Jest encountered an unexpected token\n\n Advice.\n\n Details:\n\n SyntaxError: {tmp_path}/bench/a.test.js: Unexpected token ({line}:6)\n"
        source = {"a.test.js": "\n" * (line - 1) + "const = 1;\n"}
        run = context(tmp_path, sources=source.get)
        report(run, START, RUN, {"ev": "broken", "file": "a.test.js", "error": {"text": text}}, END)
        (found,) = read(JEST, run, ended(processes, tmp_path, code=1)).failures
        assert (found.kind, found.phase, found.source_line) == ("SyntaxError", Phase.COLLECT, "const = 1;")
        assert "Advice" not in found.excerpt
        prints.add(fingerprint(found))
    assert len(prints) == 1


def test_a_test_that_two_runs_saw_passes_only_if_no_run_saw_it_failing(processes: Processes, tmp_path: Path) -> None:
    run = context(tmp_path)
    report(run, START, RUN, passed("x"), passed("y"), END)
    report(run, START, RUN, failed("x", message="no"), passed("z"), END, name="2-b")
    evidence = read(JEST, run, ended(processes, tmp_path, code=1))
    assert evidence.passed == ("a.test.js::y", "a.test.js::z")
    assert [f.subject for f in evidence.failures] == ["a.test.js::x"]


def test_what_was_not_chosen_is_no_part_of_the_answer(processes: Processes, tmp_path: Path) -> None:
    run = context(tmp_path, select=("a.test.js::x",))
    skipped = {"ev": "result", "id": "a.test.js::y", "outcome": "skipped"}
    report(run, START, RUN, TESTS, passed("x"), skipped, END)
    evidence = read(JEST, run, ended(processes, tmp_path))
    assert (evidence.inventory, evidence.skipped) == (("a.test.js::x",), ())


@pytest.mark.parametrize("said", ["No tests found, exiting with code 1", 'Error: No test files found: "test"'])
def test_a_tool_that_finds_no_tests_is_an_error(processes: Processes, tmp_path: Path, said: str) -> None:
    run = context(tmp_path, ("jest",))
    completed = ended(processes, tmp_path, code=1, said=said)
    assert read(JEST, run, completed).problem == "no tests were collected"
    report(run, START)
    assert read(JEST, run, completed).problem == "no tests were collected"


def test_without_our_probe_the_exit_code_is_all_there_is_and_with_it_a_test_must_have_run(
    processes: Processes, tmp_path: Path
) -> None:
    completed = ended(processes, tmp_path)
    blind = read(JEST, context(tmp_path, ("npx", "jest")), completed)  # npm's own node-options, `env -i`
    assert (blind.problem, blind.inventory) == ("", None)
    assert JEST.read(context(tmp_path, ("npm", "test")), completed) is None
    run = context(tmp_path, ("npm", "test"))
    report(run, START)
    assert "before it ran a test" in read(JEST, run, completed).problem


def test_a_forged_report_cannot_turn_a_failed_command_into_a_pass(processes: Processes, tmp_path: Path) -> None:
    run = context(tmp_path)
    report(run, START, RUN, passed("x"), END)
    completed = ended(processes, tmp_path, code=1, said="boom")
    assert conclude(run, completed, read(JEST, run, completed)).status is CheckStatus.FAILED


def test_lines_that_cannot_be_read_and_links_are_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "events"
    folder.mkdir()
    (folder / "1.jsonl").write_bytes(b'{"ev": "start", "tool": "jest"}\nnot json\n{"ev": 3}\n\xff\n{"ev": "what"}\n')
    (folder / "2.jsonl").symlink_to(tmp_path / "nowhere")
    (session,) = read_sessions(folder)
    assert (session.tool, len(session.problems)) == ("jest", 3)
    assert read_sessions(tmp_path / "gone") == ()


def test_secrets_are_taken_out_before_anything_is_cut(processes: Processes, tmp_path: Path) -> None:
    run = context(tmp_path, redact=lambda text: text.replace("hush", "***"))
    report(run, START, RUN, failed("x", kind="Error", message="hush " * 1000, stack="Error: hush"), END)
    (found,) = read(JEST, run, ended(processes, tmp_path, code=1)).failures
    assert "hush" not in found.message + found.excerpt


@pytest.mark.parametrize(
    ("runner", "command", "known"),
    [
        (JEST, "jest --ci", True),
        (JEST, "npx jest a.test.js", True),
        (JEST, "npm exec jest", True),
        (JEST, "node --experimental-vm-modules node_modules/jest/bin/jest.js", True),
        (JEST, "node scripts/test.js jest", False),
        (JEST, "env NODE_OPTIONS=--no-warnings jest", False),
        (JEST, "npm test", False),
        (JEST, "npx jest-junit", False),
        (VITEST, "pnpm vitest run", True),
        (VITEST, "vite build", False),
        (MOCHA, "node_modules/.bin/mocha", True),
        (MOCHA, "c8 mocha", True),
        (NODE_TEST, "node --test", True),
        (NODE_TEST, "c8 node --import tsx --test", True),
        (NODE_TEST, "/usr/bin/node --no-warnings --test test/", True),
        (NODE_TEST, "node a.js --test", False),
        (JEST, "", False),
    ],
)
def test_a_command_is_recognised_by_the_program_that_it_starts(
    runner: JavaScriptRunner, command: str, *, known: bool
) -> None:
    assert runner.recognises(tuple(command.split())) is known


def test_the_probe_is_written_once_and_keeps_the_users_options(tmp_path: Path) -> None:
    run = context(tmp_path, env={"NODE_OPTIONS": "--max-old-space-size=100"})
    added = prepare_probe(run)["NODE_OPTIONS"]
    assert added == f"--max-old-space-size=100 --require={run.scratch}/node_modules/trueup/{preload_name(run)}"
    (run.scratch / "node_modules" / "trueup" / "probe.json").write_text("kept")
    assert all(runner.prepare(run)["NODE_OPTIONS"] == added for runner in (JEST, VITEST, MOCHA, NODE_TEST))
    assert (run.scratch / "node_modules" / "trueup" / "probe.json").read_text() == "kept"


@needs_node
def test_a_path_with_blanks_and_quotes_is_quoted_as_node_reads_it(processes: Processes, tmp_path: Path) -> None:
    odd = tmp_path / 'a "b" \\c'
    odd.mkdir()
    run = context(odd)
    (run.folder / "a.test.js").write_text("require('node:test').test('x', () => {});\n")
    env = {"PATH": "/usr/bin:/bin", **prepare_probe(run)}
    completed = processes.run(("node", "--test"), cwd=run.folder, env=env, timeout=60)
    assert read(NODE_TEST, run, completed).passed == ("a.test.js::x",)
