"""Any command as an agent: real processes, real files."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from trueup.act.agents import make_agent
from trueup.act.agents.base import AgentCall, AgentResult
from trueup.act.agents.claims import read_claim
from trueup.act.agents.template import read_template
from trueup.act.process import Processes
from trueup.decide.moves import AgentStatus
from trueup.decide.task import AgentSpec
from trueup.errors import UsageError

PROMPT = "fix it; $(touch pwned) `touch pwned` 'quoted' {workspace} \u00e9\n"
PYTHON = shlex.quote(sys.executable)

Run = Callable[..., AgentResult]


@pytest.fixture(scope="module")
def processes() -> Iterator[Processes]:
    with Processes() as running:
        yield running


@pytest.fixture
def call(tmp_path: Path) -> AgentCall:
    scratch, workspace = tmp_path / "the scratch", tmp_path / "the workspace"
    scratch.mkdir()
    workspace.mkdir()
    prompt_file = scratch / "prompt.md"
    prompt_file.write_text(PROMPT, encoding="utf-8")
    return AgentCall(
        prompt=PROMPT,
        prompt_file=prompt_file,
        workspace=workspace,
        attempt=3,
        seconds=60,
        usd=None,
        env={"PATH": os.environ["PATH"], "MARK": "env-reached"},
        scratch=scratch,
    )


@pytest.fixture
def run(call: AgentCall, processes: Processes) -> Run:
    def run(command: str | tuple[str, ...], **changes: object) -> AgentResult:
        from dataclasses import replace

        agent = make_agent(AgentSpec(name="it", command=command))
        return agent.run(replace(call, **changes), processes, lambda line: None)  # type: ignore[arg-type]

    return run


def text(result: AgentResult) -> str:
    return result.transcript.decode()


def test_the_prompt_comes_on_standard_input(run: Run, call: AgentCall) -> None:
    result = run("cat")
    assert text(result) == PROMPT
    assert result.status is AgentStatus.DONE
    assert result.exit_code == 0


def test_placeholders_are_filled_after_splitting(run: Run, call: AgentCall) -> None:
    result = run(
        ("printf", "%s|", "{prompt}", "{workspace}", "n={attempt}", "{prompt_file}", "{{prompt}}", '{"a": {x}}')
    )
    assert text(result).split("|") == [
        PROMPT,
        str(call.workspace),
        "n=3",
        str(call.prompt_file),
        "{prompt}",
        '{"a": {x}}',
        "",
    ]


def test_a_prompt_that_is_an_argument_is_not_on_standard_input_too(run: Run) -> None:
    assert text(run("cat {prompt_file} -")) == PROMPT


def test_a_written_command_is_split_like_a_shell_would_but_meets_none(run: Run, call: AgentCall) -> None:
    assert text(run("printf '%s|' 'two words' {prompt}")) == f"two words|{PROMPT}|"
    assert list(call.workspace.iterdir()) == []


def test_a_shell_command_gets_quoted_paths(run: Run, call: AgentCall) -> None:
    result = run("cat {prompt_file} | tr a-z A-Z > {workspace}/out && echo $MARK {attempt}")
    assert text(result) == "env-reached 3\n"
    assert (call.workspace / "out").read_text(encoding="utf-8").startswith("FIX IT; $(TOUCH PWNED)")
    assert [p.name for p in call.workspace.iterdir()] == ["out"]


@pytest.mark.parametrize(
    "command",
    [
        "agent {prompt} | tee log",
        "bash -c 'agent {prompt}'",
        ("sh", "-c", "agent {prompt}"),
        ("env", "bash", "--norc", "-lc", "a {prompt}"),
    ],
)
def test_a_prompt_never_meets_a_shell(command: str | tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="prompt_file"):
        read_template(command)


def test_a_script_file_gets_plain_arguments(run: Run, call: AgentCall) -> None:
    (call.workspace / "agent.sh").write_text('cat "$1"')
    assert text(run("sh agent.sh {prompt_file}")) == PROMPT


def test_after_a_cancel_nothing_is_started(call: AgentCall) -> None:
    agent = make_agent(AgentSpec(name="it", command="touch started"))
    with Processes() as ours:
        ours.cancel()
        assert agent.run(call, ours, lambda line: None).status is AgentStatus.CANCELLED
    assert list(call.workspace.iterdir()) == []


def test_a_cancel_ends_a_running_agent(call: AgentCall) -> None:
    agent = make_agent(AgentSpec(name="it", command="echo started; sleep 600"))
    with Processes() as ours:
        result = agent.run(call, ours, lambda line: ours.cancel())
    assert result.status is AgentStatus.CANCELLED


def test_a_prompt_may_be_an_argument_of_a_script(run: Run) -> None:
    assert text(run(("sh", "-c", 'printf %s "$1"', "sh", "{prompt}"))) == PROMPT


def test_a_misspelt_placeholder_is_refused_with_a_suggestion() -> None:
    with pytest.raises(UsageError, match=r"Did you mean \{prompt\}"):
        read_template("agent {promt}")


@pytest.mark.parametrize("command", ["awk '{print}'", "echo ${workspace}", "echo {a,b}", "jq '{task: 1}'"])
def test_other_braces_are_left_alone(command: str) -> None:
    assert read_template(command).names == frozenset()


def test_an_agent_without_a_command_is_refused() -> None:
    with pytest.raises(UsageError, match="no command"):
        make_agent(AgentSpec(name="it"))


def test_an_unknown_kind_is_refused_with_a_suggestion() -> None:
    with pytest.raises(UsageError, match="Did you mean 'command'"):
        make_agent(AgentSpec(name="it", kind="comand"))


def test_the_agent_works_in_the_workspace_with_its_environment(run: Run, call: AgentCall) -> None:
    assert text(run("sh -c 'pwd -P; echo $MARK'")) == f"{call.workspace.resolve()}\nenv-reached\n"


def test_a_prompt_that_is_too_long_for_an_argument_is_a_failure_with_a_way_out(run: Run) -> None:
    result = run("true {prompt}", prompt="x" * 200_000)
    assert result.status is AgentStatus.FAILED
    assert "{prompt_file}" in result.detail


def test_a_prompt_with_a_nul_can_be_an_argument(run: Run) -> None:
    assert text(run("printf %s {prompt}", prompt="a\0b")) == "a\ufffdb"


# --- how it ended


def test_a_missing_program_is_missing(run: Run) -> None:
    assert run("no-such-agent-anywhere").status is AgentStatus.MISSING
    assert run("no-such-agent-anywhere && true").status is AgentStatus.MISSING


def test_what_is_missing_is_told_before_anything_runs() -> None:
    assert "no-such-agent" in make_agent(AgentSpec(name="it", command="no-such-agent -p")).describe().missing
    assert make_agent(AgentSpec(name="it", command="sh -c true")).describe().missing == ""


def test_an_agent_that_takes_too_long_is_ended_and_its_words_are_kept(run: Run) -> None:
    result = run("echo early words; sleep 600", seconds=0.5)
    assert result.status is AgentStatus.TIMEOUT
    assert text(result) == "early words\n"


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("API Error: 401 unauthorized", AgentStatus.CREDENTIALS),
        ("Invalid API key · Fix external API key", AgentStatus.CREDENTIALS),
        ("OpenAIException - invalid \nx-api-key", AgentStatus.CREDENTIALS),
        ("You are not logged in. Please log in first", AgentStatus.CREDENTIALS),
        ("AuthenticationError", AgentStatus.CREDENTIALS),
        ("HTTP 429 Too Many Requests", AgentStatus.RATE_LIMITED),
        ("rate_limit_error", AgentStatus.RATE_LIMITED),
        ("overloaded_error (529)", AgentStatus.OVERLOADED),
        ("503 Service Unavailable", AgentStatus.OVERLOADED),
        ("Request failed (401)", AgentStatus.CREDENTIALS),
        ("Error: 401 Unauthorized", AgentStatus.CREDENTIALS),
        ('{"error": {"code": 401, "message": "no"}}', AgentStatus.CREDENTIALS),
        ("API Error: 401 {}", AgentStatus.CREDENTIALS),
        ("API Error: Request rejected (429)", AgentStatus.RATE_LIMITED),
        ("last status 429, giving up", AgentStatus.RATE_LIMITED),
        ("429 You exceeded your current quota", AgentStatus.RATE_LIMITED),
        ("503 status code (no body)", AgentStatus.OVERLOADED),
        ('{"type":"error","status":429}', AgentStatus.RATE_LIMITED),
        ("got HTTP 503 from the provider", AgentStatus.OVERLOADED),
        ("AUTHENTICATION FAILED: invalid API key", AgentStatus.CREDENTIALS),
        ("Segmentation fault", AgentStatus.FAILED),
        ("tests/test_auth.py:401: AssertionError: line 429 of 502 tests", AgentStatus.FAILED),
        (
            "FAILED tests/test_x.py::test_unauthorized_rate_limit - could not repair the authentication",
            AgentStatus.FAILED,
        ),
        ("", AgentStatus.FAILED),
        ("401", AgentStatus.FAILED),
        ("assert 200 == 401", AgentStatus.FAILED),
        ("E   assert response.status_code == 429", AgentStatus.FAILED),
        ("the endpoint returns 503", AgentStatus.FAILED),
        ("AssertionError: expected status 401, got status 503", AgentStatus.FAILED),
        ("Expected status code 401", AgentStatus.FAILED),
        ("E   requests.HTTPError: 401 Client Error: Unauthorized", AgentStatus.FAILED),
        ("test login::unauthorized ... FAILED", AgentStatus.FAILED),
        ("assert x == 1\nError: 401 Unauthorized", AgentStatus.CREDENTIALS),
    ],
)
def test_the_words_of_an_agent_that_failed_say_why(run: Run, words: str, status: AgentStatus) -> None:
    result = run(("sh", "-c", 'printf %s "$1"; exit 4', "sh", words))
    assert result.status is status
    assert result.exit_code == 4
    assert result.detail


@pytest.mark.parametrize("words", ["401 unauthorized", "rate limit 429", "All tests pass. Done.", "overloaded"])
def test_the_words_of_an_agent_that_ended_well_decide_nothing(run: Run, words: str) -> None:
    result = run(("echo", words))
    assert result.status is AgentStatus.DONE
    assert result.note == words
    assert result.detail == ""


def test_activity_is_the_newest_line_cut_and_harmless(call: AgentCall, processes: Processes) -> None:
    seen: list[str] = []
    agent = make_agent(
        AgentSpec(name="it", command=("printf", "\\033[2Jhello\\007 there\\n\\n" + "xxx " * 150 + "\\n\\n"))
    )
    agent.run(call, processes, seen.append)
    assert seen
    assert all(len(line) <= 120 and line.isprintable() for line in seen)
    assert seen[-1].startswith("xxx")


# --- what it claims


def claiming(content: str) -> tuple[str, ...]:
    return ("sh", "-c", 'printf %s "$1" > "$2"', "sh", content, "{result_file}")


def test_a_reported_cost_is_taken(run: Run) -> None:
    result = run(claiming('{"usd": 0.25, "tokens": 1200, "note": "did\\u001b[2J it"}'))
    assert (result.claimed_usd, result.claim_problem, result.tokens) == (0.25, "", 1200)
    assert result.note == "did it"


def test_a_session_is_named_with_its_total_and_given_to_the_next_call(run: Run, call: AgentCall) -> None:
    result = run(claiming('{"total_usd": 0.75, "session": "abc-1"}'))
    assert (result.claimed_usd, result.total_usd, result.session) == (None, 0.75, "abc-1")
    assert text(run("printf %s {session}", session=result.session, fresh_session=False)) == "abc-1"
    assert text(run(("printf", "%s|", "{session}"))) == "|"


@pytest.mark.parametrize("name", ["--danger", "two words", "$(touch pwned)", "", "x" * 300, 7, None])
def test_a_session_that_could_be_more_than_a_name_is_not_taken(run: Run, name: object) -> None:
    assert run(claiming(json.dumps({"usd": 0.1, "session": name}))).session == ""


@pytest.mark.parametrize(
    "content",
    [
        '{"usd": NaN}',
        '{"usd": Infinity}',
        '{"usd": 1e999}',
        '{"usd": 1e300}',
        '{"usd": 1' + "0" * 400 + "}",
        '{"usd": 0.1, "total_usd": 0.4, "session": "s1"}',
        '{"total_usd": 0.4}',
        '{"total_usd": 0.4, "session": "--resume"}',
        '{"total_usd": "0.4", "session": "s1"}',
        '{"usd": -1}',
        '{"usd": "0.1"}',
        '{"usd": true}',
        '{"usd": [0.1]}',
        '{"usd": 0.1, "usd": 0.2}',
        '[{"usd": 0.1}, {"usd": 0.2}]',
        '{"usd": 0.1} {"usd": 0.2}',
        '{"usd": 0.1',
        '{"tokens": 12}',
        "",
        "0.1",
        "[" * 50_000,
    ],
)
def test_a_cost_that_cannot_be_believed_is_unknown_with_a_reason(run: Run, content: str) -> None:
    result = run(claiming(content))
    assert result.claimed_usd is None
    assert result.claim_problem
    assert result.status is AgentStatus.DONE


def test_a_missing_result_file_is_named_when_it_was_promised(run: Run) -> None:
    assert "no result file" in run("true {result_file}").claim_problem
    assert run("true").claim_problem == ""


def test_the_result_of_an_earlier_call_is_not_read(run: Run) -> None:
    assert run(claiming('{"usd": 0.25}')).claimed_usd == 0.25
    assert run("true {result_file}").claimed_usd is None


def test_a_claim_is_not_read_through_a_link_a_pipe_or_a_folder(tmp_path: Path) -> None:
    real = tmp_path / "real.json"
    real.write_text(json.dumps({"usd": 1.0}))
    (tmp_path / "link").symlink_to(real)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    assert read_claim(real).usd == 1.0
    for name in ("link", "pipe", "folder"):
        claim = read_claim(tmp_path / name)
        assert claim.usd is None
        assert claim.problem


def test_a_huge_claim_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    path.write_text(json.dumps({"usd": 1.0, "note": "x" * 1_000_001}))
    assert read_claim(path).problem == "the result file is larger than 1 MB"


def test_a_python_that_crashes_has_failed(run: Run) -> None:
    result = run(f"{PYTHON} -c 'raise SystemExit(\"gave up\")'")
    assert (result.status, result.exit_code, result.detail) == (AgentStatus.FAILED, 1, "gave up")
