"""What an attempt amounts to when real tools tell it: progress, skipped tests, broken builds, lint that gets less.

Two states of a small project are checked for real, and judged as a run judges an attempt on its start.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from trueup.decide.judge import Case, judge, required, signature
from trueup.decide.snapshot import Lens, take
from trueup.decide.state import Class, Judgement
from trueup.decide.task import Goal, GoalKind
from trueup.evidence.fingerprint import evidence_id, fingerprint
from trueup.evidence.report import CheckResult, CheckStatus, Report
from trueup.testing import task_for

PACKAGES = Path(__file__).parents[2] / ".tools"
MANY = 40
Files = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Tool:
    name: str
    command: str
    program: str
    packages: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    keep: tuple[str, ...] = ()


PYTEST = Tool(
    name="pytest",
    command=f"{sys.executable} -m pytest -q --continue-on-collection-errors",
    program=sys.executable,
    env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
)
GO = Tool(name="go", command="go test ./...", program="go", env={"GOCACHE": "{cache}", "GOTOOLCHAIN": "local"})
CARGO = Tool(
    name="cargo",
    command="cargo test",
    program="cargo",
    env={"CARGO_TARGET_DIR": "{cache}", "CARGO_NET_OFFLINE": "true"},
    keep=("HOME", "CARGO_HOME", "RUSTUP_HOME"),
)
JEST = Tool(name="jest", command="jest --ci", program="jest", packages="node")
RUFF = Tool(name="ruff", command="ruff check --no-cache .", program=str(Path(sys.executable).parent / "ruff"))
ESLINT = Tool(name="eslint", command="eslint .", program="eslint", packages="lint")


@dataclass(kw_only=True)
class Bench:
    """One tool, ready to be asked; two looks make a judgement."""

    tool: Tool
    lab: Any
    env: dict[str, str]

    def see(self, files: Files) -> CheckResult:
        result: CheckResult = self.lab.check(files, self.tool.command, env=self.env, keep_going=True)
        return result

    def judged(self, start: Files, now: Files) -> Judgement:
        return judgement(self.see(start), self.see(now))


def judgement(start: CheckResult, now: CheckResult) -> Judgement:
    """As `decide` does it for the first attempt of a run whose goal is that everything passes."""
    task = task_for(check=("true",))
    universe = start.keys(start.inventory or ())
    lens = Lens(looks={}, universe=universe)
    first = take(Report(tree="start", results=(start,)), task, lens)
    second = take(Report(tree="now", results=(now,)), task, lens)
    goal = Goal(kind=GoalKind.GREEN)
    return judge(
        Case(
            goal=goal,
            start=first,
            best=first,
            best_required=required(goal, first, first),
            best_prints=first.prints,
            origin_signature=signature(first.prints),
            now=second,
            tests=universe | first.tests | second.tests,
            universe=universe,
            may_vanish=False,
            earlier=(),
            free_moves=0,
        )
    )


@pytest.fixture(scope="module")
def bench(module_lab: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Callable[[Tool], Bench]:
    made: dict[str, Bench] = {}

    def of(tool: Tool) -> Bench:
        packages = PACKAGES / tool.packages if tool.packages else None
        own = packages / "node_modules" / ".bin" / tool.program if packages else None
        program = str(own) if own and own.exists() else shutil.which(tool.program)
        if program is None:
            pytest.skip(f"{tool.name} is not installed")
        if tool.name not in made:
            lab = module_lab(packages=packages)
            cache = str(tmp_path_factory.mktemp("cache"))
            env = {
                "PATH": os.pathsep.join((str(Path(program).parent), "/usr/bin", "/bin")),
                "HOME": str(lab.base),
                **{name: os.environ[name] for name in tool.keep if name in os.environ},
                **{name: value.replace("{cache}", cache) for name, value in tool.env.items()},
            }
            made[tool.name] = Bench(tool=tool, lab=lab, env=env)
        return made[tool.name]

    return of


# --- one project in three languages ------------------------------------------------------------------------------


def python(tests: str, product: str = "def add(a, b):\n    return a - b\n") -> Files:
    return {"calc.py": product, "test_calc.py": f"import pytest\nfrom calc import add\n\n\n{tests}"}


def go(tests: str, product: str = "func Add(a, b int) int { return a - b }\n", needs: str = "") -> Files:
    head = f'package calc\n\nimport (\n\t"testing"\n{needs})\n\n'
    return {
        "go.mod": "module example.com/calc\n\ngo 1.19\n",
        "calc.go": f"package calc\n\n{product}",
        "calc_test.go": head + tests,
    }


def jest(tests: str, product: str = "exports.add = (a, b) => a - b;\n") -> Files:
    head = "const { add } = require('./calc');\n"
    return {
        "jest.config.js": "module.exports = { watchman: false };\n",
        "calc.js": product,
        "calc.test.js": head + tests,
    }


PY_TEST = "def test_add():\n    assert add(1, 2) == 3\n\n\ndef test_zero():\n    assert add(0, 0) == 0\n"
GO_TEST = "func TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal(Add(1, 2))\n\t}\n\tif Add(2, 2) != 4 {\n\t\tt.Fatal(4)\n\t}\n}\n\nfunc TestZero(t *testing.T) {}\n"
JEST_TEST = "test('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\ntest('zero', () => {});\n"


@dataclass(frozen=True, kw_only=True)
class Story:
    """The same states, told in one tool's language."""

    tool: Tool
    start: Files
    commented: Files
    """Another tree, the same failure."""
    raised: Files
    """The same test fails in another way: at a later line, or before it can compare anything."""
    skipped: Files
    deleted: Files
    broken: Files
    hiding: Files
    """A start that does not build; below it, forty tests fail."""
    many: Files
    fixed: Files


STORIES = (
    Story(
        tool=PYTEST,
        start=python(PY_TEST),
        commented=python("# a remark\n\n" + PY_TEST, "# why\ndef add(a, b):\n    return a - b\n"),
        raised=python(PY_TEST, "def add(a, b):\n    return a - b if a == 0 else nowhere\n"),
        skipped=python("@pytest.mark.skip\n" + PY_TEST),
        deleted=python(PY_TEST.partition("\n\n\n")[2]),
        broken=python(PY_TEST, "def add(a, b:\n"),
        hiding=python(
            "".join(f"def test_{n}():\n    assert add({n}, 1) == {n}\n\n\n" for n in range(MANY)), "def add(a, b:\n"
        ),
        many=python("".join(f"def test_{n}():\n    assert add({n}, 1) == {n}\n\n\n" for n in range(MANY))),
        fixed=python(PY_TEST, "def add(a, b):\n    return a + b\n"),
    ),
    Story(
        tool=GO,
        start=go(GO_TEST),
        commented=go("// a remark\n\n" + GO_TEST, "// Add is why.\nfunc Add(a, b int) int { return a - b }\n"),
        raised=go(GO_TEST, "func Add(a, b int) int { return 3 }\n"),
        skipped=go(GO_TEST.replace("T) {\n\tif", 'T) {\n\tt.Skip("later")\n\tif')),
        deleted=go(GO_TEST.partition("\n\n")[2]),
        broken=go(GO_TEST, "func Add(a, b int) int { return nowhere }\n"),
        hiding=go(
            "".join(f"func Test{n}(t *testing.T) {{ t.Error(Add({n}, 1)) }}\n" for n in range(MANY)),
            "func Add(a, b int) int { return nowhere }\n",
        ),
        many=go("".join(f"func Test{n}(t *testing.T) {{ t.Error(Add({n}, 1)) }}\n" for n in range(MANY))),
        fixed=go(GO_TEST, "func Add(a, b int) int { return a + b }\n"),
    ),
    Story(
        tool=JEST,
        start=jest(JEST_TEST),
        commented=jest("// a remark\n\n" + JEST_TEST, "// why\nexports.add = (a, b) => a - b;\n"),
        raised=jest(JEST_TEST, "exports.add = (a, b) => nowhere(a, b);\n"),
        skipped=jest(JEST_TEST.replace("test('adds'", "test.skip('adds'")),
        deleted=jest(JEST_TEST.partition("});\n")[2]),
        broken=jest(JEST_TEST, "exports.add = (a, b => a;\n"),
        hiding=jest(
            "".join(f"test('{n}', () => {{ expect(add({n}, 1)).toBe({n}); }});\n" for n in range(MANY)),
            "exports.add = (a, b => a;\n",
        ),
        many=jest("".join(f"test('{n}', () => {{ expect(add({n}, 1)).toBe({n}); }});\n" for n in range(MANY))),
        fixed=jest(JEST_TEST, "exports.add = (a, b) => a + b;\n"),
    ),
)
every_story = pytest.mark.parametrize("story", STORIES, ids=lambda story: story.tool.name)
Benches = Callable[[Tool], Bench]


@every_story
def test_the_same_failure_on_another_tree_is_stuck(story: Story, bench: Benches) -> None:
    found = bench(story.tool).judged(story.start, story.commented)
    assert (found.kind, found.fixed, found.regressed) == (Class.STUCK, (), ())


@every_story
def test_a_test_that_fails_in_another_way_has_moved(story: Story, bench: Benches) -> None:
    assert bench(story.tool).judged(story.start, story.raised).kind is Class.MOVED


@every_story
def test_a_failing_test_that_is_skipped_is_not_fixed(story: Story, bench: Benches) -> None:
    found = bench(story.tool).judged(story.start, story.skipped)
    assert found.kind not in {Class.GREEN, Class.PROGRESS}
    assert not found.fixed
    assert found.required, "it still counts"


@every_story
def test_a_failing_test_that_is_deleted_is_not_fixed(story: Story, bench: Benches) -> None:
    found = bench(story.tool).judged(story.start, story.deleted)
    assert found.kind not in {Class.GREEN, Class.PROGRESS}
    assert not found.fixed
    assert found.required, "it still counts"


@every_story
def test_a_repaired_program_is_green(story: Story, bench: Benches) -> None:
    found = bench(story.tool).judged(story.start, story.fixed)
    assert (found.kind, len(found.fixed), found.required) == (Class.GREEN, 1, {})


@every_story
def test_a_build_that_is_broken_is_worse_than_a_red_test(story: Story, bench: Benches) -> None:
    found = bench(story.tool).judged(story.start, story.broken)
    assert found.kind is Class.WORSE
    assert not found.fixed


@every_story
def test_a_build_error_that_hid_forty_failures_is_progress_when_it_is_gone(story: Story, bench: Benches) -> None:
    found = bench(story.tool).judged(story.hiding, story.many)
    assert (found.kind, len(found.unveiled)) == (Class.PROGRESS, MANY)
    back = bench(story.tool).judged(story.many, story.hiding)
    assert back.kind is Class.WORSE, "forty red tests are better than none that can be run"


def test_the_same_holds_for_a_crate(bench: Benches) -> None:
    tests = "".join(f"    #[test]\n    fn t{n}() {{ assert_eq!(add({n}, 1), 0); }}\n" for n in range(MANY))
    lib = "pub fn add(a: i32, b: i32) -> i32 {{ {} }}\n\n#[cfg(test)]\nmod tests {{\n    use super::*;\n\n{}}}\n"
    crate = {
        "Cargo.toml": '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\ndoctest = false\n',
        "Cargo.lock": '# This file is automatically @generated by Cargo.\n# It is not intended for manual editing.\nversion = 3\n\n[[package]]\nname = "calc"\nversion = "0.1.0"\n',
    }
    cargo = bench(CARGO)
    hiding = {**crate, "src/lib.rs": lib.format("nowhere(a)", tests)}
    many = {**crate, "src/lib.rs": lib.format("a + b", tests)}
    found = cargo.judged(hiding, many)
    assert (found.kind, len(found.unveiled)) == (Class.PROGRESS, MANY)
    assert cargo.judged(many, hiding).kind is Class.WORSE


# --- lint, collection errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "file", "line", "beside"),
    [
        pytest.param(RUFF, "calc.py", "import os as m{n}\n", {}, id="ruff"),
        pytest.param(
            ESLINT,
            "calc.js",
            "console.log(m{n});\n",
            {
                "eslint.config.mjs": 'export default [{ rules: { "no-undef": "error" }, languageOptions: { globals: { console: true } } }];\n'
            },
            id="eslint",
        ),
    ],
)
def test_twenty_complaints_of_one_rule_in_one_file_that_become_nineteen_are_progress(
    tool: Tool, file: str, line: str, beside: Files, bench: Benches
) -> None:
    def lines(count: int) -> Files:
        return {**beside, file: "".join(line.format(n=n) for n in range(count))}

    twenty, nineteen = bench(tool).see(lines(20)), bench(tool).see(lines(19))
    assert len(twenty.failures) == 20
    assert len({f.key for f in twenty.failures}) == 1
    assert judgement(twenty, nineteen).kind is Class.PROGRESS
    assert judgement(nineteen, twenty).kind is Class.WORSE


def test_one_of_two_collection_errors_repaired_is_progress_although_four_tests_fail_now(bench: Benches) -> None:
    four = "".join(f"def test_{n}():\n    assert add({n}, 1) == {n}\n\n\n" for n in range(4))
    broken = {
        "calc.py": "def add(a, b):\n    return a - b\n",
        "test_a.py": "import nowhere_a\n",
        "test_b.py": f"import nowhere_b\nfrom calc import add\n\n\n{four}",
    }
    half = {**broken, "nowhere_b.py": ""}
    found = bench(PYTEST).judged(broken, half)
    assert (found.kind, len(found.unveiled)) == (Class.PROGRESS, 4)
    assert found.fixed == ("tests test_b.py",)


# --- what varies without meaning -------------------------------------------------------------------------------------

VARYING = {
    "pytest": (
        PYTEST,
        python("def test_add(tmp_path):\n    pytest.fail(f'{tmp_path} {object()} is not right')\n"),
    ),
    "go": (
        GO,
        go(
            'func TestAdd(t *testing.T) {\n\tt.Fatalf("%s/x after %s: not right", t.TempDir(), time.Since(begun))\n}\n\nvar begun = time.Now()\n',
            needs='\t"time"\n',
        ),
    ),
    "jest": (
        JEST,
        jest(
            "test('adds', () => {\n  const d = require('fs').mkdtempSync(require('os').tmpdir() + '/x-');\n  throw new Error(`${d}/file of pid ${process.pid} is not right`);\n});\n"
        ),
    ),
}


@pytest.mark.parametrize("name", VARYING)
def test_folders_addresses_and_durations_make_no_other_failure(name: str, bench: Benches) -> None:
    tool, files = VARYING[name]
    first, again = (bench(tool).see(files).failures[0] for _ in range(2))
    assert first.excerpt != again.excerpt or first.message != again.message, "nothing varied"
    assert fingerprint(first) == fingerprint(again)
    assert evidence_id(first) == evidence_id(again), (first.message, again.message)


# --- exit codes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "files"),
    [
        pytest.param(
            PYTEST,
            {**python(PY_TEST), "pytest.ini": "[pytest]\naddopts = --no-such-option\n"},
            id="pytest, exit code 4",
        ),
        pytest.param(GO, {**go(GO_TEST), "go.mod": "module\n"}, id="go"),
        pytest.param(JEST, {**jest(JEST_TEST), "jest.config.js": "module.exports = {\n"}, id="jest"),
    ],
)
def test_settings_of_the_project_that_its_tool_cannot_read_are_a_failure_to_repair(
    tool: Tool, files: Files, bench: Benches
) -> None:
    result = bench(tool).see(files)
    assert result.status is CheckStatus.FAILED, (result, bench(tool).lab.output())
    assert result.failures
    assert not result.passed


@pytest.mark.parametrize("tool", [PYTEST, GO, JEST], ids=lambda tool: tool.name)
def test_a_tool_behind_a_shell_that_is_not_there_is_an_error_and_no_failure(tool: Tool, bench: Benches) -> None:
    at = bench(tool)
    result = at.lab.check({"a.txt": "x"}, f"sh -c 'no-such-{tool.name} --all'", env=at.env)
    assert (result.status, result.exit_code, result.failures) == (CheckStatus.ERROR, 127, ())
    assert f"no-such-{tool.name}" in result.reason
