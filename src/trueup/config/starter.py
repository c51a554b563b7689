"""What should a first `trueup.toml` look like, given what was found in the project?"""

from __future__ import annotations

import json
from collections.abc import Iterable

from trueup.config.durations import show_duration
from trueup.decide.task import AgentSpec, CheckSpec, Limits

HEAD = """\
# What trueup does in this project. Flags and TRUEUP_* variables go before this file.
# Lines that begin with "# " and a key show what else there is; the values shown are the defaults or examples.

# goal = "green"                 # or "no-new-failures", or a list of test ids
# setup = "uv sync"              # prepares a fresh copy of the project
# only = ["src/**"]              # where the agent may write; not set: anywhere that is not protected
# protect = ["golden/**"]        # more files that go back to their start; tests and their settings always do
# include = [".env.test"]        # files that git ignores and the checks need
# env = ["DATABASE_URL"]         # variables that look secret and the checks need
# edit_tests = false             # true when the task is about the tests
# max_changed_files = 20
# sandbox = false                # true: agent and checks run in bubblewrap; see `trueup doctor`
"""


def starter_config(checks: Iterable[CheckSpec], agents: Iterable[AgentSpec]) -> str:
    """A `trueup.toml` that works as it is; what was not found is there as a comment."""
    checked = [_check(check) for check in checks] or [_off(_check(CheckSpec(name="tests", run="pytest -q")))]
    driven = [_agent(agent) for agent in agents] or [
        _off(_agent(AgentSpec(name="mine", command="my-agent --prompt-file {prompt_file}")))
    ]
    return "\n".join((HEAD, *checked, "# The agents, in the order in which they are tried.", *driven, _limits()))


def _check(check: CheckSpec) -> str:
    lines = ["[[check]]", f"name = {_toml(check.name)}", f"run = {_toml(check.run)}"]
    lines += [f"after = {_toml(check.after)}             # runs only when these passed"] if check.after else []
    lines += [f"timeout = {_toml(show_duration(check.timeout))}"] if check.timeout else []
    lines += [f"report = {_toml(check.report)}"] if check.report else []
    lines += [f"decision_file = {_toml(check.decision_file)}"] if check.decision_file else []
    lines += ["decision_words = true"] if check.decision_words else []
    lines += [] if check.hermetic else ["hermetic = false               # depends on more than the files"]
    return "\n".join(lines) + "\n"


def _agent(agent: AgentSpec) -> str:
    lines = ["[[agent]]", f"name = {_toml(agent.name)}"]
    lines += [f"command = {_toml(agent.command)}"] if agent.command else []
    lines += [f"usd_per_attempt = {agent.usd_per_attempt:.10g}"] if agent.usd_per_attempt is not None else []
    return "\n".join(lines) + "\n"


def _limits() -> str:
    default = Limits()
    return (
        "[limits]                         # what a run may cost at most; it ends earlier when nothing improves\n"
        f"# usd = {default.usd}\n"
        f"time = {_toml(show_duration(default.time or 0))}\n"
        f"attempts = {default.attempts}\n"
    )


def _off(block: str) -> str:
    return "".join(f"# {line}\n" for line in block.splitlines())


def _toml(value: str | tuple[str, ...]) -> str:
    if not isinstance(value, str):
        return f"[{', '.join(_toml(one) for one in value)}]"
    # JSON's escapes are TOML's, but for the one control character that JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
