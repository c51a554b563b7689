"""Real compilers and linters: which complaints are others, which are known again, and when are they fewer?

All questions stand in one project, a file for each: two looks answer them.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from trueup.decide.judge import Case, judge, required, signature
from trueup.decide.snapshot import Lens, take
from trueup.decide.state import Class, Judgement
from trueup.decide.task import Goal, GoalKind
from trueup.evidence.failure import Failure
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.report import CheckResult, CheckStatus, Report
from trueup.evidence.text import GUESSED
from trueup.testing import task_for

PACKAGES = Path(__file__).parents[2] / ".tools"
SAID = ("please do not do this", "I would rather have it done in another way")
MANY = 20


@dataclass(frozen=True, kw_only=True)
class Tool:
    """`value`: something wrong with a name in it; `rule`: something else that is wrong; `wording`: a message in words."""

    name: str
    command: str
    ending: str
    value: str
    rule: str
    wording: str = ""
    beside: Mapping[str, str] = field(default_factory=dict)
    packages: str = ""
    keep: tuple[str, ...] = ()
    head: str = "{said}"
    """What stands above all, with the name of the file for `{file}`."""
    comment: str = "// "
    limit: str = ""

    def text(self, file: str, *parts: str) -> str:
        return self.head.format(file=file, said="") + "".join(parts)

    def project(self, turn: int) -> dict[str, str]:
        many = (self.value.format(name=f"nowhere{n}", n=n) for n in range(MANY - turn))
        said = {path: text.replace("{said}", SAID[turn]) for path, text in self.beside.items()}
        files = {
            "value": self.text("value", self.value.format(name=("nowhere", "elsewhere")[turn], n=0)),
            "rule": self.text("rule", (self.value.format(name="nowhere", n=0), self.rule)[turn]),
            "shifted": self.text("shifted", f"{self.comment}a remark\n" * turn, self.value.format(name="nowhere", n=0)),
            "many": self.text("many", *many),
        }
        if self.wording:
            files["wording"] = self.text("wording", self.wording.replace("{said}", SAID[turn]))
        return {**said, **{f"{name}{self.ending}": text for name, text in files.items()}}


C = "int f{n}(void) {{ return {name}; }}\n"
PY = "{name}()\n"
GCC = Tool(
    name="gcc",
    command="sh -c 'for f in *.c; do gcc -fsyntax-only $f || bad=1; done; exit $bad'",
    ending=".c",
    value=C,
    rule="int f0(void) { return 1 }\n",
    wording="#error {said}\n",
)
TOOLS = (
    GCC,
    replace(GCC, name="clang", command=GCC.command.replace("gcc", "clang -ferror-limit=0")),
    replace(GCC, name="g++", command=GCC.command.replace("gcc", "g++").replace("*.c", "*.cc"), ending=".cc"),
    Tool(
        name="rustc",
        command="sh -c 'for f in *.rs; do rustc --crate-type=lib --emit=metadata --out-dir=out $f || bad=1; done; exit $bad'",
        ending=".rs",
        value="pub fn f{n}() -> i32 {{ {name} }}\n",
        rule='pub fn f0() -> i32 { "" }\n',
        wording='compile_error!("{said}");\n',
        keep=("HOME", "CARGO_HOME", "RUSTUP_HOME"),
    ),
    Tool(
        name="javac",
        command="javac -d out value.java rule.java shifted.java many.java",
        ending=".java",
        value="class {{file}}{n} {{ int f() {{ return {name}; }} }}\n",
        rule="class rule0 { int f() { return true; } }\n",
    ),
    Tool(
        name="tsc",
        command="tsc --noEmit --strict value.ts rule.ts shifted.ts many.ts wording.ts",
        ending=".ts",
        packages="lint",
        value="export const f{n} = () => {name};\n",
        rule='export const f0: number = "";\n',
        wording='export const f: "{said}" = 1 as number;\n',
    ),
    Tool(
        name="ruff",
        command="ruff check --no-cache .",
        ending=".py",
        comment="# ",
        value=PY,
        rule="import os\n",
        wording="import json\n\njson.dumps(1)\n",
        beside={
            "ruff.toml": '[lint]\nselect = ["F", "TID251"]\n[lint.flake8-tidy-imports.banned-api]\n"json".msg = "{said}"\n'
        },
    ),
    Tool(
        name="mypy",
        command="mypy --cache-dir=.cache --enable-error-code=deprecated value.py rule.py shifted.py many.py wording.py",
        ending=".py",
        comment="# ",
        value=PY,
        rule='X: int = ""\n',
        wording='from typing_extensions import deprecated\n\n\n@deprecated("{said}")\ndef f() -> None: ...\n\n\nf()\n',
    ),
    Tool(
        name="pyright",
        command="pyright value.py rule.py shifted.py many.py wording.py",
        ending=".py",
        comment="# ",
        packages="lint",
        value=PY,
        rule='X: int = ""\n',
        wording='from typing_extensions import deprecated\n\n\n@deprecated("{said}")\ndef f() -> None: ...\n\n\nf()\n',
        beside={"pyrightconfig.json": '{ "reportDeprecated": "error", "reportMissingModuleSource": false }\n'},
    ),
    Tool(
        name="eslint",
        command="eslint .",
        ending=".js",
        packages="lint",
        value="{name}();\n",
        rule="debugger;\n",
        wording="with_words: while (true) {}\n",
        beside={
            "eslint.config.mjs": (
                'export default [{ rules: { "no-undef": "error", "no-debugger": "error", '
                '"no-restricted-syntax": ["error", { selector: "LabeledStatement", message: "{said}" }] } }];\n'
            )
        },
    ),
)


@dataclass(kw_only=True)
class Stand:
    tool: Tool
    lab: Any
    env: dict[str, str]
    seen: dict[int, CheckResult] = field(default_factory=dict)

    def project(self, turn: int) -> dict[str, str]:
        files = self.tool.project(turn)
        return {p: t.replace("{file}", p.partition(".")[0]) for p, t in files.items()}

    def see(self, turn: int) -> CheckResult:
        if turn not in self.seen:
            self.seen[turn] = self.lab.check(self.project(turn), self.tool.command, env=self.env)
        return self.seen[turn]

    def of(self, turn: int, file: str) -> tuple[Failure, ...]:
        result = self.see(turn)
        assert result.status is CheckStatus.FAILED, (result, self.lab.output())
        found = tuple(f for f in result.failures if (f.file or "").startswith(file))
        assert found, (file, [f.subject for f in result.failures], self.lab.output())
        return found

    def judged(self, file: str, *, back: bool = False) -> Judgement:
        looks = [replace(self.see(turn), failures=self.of(turn, file)) for turn in (0, 1)]
        return judgement(*(looks[::-1] if back else looks))


def judgement(start: CheckResult, now: CheckResult) -> Judgement:
    task = task_for(check=("true",))
    first, second = (take(Report(tree=t, results=(r,)), task, Lens(looks={})) for t, r in (("a", start), ("b", now)))
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
            tests=frozenset(),
            universe=frozenset(),
            may_vanish=False,
            earlier=(),
            free_moves=0,
        )
    )


Stands = Callable[[Tool], Stand]


@pytest.fixture(scope="module")
def stands(module_lab: Callable[..., Any]) -> Stands:
    made: dict[str, Stand] = {}

    def of(tool: Tool) -> Stand:
        folders = (PACKAGES / tool.packages / "node_modules" / ".bin", Path(sys.executable).parent)
        found = shutil.which(tool.name, path=os.pathsep.join((*map(str, folders), os.environ["PATH"])))
        if found is None:
            pytest.skip(f"{tool.name} is not installed")
        if tool.name not in made:
            lab = module_lab(packages=PACKAGES / tool.packages if tool.packages else None)
            kept = {name: os.environ[name] for name in tool.keep if name in os.environ}
            path = os.pathsep.join((str(Path(found).parent), "/usr/bin", "/bin"))
            env = {"PATH": path, "HOME": str(lab.base), "LANG": "C.UTF-8", **kept}
            made[tool.name] = Stand(tool=tool, lab=lab, env=env)
        return made[tool.name]

    return of


every_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)


@every_tool
def test_another_name_in_the_message_is_another_failure_and_has_moved(tool: Tool, stands: Stands) -> None:
    stand = stands(tool)
    (first,), (second,) = stand.of(0, "value"), stand.of(1, "value")
    assert first.key == second.key
    assert fingerprint(first) != fingerprint(second)
    assert stand.judged("value").kind is Class.MOVED


@every_tool
def test_another_rule_is_another_failure_and_no_progress(tool: Tool, stands: Stands) -> None:
    stand = stands(tool)
    assert {fingerprint(f) for f in stand.of(0, "rule")}.isdisjoint(fingerprint(f) for f in stand.of(1, "rule"))
    assert stand.judged("rule").kind in {Class.MOVED, Class.MIXED}


@every_tool
def test_the_same_complaint_on_another_line_of_another_tree_is_stuck(tool: Tool, stands: Stands) -> None:
    stand = stands(tool)
    (first,), (second,) = stand.of(0, "shifted"), stand.of(1, "shifted")
    assert (first.line or 0) + 1 == second.line
    assert stand.judged("shifted").kind is Class.STUCK


@every_tool
def test_other_words_of_the_same_complaint_are_no_progress(tool: Tool, stands: Stands) -> None:
    """The words are all that tells two complaints of one rule in one file apart: it has moved, twice for free."""
    if not tool.wording:
        pytest.skip(f"{tool.name} says nothing in words of the project's own")
    stand = stands(tool)
    (first,), (second,) = stand.of(0, "wording"), stand.of(1, "wording")
    assert SAID[0] in first.message
    assert SAID[1] in second.message
    found = stand.judged("wording")
    assert (found.kind, found.fixed, found.new) == (Class.MOVED, (), ())


@every_tool
def test_twenty_complaints_that_become_nineteen_are_progress(tool: Tool, stands: Stands) -> None:
    stand = stands(tool)
    assert (len(stand.of(0, "many")), len(stand.of(1, "many"))) == (MANY, MANY - 1)
    assert len({f.key for f in stand.of(0, "many")}) == 1
    assert stand.judged("many").kind is Class.PROGRESS
    assert stand.judged("many", back=True).kind is Class.WORSE


@every_tool
def test_a_failed_check_that_nobody_can_read_is_one_failure(tool: Tool, stands: Stands) -> None:
    """Its surroundings are wiped, so that it cannot be asked, and its words are replaced."""
    stand = stands(tool)
    kept = " ".join(f"{name}='{value}'" for name, value in stand.env.items())
    script = f"env -i {kept} {tool.command} >/dev/null 2>&1 || {{ echo 'the moon is in another house'; exit 3; }}\n"
    result = stand.lab.check({**stand.project(0), "odd.sh": script}, "sh odd.sh", env=stand.env)
    assert (result.status, result.exit_code) == (CheckStatus.FAILED, 3), result
    assert [f.subject for f in result.failures] == [""]
    assert result.failures[0].kind in GUESSED
