"""Real jest, vitest, mocha and node:test, driven through what a check can look like."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from trueup.evidence.failure import Failure, Phase
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.report import CheckResult, CheckStatus, SeenBy, Strength

Lab = Callable[[str], Any]

CALC = "exports.half = (n) => n / 2;\n"
GROUP = """
{head}
describe('half', () => {{
  it('of two', () => {{
{two}
  }});
  it('of four', () => {{ {four} }});
  it.skip('of nothing', () => {{}});
}});
it('stands alone', () => {{}});
"""


@dataclass(frozen=True, kw_only=True)
class Tool:
    name: str
    command: str
    file: str
    head: str
    fails: str
    """A statement that fails in `of two`, and another one below."""
    fails_otherwise: str
    holds: str
    kind: str
    folder: str = "node"
    nothing: str = "module.exports = {};\n"
    files: tuple[tuple[str, str], ...] = ()

    def project(
        self, two: str, *, four: str = "", before: str = "", more: dict[str, str] | None = None
    ) -> dict[str, str]:
        text = GROUP.format(head=before + self.head, two=two, four=four or self.holds)
        return {"calc.js": CALC, self.file: text, **dict(self.files), **(more or {})}

    def id(self, name: str) -> str:
        return f"{self.file}::{name}"


JEST = Tool(
    name="jest",
    command="jest --ci",
    file="test/calc.test.js",
    head="const { half } = require('../calc');",
    fails="expect(half(2)).toBe(2);",
    fails_otherwise="expect(half(4)).toEqual({ a: 1 });",
    holds="expect(half(4)).toBe(2);",
    kind="Error",
    files=(("jest.config.js", "module.exports = { watchman: false };\n"),),
)
VITEST = Tool(
    name="vitest",
    command="vitest run --no-color",
    file="test/calc.test.mjs",
    head="import { describe, it, expect } from 'vitest'; import calc from '../calc.js'; const { half } = calc;",
    fails="expect(half(2)).toBe(2);",
    fails_otherwise="expect(half(4)).toEqual({ a: 1 });",
    holds="expect(half(4)).toBe(2);",
    kind="AssertionError",
    nothing="export {};\n",
    files=(("vitest.config.mjs", "export default { cacheDir: '.vite', test: {} };\n"),),
)
MOCHA = Tool(
    name="mocha",
    command="mocha",
    file="test/calc.spec.js",
    head="const assert = require('assert'); const { half } = require('../calc');",
    fails="assert.strictEqual(half(2), 2);",
    fails_otherwise="assert.deepStrictEqual(half(4), { a: 1 });",
    holds="assert.strictEqual(half(4), 2);",
    kind="AssertionError",
)
NODE = Tool(
    name="node:test",
    command="node --test",
    file="test/calc.test.js",
    head="const { describe, it } = require('node:test'); const assert = require('assert'); const { half } = require('../calc');",
    fails="assert.strictEqual(half(2), 2);",
    fails_otherwise="assert.deepStrictEqual(half(4), { a: 1 });",
    holds="assert.strictEqual(half(4), 2);",
    kind="AssertionError",
)
OLDER = {"folder": "node-older"}


def older(tool: Tool) -> Tool:
    return Tool(**{**{f: getattr(tool, f) for f in tool.__dataclass_fields__}, **OLDER})


TOOLS = [pytest.param(tool, id=tool.name) for tool in (JEST, VITEST, MOCHA, NODE)]
ALL = [*TOOLS, *(pytest.param(older(tool), id=f"{tool.name}, another version") for tool in (JEST, VITEST, MOCHA, NODE))]
every_tool = pytest.mark.parametrize("tool", TOOLS)


def only(result: CheckResult) -> Failure:
    assert len(result.failures) == 1, [f.subject for f in result.failures]
    return result.failures[0]


@pytest.mark.parametrize("tool", ALL)
def test_a_failing_test_is_seen_with_its_place_and_all_others_with_their_results(tool: Tool, tool_lab: Lab) -> None:
    result = tool_lab(tool.folder).check(tool.project(tool.fails), tool.command)
    assert result.status is CheckStatus.FAILED, result.reason
    assert (result.strength, result.seen_by) == (Strength.INVENTORY, SeenBy.STRUCTURE)
    names = ("half > of two", "half > of four", "half > of nothing", "stands alone")
    assert set(result.inventory or ()) == {tool.id(name) for name in names}
    assert set(result.passed) == {tool.id("half > of four"), tool.id("stands alone")}
    assert result.skipped == (tool.id("half > of nothing"),)
    failure = only(result)
    assert (failure.subject, failure.kind, failure.phase, failure.test) == (
        tool.id("half > of two"),
        tool.kind,
        Phase.RUN,
        True,
    )
    assert (failure.file, failure.line, failure.source_line) == (tool.file, 4, tool.fails)
    assert "1" in failure.message
    assert "2" in failure.message
    assert "node_modules" not in failure.excerpt
    assert failure.repro
    assert tool.file in failure.repro


@every_tool
def test_the_same_failure_keeps_its_identity_when_lines_move_and_another_one_has_its_own(
    tool: Tool, tool_lab: Lab
) -> None:
    lab = tool_lab(tool.folder)
    first = only(lab.check(tool.project(tool.fails), tool.command))
    moved = only(lab.check(tool.project(tool.fails, before="// a\n// b\n// c\n"), tool.command))
    other = only(lab.check(tool.project(tool.fails_otherwise), tool.command))
    assert moved.line == (first.line or 0) + 3
    assert fingerprint(moved) == fingerprint(first)
    assert other.key == first.key
    assert fingerprint(other) != fingerprint(first)


@every_tool
@pytest.mark.parametrize("command", ["npm test", "pnpm test", "pnpm run test", "yarn test"])
def test_what_is_fixed_is_seen_passing_with_the_same_name_also_behind_npm(
    tool: Tool, tool_lab: Lab, command: str
) -> None:
    script = f'{{"name": "x", "version": "1.0.0", "scripts": {{"test": "{tool.command}"}}}}\n'
    lab = tool_lab(tool.folder)
    result = lab.check(tool.project(tool.holds, more={"package.json": script}), command)
    assert result.status is CheckStatus.PASSED, (result.reason, lab.output())
    assert tool.id("half > of two") in result.passed
    assert result.strength is Strength.INVENTORY


@every_tool
def test_a_file_that_cannot_be_read_is_a_failure_that_hides_its_tests(tool: Tool, tool_lab: Lab) -> None:
    lab = tool_lab(tool.folder)
    first = lab.check(tool.project("const = 3;"), tool.command)
    moved = lab.check(tool.project("const = 3;", before="// a\n// b\n"), tool.command)
    assert first.status is CheckStatus.FAILED, first.reason
    failure = only(first)
    assert (failure.subject, failure.phase, failure.test) == (tool.file, Phase.COLLECT, False)
    assert "Unexpected token" in failure.message or "Expected" in failure.message, failure
    assert not first.passed
    assert fingerprint(only(moved)) == fingerprint(failure)


@every_tool
def test_no_tests_are_no_pass(tool: Tool, tool_lab: Lab) -> None:
    lab = tool_lab(tool.folder)
    result = lab.check({"calc.js": CALC, **dict(tool.files)}, tool.command)
    assert result.status in {CheckStatus.ERROR, CheckStatus.FAILED}, (result.status, lab.output())
    assert not result.passed
    if tool.name != "mocha" or result.status is CheckStatus.ERROR:
        assert "no tests were collected" in result.reason, (result, lab.output())


@every_tool
def test_leaving_in_the_middle_with_exit_code_0_is_a_failure_of_the_test_that_ran(tool: Tool, tool_lab: Lab) -> None:
    lab = tool_lab(tool.folder)
    result = lab.check(tool.project(tool.holds, four="process.exit(0);"), tool.command)
    assert result.status is CheckStatus.FAILED, (result, lab.output())
    assert tool.id("half > of four") not in result.passed
    subjects = {f.subject for f in result.failures}
    assert subjects & {tool.id("half > of four"), tool.file}, result.failures


@every_tool
def test_a_check_that_takes_too_long_names_the_test_that_ran(tool: Tool, tool_lab: Lab) -> None:
    lab = tool_lab(tool.folder)
    result = lab.check(tool.project(tool.holds, four="for (;;);"), tool.command, timeouts={"tests": 8.0})
    assert result.status is CheckStatus.TIMEOUT
    assert "half > of four" in result.reason or tool.file in result.reason, result.reason
    assert tool.id("half > of four") not in result.passed


@every_tool
def test_a_missing_tool_is_an_error_and_no_failure(tool: Tool, tool_lab: Lab) -> None:
    command = tool.command.replace("node", "no-such-node") if tool is NODE else f"no-such-{tool.command}"
    result = tool_lab(tool.folder).check(tool.project(tool.fails), command)
    assert result.status is CheckStatus.ERROR
    assert "no-such" in result.reason


@every_tool
def test_the_output_is_what_it_is_without_trueup(tool: Tool, tool_lab: Lab) -> None:
    """The tool prints the same lines, whether it is looked into or not; only durations and order may differ."""
    lab = tool_lab(tool.folder)
    files = tool.project(tool.fails)
    lab.check(files, tool.command)
    seen = lab.output()
    lab.check(files, f"env -u NODE_OPTIONS {tool.command}")
    assert letters(lab.output()) == letters(seen)


def letters(text: str) -> list[str]:
    """Lines without durations (whose unit differs, too) and other digits; temporary folders are made of them."""
    lines = (re.sub(r"[\d.]+ ?(?:ms|s)?\b", "", line) for line in text.splitlines() if "/" not in line)
    return sorted(filter(None, ("".join(c for c in line if c.isalpha()) for line in lines)))


@every_tool
def test_only_the_chosen_tests_and_no_ignored_file_are_run(tool: Tool, tool_lab: Lab) -> None:
    lab = tool_lab(tool.folder)
    new = tool.file.replace("calc.", "new.")
    more = {new: GROUP.format(head=tool.head, two=tool.fails, four=tool.fails)}
    ignoring = lab.check(tool.project(tool.holds, more=more), tool.command, ignore=(new,))
    assert ignoring.status is CheckStatus.PASSED, (ignoring.reason, ignoring.failures, lab.output())
    assert not [i for i in ignoring.inventory or () if i.startswith(new)]
    (extra,) = ignoring.extra  # afterwards, in a process of their own
    assert (extra.status, extra.tool) == (CheckStatus.FAILED, tool.name), (extra.reason, lab.output())
    assert {i.partition("::")[0] for i in extra.inventory or ()} == {new}
    chosen = tool.id("half > of two")
    focused = lab.check(tool.project(tool.fails, more=more), tool.command, select={"tests": (chosen,)})
    assert [f.subject for f in focused.failures] == [chosen]
    if tool is not NODE:  # which chooses whole files
        assert focused.inventory == (chosen,)
