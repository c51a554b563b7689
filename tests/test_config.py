from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.config import (
    Overrides,
    build_task,
    check_name,
    environment_warnings,
    item_name,
    load_config,
    parse_config,
    parse_duration,
    parse_until,
    show_duration,
    starter_config,
    suggest,
    values,
)
from trueup.config.names import agent_name, is_item_name
from trueup.config.prices import Price, known_price, read_price
from trueup.decide.task import AgentSpec, CheckSpec, Goal, GoalKind, Limits, OnGreen, Task
from trueup.errors import UsageError
from trueup.evidence.report import Strength

CLAUDE = AgentSpec(name="claude", kind="claude", reports_cost=True)
CODEX = AgentSpec(name="codex", kind="codex", counts_tokens=True)
KNOWN = {"claude": CLAUDE, "codex": CODEX}

FULL = """
goal = "no-new-failures"
setup = "uv sync"
only = ["src/**"]
protect = ["golden/**"]
include = [".env.test"]
env = ["DATABASE_URL"]
patience = 2
min_strength = "twin"
max_changed_files = 20
edit_tests = true
on_green = "work"
agent_timeout = "20m"

[[check]]
name = "types"
run = ["mypy", "src"]

[[check]]
name = "tests"
run = "pytest -q"
after = ["types"]
timeout = "10m"
hermetic = false

[[agent]]
name = "claude"

[[agent]]
name = "mine"
command = "my-agent | tee log"
shell = true
usd_per_attempt = 0.25

[limits]
usd = 3
time = "1h30m"
attempts = 7
max_usd_per_attempt = 1.5
"""


def write(root: Path, text: str, name: str = "trueup.toml") -> Path:
    (root / name).write_text(text)
    return root


def config(text: str) -> dict[str, Any]:
    return parse_config(text.encode(), "trueup.toml")


def task(text: str = "", *, environ: dict[str, str] | None = None, **flags: Any) -> Task:
    return build_task(config(text), Overrides(**flags), environ or {}, known_agents=KNOWN)


def refusal(text: str = "", *, environ: dict[str, str] | None = None, **flags: Any) -> str:
    with pytest.raises(UsageError) as caught:
        task(text, environ=environ, **flags)
    assert caught.value.exit_code == 2
    return str(caught.value)


# --- where the file is ---------------------------------------------------------------------------------------


def test_without_a_file_there_is_an_empty_configuration(tmp_path: Path) -> None:
    assert load_config(tmp_path) == ({}, None)


def test_the_own_file_is_read(tmp_path: Path) -> None:
    values, source = load_config(write(tmp_path, "patience = 2"))
    assert values == {"patience": 2}
    assert source == tmp_path / "trueup.toml"


def test_the_table_in_pyproject_is_read(tmp_path: Path) -> None:
    write(tmp_path, '[project]\nname = "shop"\n[tool.trueup]\npatience = 2\n', "pyproject.toml")
    assert load_config(tmp_path) == ({"patience": 2}, tmp_path / "pyproject.toml")


def test_a_pyproject_without_our_table_does_not_count(tmp_path: Path) -> None:
    write(tmp_path, "[tool.ruff]\nline-length = 100\n", "pyproject.toml")
    assert load_config(tmp_path).source is None
    assert load_config(write(tmp_path, "patience = 2")).values == {"patience": 2}


def test_two_configurations_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "[tool.trueup]\n", "pyproject.toml")
    write(tmp_path, "patience = 2")
    with pytest.raises(UsageError, match=r"trueup.toml and \[tool.trueup\] in pyproject.toml"):
        load_config(tmp_path)


@pytest.mark.parametrize("content", [b"goal = ", b"\xff\xfe", b"a = " + b"[" * 100_000])
def test_a_file_that_is_no_toml_is_named_with_the_reason(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "trueup.toml").write_bytes(content)
    with pytest.raises(UsageError, match=r"trueup.toml is not valid TOML") as caught:
        load_config(tmp_path)
    assert caught.value.why


def test_a_broken_pyproject_is_no_obstacle_unless_it_configures_us(tmp_path: Path) -> None:
    write(tmp_path, "[project\n", "pyproject.toml")
    assert load_config(tmp_path).source is None
    write(tmp_path, "[project\n[tool.trueup]\n", "pyproject.toml")
    with pytest.raises(UsageError, match=r"pyproject.toml is not valid TOML"):
        load_config(tmp_path)


def test_a_folder_with_the_files_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "trueup.toml").mkdir()
    with pytest.raises(UsageError, match="is not a file"):
        load_config(tmp_path)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that is there and cannot be read")
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "trueup.toml").symlink_to("/proc/self/mem")
    with pytest.raises(UsageError, match=r"trueup.toml cannot be read"):
        load_config(tmp_path)


def test_our_name_in_pyproject_has_to_be_a_table(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"tool.trueup is not a table"):
        load_config(write(tmp_path, "[tool]\ntrueup = 1\n", "pyproject.toml"))


# --- keys and values -----------------------------------------------------------------------------------------


def test_every_key_reaches_the_task() -> None:
    assert task(FULL) == Task(
        fix_first=True,
        checks=(
            CheckSpec(name="types", run=("mypy", "src")),
            CheckSpec(name="tests", run="pytest -q", after=("types",), timeout=600.0, hermetic=False),
        ),
        agents=(
            CLAUDE,
            AgentSpec(name="mine", command="my-agent | tee log", usd_per_attempt=0.25, options={"shell": "true"}),
        ),
        goal=Goal(kind=GoalKind.NO_NEW_FAILURES),
        limits=Limits(usd=3.0, time=5400.0, attempts=7, max_usd_per_attempt=1.5),
        setup="uv sync",
        only=("src/**",),
        protect=("golden/**",),
        include=(".env.test",),
        env=("DATABASE_URL",),
        edit_tests=True,
        on_green=OnGreen.WORK,
        patience=2,
        max_changed_files=20,
        min_strength=Strength.TWIN,
        agent_timeout=1200.0,
    )


def test_nothing_said_gives_the_defaults() -> None:
    assert task() == Task(fix_first=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('gaol = "green"', "trueup.toml: unknown key 'gaol'\nDid you mean 'goal'?"),
        ('[[checks]]\nrun = "x"', "unknown key 'checks'\nDid you mean 'check'?"),
        (
            '[[check]]\nname = "tests"\nrun = "x"\ntimout = 1',
            "[[check]] 'tests': unknown key 'timout'\nDid you mean 'timeout'?",
        ),
        ('[[check]]\nrun = "x"\n[[check]]\nrum = "x"', "[[check]] number 2: unknown key 'rum'"),
        ('[[agent]]\nname = "claude"\nmodell = "x"', "[[agent]] 'claude': unknown key 'modell'"),
        ("[limits]\nmoney = 1", "[limits]: unknown key 'money'\nKnown here: attempts, max_usd_per_attempt, time, usd."),
        ("usd = 3", "unknown key 'usd'\nIt belongs in [limits]."),
        ("timeout = 3", "unknown key 'timeout'\nIt belongs in [[check]]."),
        ("[limits]\npatience = 3", "unknown key 'patience'\nIt belongs in the top of the file."),
        ('reviewer = "a person"', "a name of letters, digits and . _ -"),
        ("reviewer = 3", "a name of letters, digits and . _ -"),
        ('search_first = "yes"', 'search_first = "yes" cannot be used\nIt has to be true or false.'),
        ('[[check]]\nrun = "x"\nreport = "junit.xml"', '[[check]] number 1: report = "junit.xml" cannot be used'),
        ('decision_file = "d"', "unknown key 'decision_file'\nIt belongs in [[check]]."),
    ],
)
def test_an_unknown_key_is_named_with_its_place_and_a_way_out(text: str, message: str) -> None:
    assert message in refusal(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'goal = "gren"',
            'goal = "gren" cannot be used\nIt has to be "green" or "no-new-failures", or a list of test ids.',
        ),
        ("goal = []", "or a list of test ids"),
        ("goal = [1]", "or a list of test ids"),
        ("setup = 1", "setup = 1 cannot be used\nIt has to be a command line, or a list"),
        ('setup = " "', "a command line"),
        ("setup = []", "a command line"),
        ('only = "src"', 'only = "src" cannot be used\nIt has to be a list of patterns'),
        ('protect = [""]', "a list of patterns"),
        ("include = [1]", "a list of patterns"),
        ('env = ["A B"]', "names of environment variables"),
        ("patience = 0", "patience = 0 cannot be used\nIt has to be a whole number, 1 or more."),
        ("patience = true", "patience = true cannot be used"),
        ("patience = 1.5", "a whole number"),
        ("max_changed_files = -1", "a whole number"),
        ("max_verify_attempts = 0", "a whole number"),
        ('min_strength = "strong"', '"exit_code" or "inventory" or "twin"'),
        ("edit_tests = 1", "edit_tests = 1 cannot be used\nIt has to be true or false."),
        ('on_green = "go"', '"stop" or "work"'),
        ('agent_timeout = "soon"', 'agent_timeout = "soon" cannot be used\nIt has to be a duration'),
        ("usd_per_attempt = -1", "an amount in dollars, 0 or more"),
        ("limits = 3", "[limits] is not a table"),
        (
            "[limits]\nusd = 0",
            "trueup.toml, [limits]: usd = 0 cannot be used\nIt has to be an amount in dollars, more than 0",
        ),
        ("[limits]\nusd = nan", "an amount in dollars"),
        ("[limits]\nusd = inf", "an amount in dollars"),
        ("[limits]\nusd = true", "an amount in dollars"),
        ('[limits]\nusd = "5"', "an amount in dollars"),
        (f"[limits]\nusd = 1{'0' * 400}", "an amount in dollars"),
        ("[limits]\ntime = 0", "a duration"),
        ("[limits]\ntime = 2020-01-01", "a duration"),
        ("[limits]\nattempts = 0", "a whole number"),
        ("[limits]\nmax_usd_per_attempt = 0", "an amount in dollars, more than 0"),
        ("check = 1", "'check' is not a list of tables\nWrite [[check]] with double brackets."),
        ('[check]\nrun = "x"', "Write [[check]] with double brackets."),
        ("check = [1]", "[[check]] number 1 is not a table"),
        ('[[check]]\nname = "tests"', "[[check]] 'tests' has no 'run'"),
        ('[[check]]\nname = "my tests"\nrun = "x"', "a name of letters, digits and . _ -"),
        ('[[check]]\nname = ""\nrun = "x"', "a name of letters"),
        ('[[check]]\nrun = "x"\nafter = "types"', "a list of names of checks"),
        ('[[check]]\nrun = "x"\nhermetic = "no"', "true or false"),
        ('[[check]]\nname = "a"\nrun = "x"\n[[check]]\nname = "a"\nrun = "y"', "two [[check]] are named 'a'"),
        (
            '[[check]]\nname = "tests"\nrun = "x"\nafter = ["tpyes"]\n[[check]]\nname = "types"\nrun = "x"',
            "Did you mean 'types'?",
        ),
        ('[[check]]\nname = "a"\nrun = "x"\nafter = ["a"]', "checks wait for each other"),
        ('[[agent]]\ncommand = "x"', "[[agent]] number 1 has no 'name'"),
        ('[[agent]]\nname = "claud"', "agent 'claud' is not known\nKnown are: claude, codex. Did you mean 'claude'?"),
        ('[[agent]]\nname = "x"\ncommand = "x"\nkind = "cmd"', "kind 'cmd' is not known"),
        ('[[agent]]\nname = "x"\ncommand = ["x"]\nshell = true', "shell = true needs a command line"),
        ('[[agent]]\nname = "claude"\nshell = true', "shell = true needs a command line"),
        ('[[agent]]\nname = "claude"\nmodel = " "', "a text on one line"),
        ('[[agent]]\nname = "claude"\nargs = "-v"', "a list of arguments"),
        ('[[agent]]\nname = "claude"\nprice = { input = 1 }', "dollars for a million tokens"),
        ('[[agent]]\nname = "claude"\nprice = { input = 1, output = -1 }', "dollars for a million tokens"),
        ('[[agent]]\nname = "x"\ncommand = "y"\nmodel = "z"', "agent 'x': model is not for an agent of this kind"),
        ('[[agent]]\nname = "x"\ncommand = "a"\n[[agent]]\nname = "x"\ncommand = "b"', "two [[agent]] are named 'x'"),
    ],
)
def test_a_wrong_value_is_shown_with_what_is_allowed(text: str, message: str) -> None:
    assert message in refusal(text)


def test_a_long_wrong_value_is_shortened() -> None:
    assert max(len(line) for line in refusal(f'goal = "{"x" * 5000}"').splitlines()) < 120


def test_targets_can_be_the_goal_in_the_file() -> None:
    assert task('goal = ["t.py::a", "t.py::b", "t.py::a"]').goal == Goal(
        kind=GoalKind.TARGETS, targets=("t.py::a", "t.py::b")
    )


def test_no_limit_can_be_said() -> None:
    limits = task('[limits]\nusd = "none"\ntime = "none"').limits
    assert (limits.usd, limits.time) == (None, None)


# --- precedence ----------------------------------------------------------------------------------------------


def test_a_flag_goes_before_a_variable_and_a_variable_before_the_file() -> None:
    text = '[limits]\nattempts = 2\ntime = "2m"\nusd = 2'
    environ = {"TRUEUP_MAX_ATTEMPTS": "3", "TRUEUP_MAX_TIME": "3m"}
    limits = task(text, environ=environ, max_attempts=4).limits
    assert (limits.attempts, limits.time, limits.usd) == (4, 180.0, 2.0)


def test_every_variable_reaches_the_task() -> None:
    environ = {
        "TRUEUP_MAX_USD": "2.5",
        "TRUEUP_MAX_TIME": "90",
        "TRUEUP_MAX_ATTEMPTS": "3",
        "TRUEUP_MAX_USD_PER_ATTEMPT": "1",
        "TRUEUP_USD_PER_ATTEMPT": "0.5",
        "TRUEUP_AGENT": "claude, codex",
        "TRUEUP_AGENT_CMD": "my-agent",
        "TRUEUP_CHECK": "make test",
        "TRUEUP_GOAL": "no-new-failures",
        "TRUEUP_SETUP": "npm ci",
        "TRUEUP_PATIENCE": "2",
        "TRUEUP_MIN_STRENGTH": "twin",
        "TRUEUP_MAX_CHANGED_FILES": "9",
        "TRUEUP_EDIT_TESTS": "1",
        "TRUEUP_ON_GREEN": "work",
        "TRUEUP_AGENT_TIMEOUT": "5m",
    }
    assert environment_warnings(environ) == ()
    assert task(environ=environ) == Task(
        fix_first=True,
        checks=(CheckSpec(name="make-test", run="make test"),),
        agents=(
            CLAUDE,
            AgentSpec(name="codex", kind="codex", counts_tokens=True, usd_per_attempt=0.5),
            AgentSpec(name="my-agent", command="my-agent", usd_per_attempt=0.5),
        ),
        goal=Goal(kind=GoalKind.NO_NEW_FAILURES),
        limits=Limits(usd=2.5, time=90.0, attempts=3, max_usd_per_attempt=1.0),
        setup="npm ci",
        edit_tests=True,
        on_green=OnGreen.WORK,
        patience=2,
        max_changed_files=9,
        min_strength=Strength.TWIN,
        agent_timeout=300.0,
    )


def test_an_empty_variable_counts_as_not_set() -> None:
    assert task(environ={"TRUEUP_MAX_USD": " ", "TRUEUP_AGENT": "", "TRUEUP_EDIT_TESTS": ""}) == Task(fix_first=True)


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("TRUEUP_MAX_USD", "lots", "an amount in dollars"),
        ("TRUEUP_MAX_USD", "nan", "an amount in dollars"),
        ("TRUEUP_MAX_USD", "-1", "an amount in dollars"),
        ("TRUEUP_MAX_TIME", "soon", "a duration"),
        ("TRUEUP_MAX_ATTEMPTS", "2.5", "a whole number"),
        ("TRUEUP_EDIT_TESTS", "maybe", "true or false"),
        ("TRUEUP_GOAL", "gren", '"green" or "no-new-failures"'),
        ("TRUEUP_AGENT", "claud", "Did you mean 'claude'?"),
    ],
)
def test_a_wrong_variable_is_refused(name: str, value: str, allowed: str) -> None:
    message = refusal(environ={name: value})
    assert allowed in message
    assert value in message
    assert name in message or name == "TRUEUP_AGENT"


def test_an_unknown_variable_is_a_warning_with_a_suggestion() -> None:
    environ = {"TRUEUP_MAX_USED": "1", "TRUEUP_RUN": "7f3a", "HOME": "/root", "TRUEUP_ZZZZ": ""}
    assert environment_warnings(environ) == (
        "TRUEUP_MAX_USED is not known and was ignored. Did you mean TRUEUP_MAX_USD?",
        "TRUEUP_ZZZZ is not known and was ignored.",
    )
    assert task(environ=environ) == Task(fix_first=True)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"max_usd": 0.0}, "--max-usd 0.0 cannot be used\nIt has to be an amount in dollars, more than 0"),
        ({"max_usd": math.nan}, "--max-usd nan cannot be used"),
        ({"max_usd": math.inf}, "--max-usd inf cannot be used"),
        ({"max_usd": "x"}, "--max-usd x cannot be used"),
        ({"max_time": "0s"}, "--max-time 0s cannot be used\nIt has to be a duration"),
        ({"max_time": -1.0}, "--max-time -1.0 cannot be used"),
        ({"max_attempts": 0}, "--max-attempts 0 cannot be used\nIt has to be a whole number, 1 or more."),
        ({"agent_timeout": "1x"}, "--agent-timeout 1x cannot be used"),
        ({"on_green": "go"}, '--on-green go cannot be used\nIt has to be "stop" or "work".'),
        ({"setup": ""}, "--setup"),
        ({"check": ("pytest", " ")}, "--check ' ' cannot be used"),
        ({"agent_cmd": ""}, "--agent-cmd '' cannot be used"),
        ({"env": ("A=B",)}, "--env A=B cannot be used"),
        ({"only": ("",)}, "--only  cannot be used"),
        ({"goal": "gren"}, "--goal gren cannot be used\nIt has to be green or no-new-failures.\nDid you mean 'green'?"),
        ({"goal": "tests/test_x.py::test_y"}, "For a test: --target tests/test_x.py::test_y"),
        ({"goal": "green", "target": ("t",)}, "--goal and --target are both given"),
        ({"task": "  "}, "the task is empty"),
        ({"from_rev": "--upload-pack=x"}, "--from '--upload-pack=x' cannot be used"),
        ({"from_rev": ""}, "--from '' cannot be used"),
        ({"reviewer": "claude:"}, "--reviewer claude: cannot be used"),
        ({"reviewer_cmd": " "}, "--reviewer-cmd   cannot be used"),
        ({"search_cpu": "much"}, "--search-cpu much cannot be used"),
        ({"until": "tomorrow"}, "--until tomorrow cannot be used"),
    ],
)
def test_a_wrong_flag_is_named_with_what_is_allowed(flags: dict[str, Any], message: str) -> None:
    assert message in refusal(**flags)


def test_flags_replace_checks_and_scope_and_add_to_what_protects_or_lets_through() -> None:
    made = task(
        FULL, check=("pytest -x",), only=("lib/**",), protect=("data/**",), include=("x",), env=("B", "DATABASE_URL")
    )
    assert made.checks == (CheckSpec(name="pytest", run="pytest -x"),)
    assert made.only == ("lib/**",)
    assert made.protect == ("golden/**", "data/**")
    assert made.include == (".env.test", "x")
    assert made.env == ("DATABASE_URL", "B")


def test_an_empty_list_of_flags_counts_as_not_given() -> None:
    assert task(FULL, check=(), only=(), protect=(), include=(), env=(), agent=(), target=()) == task(FULL)


def test_targets_are_a_goal_of_their_own() -> None:
    expected = Goal(kind=GoalKind.TARGETS, targets=("a", "b"))
    assert task('goal = "green"', target=("a", "b", "a")).goal == expected


def test_the_remaining_flags_reach_the_task() -> None:
    made = task(task=" fix it ", item="my-item", from_rev="main", setup="make deps", edit_tests=True, on_green="work")
    assert made == Task(
        fix_first=True,
        text="fix it",
        item="my-item",
        from_rev="main",
        setup="make deps",
        edit_tests=True,
        on_green=OnGreen.WORK,
    )
    assert task("edit_tests = true", edit_tests=False).edit_tests is False


# --- agents and money ----------------------------------------------------------------------------------------


def test_a_command_agent_reports_its_cost_only_if_it_names_the_result_file() -> None:
    assert task(agent_cmd="my-agent").agents == (AgentSpec(name="my-agent", command="my-agent"),)
    assert task(agent_cmd="my-agent -o {result_file}").agents[0].reports_cost
    listed = '[[agent]]\nname = "x"\ncommand = ["my-agent", "--out={result_file}"]'
    assert task(listed).agents == (AgentSpec(name="x", command=("my-agent", "--out={result_file}"), reports_cost=True),)


def test_named_agents_come_in_their_order_from_the_file_or_the_known_ones() -> None:
    names = [agent.name for agent in task(FULL, agent=("codex", "mine", "codex"), max_usd="none").agents]
    assert names == ["codex", "mine"]


def test_a_named_agent_and_a_command_can_be_given_together() -> None:
    assert [a.name for a in task(agent=("claude",), agent_cmd="x").agents] == ["claude", "x"]


def test_flags_for_agents_go_before_variables_and_the_file() -> None:
    environ = {"TRUEUP_AGENT": "codex", "TRUEUP_AGENT_CMD": "x"}
    assert [a.name for a in task('[[agent]]\nname = "claude"', environ=environ).agents] == ["codex", "x"]
    assert [a.name for a in task(environ=environ, agent=("claude",)).agents] == ["claude"]


def test_an_unknown_agent_names_the_known_ones_and_another_way() -> None:
    message = refusal(agent=("gemini",))
    assert "agent 'gemini' is not known" in message
    assert "claude, codex" in message
    assert "--agent-cmd" in message


def test_a_known_agent_can_be_changed_in_the_file() -> None:
    text = '[[agent]]\nname = "claude"\ncommand = "/opt/claude"\n[[agent]]\nname = "codex"\nusd_per_attempt = 0.5'
    assert task(text).agents == (
        AgentSpec(name="claude", kind="claude", command="/opt/claude", reports_cost=True),
        AgentSpec(name="codex", kind="codex", counts_tokens=True, usd_per_attempt=0.5),
    )


def test_a_known_program_gets_its_model_arguments_and_price() -> None:
    price = "price = { input = 1, output = 2.5 }"
    careful = f'[[agent]]\nname = "careful"\nkind = "codex"\nmodel = "m-1"\nargs = ["-c", "a b"]\n{price}'
    (agent,) = task(careful, max_usd=2.0).agents
    assert (agent.name, agent.kind, agent.options["model"], agent.options["args"]) == (
        "careful",
        "codex",
        "m-1",
        '["-c", "a b"]',
    )
    assert read_price(agent.options["price"]) == Price(input=1.0, output=2.5, own=True)


def test_a_model_can_be_named_with_its_agent() -> None:
    (agent,) = task(agent=("claude:opus",)).agents
    assert (agent.name, agent.kind, agent.options) == ("claude:opus", "claude", {"model": "opus"})


def test_a_program_that_tells_tokens_has_a_cost_if_its_model_has_a_price() -> None:
    priced, unknown = task(agent=("codex:gpt-5", "codex:secret"), max_usd="none").agents
    assert priced.reports_cost
    assert not unknown.reports_cost
    assert "does not report what it costs" in refusal(agent=("codex:secret",), max_usd=2.0)
    assert "set the price of that model's tokens" in refusal(agent=("codex:secret",), max_usd=2.0)


@pytest.mark.parametrize(
    ("model", "known"),
    [("gpt-5", True), ("openai/gpt-4o-2024-08-06", True), ("GPT-5-mini", True), ("gpt-55", False), ("", False)],
)
def test_a_price_is_found_by_the_models_own_name(model: str, known: bool) -> None:
    assert (known_price(model) is not None) is known


def test_kept_input_is_priced_apart_where_it_is() -> None:
    usage = {"fresh": 1_000_000, "cached": 2_000_000, "output": 500_000}
    assert Price(input=1.0, output=10.0, cached=0.1).of(**usage) == pytest.approx(6.2)
    assert Price(input=1.0, output=10.0).of(**usage) == pytest.approx(8.0)


@pytest.mark.parametrize(
    ("text", "environ", "flags", "origin"),
    [
        ("", {}, {"max_usd": 2.0}, "--max-usd 2 "),
        ("", {"TRUEUP_MAX_USD": "2"}, {}, "TRUEUP_MAX_USD 2 "),
        ("[limits]\nusd = 2", {}, {}, "limits.usd 2 "),
    ],
)
def test_a_cap_that_the_user_set_and_nobody_can_count_is_refused(
    text: str, environ: dict[str, str], flags: dict[str, Any], origin: str
) -> None:
    message = refusal(text, environ=environ, agent=("claude",), agent_cmd="my-agent", **flags)
    assert message.startswith(origin)
    assert "agent 'my-agent' does not report what it costs" in message
    for way_out in ("usd_per_attempt", "{result_file}", "--max-usd none"):
        assert way_out in message


def test_the_default_cap_is_not_applied_when_nobody_can_count() -> None:
    assert task(agent=("codex",)).limits.usd is None
    assert task(agent=("claude",)).limits.usd == 5.0


@pytest.mark.parametrize("text", ["usd_per_attempt = 0.5", '[[agent]]\nname = "codex"\nusd_per_attempt = 0'])
def test_a_price_for_each_attempt_makes_a_cap_possible(text: str) -> None:
    made = task(text, agent=("codex",), max_usd=2.0)
    assert made.limits.usd == 2.0
    assert made.agents[0].usd_per_attempt in {0.5, 0.0}


def test_a_cap_from_the_file_can_be_lifted_by_a_flag() -> None:
    assert task("[limits]\nusd = 2", agent=("codex",), max_usd="none").limits.usd is None


# --- names ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("pytest -q", "pytest"),
        ("mypy src", "mypy"),
        ("make test", "make-test"),
        ("make -j4 test", "make-test"),
        ("npm run lint", "npm-run-lint"),
        ("go test ./...", "go-test"),
        ("uv run pytest -q", "pytest"),
        ("poetry run python -m pytest", "pytest"),
        ("CI=1 ./scripts/check.sh --all", "check.sh"),
        ("/usr/bin/python3.11 -m mypy", "mypy"),
        ("'my tool' x", "my-tool"),
        ("broken 'quote", "broken"),
        ("тест", "check"),
        ("uv run", "uv"),
        (("ruff", "check"), "ruff"),
        ("cd sub && pytest -q", "pytest"),
        ("(cd web; npm test)", "npm-test"),
        ("set -e; . .venv/bin/activate; cd api && CI=1 python -m pytest", "pytest"),
        ("( pytest -q )", "pytest"),
        ("make -k; pytest", "make"),
        ("make test&&ruff", "make-test"),
        ("cd sub", "cd"),
        ("(", "check"),
    ],
)
def test_a_check_without_a_name_is_called_after_its_program(command: str | tuple[str, ...], name: str) -> None:
    assert check_name(command) == name


def test_checks_with_the_same_program_are_numbered_around_given_names() -> None:
    assert [c.name for c in task(check=("pytest a", "pytest b", "pytest c")).checks] == [
        "pytest",
        "pytest-2",
        "pytest-3",
    ]
    text = '[[check]]\nrun = "pytest a"\n[[check]]\nname = "pytest"\nrun = "pytest b"'
    assert [c.name for c in task(text).checks] == ["pytest-2", "pytest"]


def test_a_short_plain_task_is_its_own_item_name() -> None:
    assert item_name("Make the  checks pass") == Task().item
    assert task(task="fix bug 12").item == "fix-bug-12"


def test_altered_and_shortened_texts_get_different_item_names() -> None:
    names = {item_name(text) for text in ("fix a.b", "fix a-b", "fix a b", "fix a/b", "fix á b")}
    assert len(names) == 5
    long = "repair " * 20
    assert item_name(long + "one") != item_name(long + "two")
    assert item_name("修复").startswith("task-")


@given(st.text(alphabet=st.characters(), min_size=1))
def test_every_text_gives_an_item_name_that_git_takes(text: str) -> None:
    name = item_name(text)
    assert is_item_name(name)
    assert name.isascii()
    assert len(name) <= 47


@pytest.mark.parametrize("name", ["a", "A.b_c-9", "9.locks", "x" * 64, "fix-a-b-7764fa", "HEAD", "a.-"])
def test_git_itself_takes_an_item_name_that_we_take(name: str) -> None:
    assert is_item_name(name)
    assert subprocess.run(["git", "check-ref-format", f"refs/heads/trueup/{name}"]).returncode == 0


@pytest.mark.parametrize(
    "name", ["", "-x", "a b", "a/b", "a..b", "a.lock", "a.", ".a", "a~1", "a:b", "x" * 65, "é", "a\n"]
)
def test_an_item_name_that_git_would_not_take_is_refused_with_another(name: str) -> None:
    message = refusal(item=name)
    assert "cannot be used" in message
    assert is_item_name(message.rpartition("--item ")[2])


def test_the_nearest_word_is_suggested_or_none() -> None:
    assert suggest("claud", ["claude", "codex"]) == "claude"
    assert suggest("zzz", ["claude", "codex"]) == ""


# --- durations and times -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("45s", 45),
        ("10m", 600),
        ("1h30m", 5400),
        ("1d", 86400),
        ("1.5h", 5400),
        (" 2m 5s ", 125),
        ("90", 90),
        (3, 3),
        (0.5, 0.5),
    ],
)
def test_durations_are_read_as_people_write_them(written: object, seconds: float) -> None:
    assert parse_duration(written) == seconds


@pytest.mark.parametrize(
    "written", ["", " ", "0", "0s", "-1", "-5m", "m", "10x", "1m1h", "1e3", "nan", "inf", "٣s", "9999d", 0, -1, math.nan, math.inf, 10**400, True, None, [], "9" * 5000]
)  # fmt: skip
def test_what_is_no_sensible_duration_is_refused(written: object) -> None:
    with pytest.raises(ValueError, match="a duration such as"):
        parse_duration(written)


@given(st.integers(min_value=1, max_value=365 * 86400 * 1000))
def test_a_shown_duration_reads_back(milliseconds: int) -> None:
    assert parse_duration(show_duration(milliseconds / 1000)) == pytest.approx(milliseconds / 1000, abs=1e-6)


@pytest.mark.parametrize(
    ("seconds", "shown"), [(2700, "45m"), (5400, "1h30m"), (0.25, "0.25s"), (61, "1m1s"), (0, "0s")]
)
def test_durations_are_shown_short(seconds: float, shown: str) -> None:
    assert show_duration(seconds) == shown


def test_until_is_the_next_such_time_or_an_exact_one() -> None:
    noon = 1_900_000_000.0
    assert 0 < parse_until("07:30", noon) - noon <= 86400
    assert parse_until("2030-05-01T07:30+00:00", noon) == 1_903_851_000.0
    assert build_task({}, Overrides(until="2030-05-01T07:30+00:00"), {}, now=noon).until == 1_903_851_000.0
    assert task(until=5.0).until == 5.0
    with pytest.raises(UsageError, match="in the future"):
        parse_until("2020-01-01T00:00", noon)


# --- the starter file ----------------------------------------------------------------------------------------


def test_the_starter_file_is_valid_and_holds_what_was_found() -> None:
    checks = (
        CheckSpec(name="types", run=("mypy", 'a "b" \\ \x7f é 🙂\n')),
        CheckSpec(name="tests", run="pytest -q", after=("types",), timeout=90.0, hermetic=False),
    )
    agents = (CLAUDE, AgentSpec(name="mine", command="x {result_file}", reports_cost=True, usd_per_attempt=0.1))
    made = task(starter_config(checks, agents))
    assert made.checks == checks
    assert made.agents == agents
    assert made.limits == Limits()


def test_the_starter_file_of_an_empty_project_changes_nothing() -> None:
    assert task(starter_config((), ())) == Task(fix_first=True)


def test_every_commented_key_of_the_starter_file_is_a_real_one() -> None:
    text = starter_config((), ())
    keys = [line[2:] for line in text.splitlines() if line.startswith("# ") and " = " in line and "usd" not in line]
    top = [line for line in keys if line.split(" = ")[0] not in {"name", "run", "command"}]
    assert len(top) == 9
    assert set(config("\n".join(top))) == {line.split(" = ")[0] for line in top}


def test_a_sandbox_is_asked_for_by_flag_variable_or_file_and_its_paths_are_absolute() -> None:
    assert task("sandbox = true").sandbox
    assert task("sandbox = true", sandbox=False).sandbox is False
    assert task(environ={"TRUEUP_SANDBOX": "yes"}).sandbox
    made = task('sandbox_read = ["/srv/data"]\nsandbox_share = ["~/.agent"]')
    assert (made.sandbox_read, made.sandbox_share) == (("/srv/data",), ("~/.agent",))
    for wrong in ("data", "~other/x", ""):
        assert "a list of absolute paths" in refusal(f'sandbox_share = ["{wrong}"]')


def test_reading_the_module_loads_nothing_heavy() -> None:
    heavy = "{'tomllib', 'difflib', 'msgspec', 'sqlite3', 'rich', 'typer', 'tomlkit', 'psutil', 'datetime'}"
    code = f"import sys, trueup.config; print(sorted(set(sys.modules) & {heavy}))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert result.stdout == "[]\n"


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("my-agent --prompt-file {prompt_file}", "my-agent"),
        ("/opt/bin/my-agent", "my-agent"),
        ("python3 -S tools/fix_it.py {prompt_file}", "fix_it"),
        ("sh -c 'claude -p'", "sh"),
        ("KEY=1 claude -p", "claude"),
        ("???", "command"),
    ],
)
def test_a_command_agent_is_called_by_its_program_or_script(command: str, name: str) -> None:
    assert agent_name(command) == name


# --- checks that decide --------------------------------------------------------------------------------------


def deciding(lines: str) -> Task:
    return build_task(
        parse_config(f'[[check]]\nname = "a"\nrun = "x"\n{lines}\n'.encode(), "trueup.toml"), Overrides(), {}
    )


def test_a_check_that_decides_is_declared_and_its_file_is_not_the_agents_to_write() -> None:
    task = deciding('decision_file = "build/decision.json"\ndecision_words = true\n[[check]]\nrun = "y"')
    assert [(c.decision_file, c.decision_words) for c in task.checks] == [
        ("build/decision.json", True),
        (None, False),
    ]
    assert task.protect == ("/build/decision.json",)
    assert deciding("").protect == ()


@pytest.mark.parametrize(
    "path",
    [
        *("", " ", "/etc/x", "../x", "a/../x", "./x", "a//x", ".git/x", "a/.git/x", ".trueup/x"),
        *("~/x", "*.json", "a?b", "a[b]", "a\\b", "a\nb", "a/", " x", "x "),
    ],
)
def test_a_decision_file_is_one_plainly_named_file_of_the_project(path: str) -> None:
    with pytest.raises(ValueError, match="a file of the project, from its root"):
        values.decision_file(path)


@pytest.mark.parametrize("path", ["decision.json", "build/out.d/decision.json", "-x", "#x", "!x", "ä b.json"])
def test_odd_names_are_names(path: str) -> None:
    assert values.decision_file(path) == path


def test_the_variables_of_a_deciding_check_are_no_settings_of_ours() -> None:
    given = {"TRUEUP_DECISION_FILE": "x", "TRUEUP_DECISION_NONCE": "x", "TRUEUP_CHECK_ID": "x"}
    assert environment_warnings(given) == ()


def test_a_starter_file_keeps_how_a_check_decides() -> None:
    check = CheckSpec(name="a", run="x", decision_file="d.json", decision_words=True)
    written = starter_config((check,), ())
    assert build_task(parse_config(written.encode(), "trueup.toml"), Overrides(), {}).checks == (check,)
