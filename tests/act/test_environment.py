"""Checks get the user's environment without its secrets; agents get it with them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trueup.act.environment import CheckEnvironment, agent_environment, check_environment, secret_values
from trueup.act.process import Processes, quick

TMP, CACHE = Path("/run/tmp"), Path("/run/cache")


def checks(host: dict[str, str], *allow: str) -> CheckEnvironment:
    return check_environment(host, allow=allow, tmp=TMP, cache=CACHE)


@pytest.mark.parametrize(
    "name",
    [
        "GITHUB_TOKEN",
        "npm_config_token",
        "MYTOKEN",
        "TOKENS",
        "TOKEN_FILE",
        "CLIENT_SECRET",
        "DJANGO_SECRET_KEY",
        "OPENAI_API_KEY",
        "OPENAI_APIKEY",
        "KEY",
        "SSH_PRIVATE_KEY_1",
        "STRIPE_KEYS",
        "PGPASSWORD",
        "DB_PASSWD",
        "SMTP_PASS",
        "MYSQL_PWD",
        "GPG_PASSPHRASE",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "AWS_ACCESS_KEY_ID",
        "AWS_PROFILE",
        "DATABASE_URL",
        "TEST_DATABASE_URL",
        "SENTRY_DSN",
        "SLACK_WEBHOOK_URL",
        "AZURE_STORAGE_CONNECTION_STRING",
    ],
)
def test_a_secret_looking_name_is_withheld_and_named(name: str) -> None:
    environment = checks({name: "whatever it is", "LANG": "C"})
    assert environment.withheld == (name,)
    assert name not in environment.variables
    assert environment.variables["LANG"] == "C"
    assert checks({name: "whatever it is"}, name).variables[name] == "whatever it is"


@pytest.mark.parametrize(
    "value",
    [
        # put together here, so that the source holds nothing a secret scanner would stumble over
        "sk-" + "ant-a1" * 6,
        "Bearer ghp" + "_" + "a1" * 18,
        "github" + "_pat_" + "a1" * 18,
        "AKIA" + "A1" * 8,
        "xoxb" + "-123456789012-abcdef",
        "postgres://me:hunter2@db/app",
        "redis://:hunter2@cache:6379/0",
        "-----BEGIN RSA PRIVATE KEY-----\nabc",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    ],
)
def test_a_secret_looking_value_is_withheld_whatever_its_name(value: str) -> None:
    environment = checks({"HARMLESS": value})
    assert environment.withheld == ("HARMLESS",)
    assert "HARMLESS" not in environment.variables
    assert any(secret in value for secret in secret_values({"HARMLESS": value}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TOKENIZERS_PARALLELISM", "false"),
        ("XKB_KEYBOARD", "us"),
        ("KEYBOARD", "de"),
        ("MONKEY", "patch"),
        ("KEYTIMEOUT", "1"),
        ("SSH_AUTH_SOCK", "/run/agent"),
        ("COMPASS", "north"),
        ("API_URL", "https://example.org:8080/a@b"),
        ("TASK", "risk-averse-and-long-enough-to-look-like-it"),
        ("PYTEST_ADDOPTS", "-p no:randomly"),
        ("API_KEY", ""),
    ],
)
def test_what_only_resembles_a_secret_passes(name: str, value: str) -> None:
    environment = checks({name: value})
    assert (environment.variables[name], environment.withheld) == (value, ())


def test_checks_get_folders_of_their_own_and_no_user_site() -> None:
    variables = checks({"TMPDIR": "/tmp", "TEMP": "/tmp", "XDG_CACHE_HOME": "/home/me/.cache"}).variables
    assert variables == {
        "TMPDIR": "/run/tmp",
        "TEMP": "/run/tmp",
        "PYTHONNOUSERSITE": "1",
        "PYTHONPYCACHEPREFIX": "/run/cache/pycache",
        "XDG_CACHE_HOME": "/run/cache/xdg",
    }


OUTER = {
    "GITHUB_ENV": "/runner/env",
    "GITHUB_PATH": "/runner/path",
    "TRUEUP_RUN": "r1",
    "TRUEUP_MAX_USD": "5",
    "CLAUDECODE": "1",
    "CLAUDE_CODE_ENTRYPOINT": "cli",
    "GIT_DIR": "/elsewhere/.git",
    "GIT_CONFIG_KEY_0": "core.hooksPath",
    "PYTEST_CURRENT_TEST": "tests/test_x.py::test_y (call)",
    "PYTEST_XDIST_WORKER": "gw0",
    "PWD": "/home/me/project",
    "OLDPWD": "/",
}


def test_nothing_of_the_outer_session_reaches_checks_or_agents() -> None:
    environment = checks(OUTER)
    assert environment.variables.keys() & OUTER.keys() == set()
    assert environment.withheld == ()
    agent = agent_environment(OUTER, run_id="r2", tmp=TMP)
    assert agent == {"TRUEUP_RUN": "r2", "TMPDIR": "/run/tmp"}


def test_every_variable_that_git_calls_local_is_removed() -> None:
    local = dict.fromkeys(quick(["git", "rev-parse", "--local-env-vars"]).decode().split(), "x")
    assert len(local) > 10
    assert agent_environment(local, run_id="r", tmp=TMP).keys() & local.keys() == set()
    assert checks(local).variables.keys() & local.keys() == set()


def test_names_that_git_users_set_themselves_stay() -> None:
    own = {"GIT_AUTHOR_NAME": "Me", "GIT_EDITOR": "vi", "GIT_SSH_COMMAND": "ssh -v"}
    assert checks(own).variables.items() >= own.items()


def test_relative_path_entries_are_removed_but_relative_module_folders_stay() -> None:
    host = {"PATH": ":/usr/bin:bin:.:/bin:", "PYTHONPATH": "src:."}
    for variables in (checks(host).variables, agent_environment(host, run_id="r", tmp=TMP)):
        assert variables["PATH"] == "/usr/bin:/bin"
        assert variables["PYTHONPATH"] == "src:."


def test_path_entries_below_dropped_folders_are_left_out() -> None:
    host = {"PATH": "/p/.venv/bin:/usr/bin:/p2/bin:/p", "VIRTUAL_ENV": "/p/.venv", "PYTHONPATH": "/p/src:/lib"}
    environment = check_environment(host, tmp=TMP, cache=CACHE, drop_paths=[Path("/p")])
    assert environment.variables["PATH"] == "/usr/bin:/p2/bin"
    assert environment.variables["PYTHONPATH"] == "/lib"
    assert "VIRTUAL_ENV" not in environment.variables


def test_the_agents_paths_move_from_the_checkout_to_the_workspace() -> None:
    host = {"PATH": "/p/.venv/bin:/p/sub/bin:/p2/bin:/usr/bin", "VIRTUAL_ENV": "/p/.venv/", "HOME": "/p"}
    agent = agent_environment(host, run_id="r", tmp=TMP, rewrite={"/p": "/w", "/p/sub": "/s/"})
    assert agent["PATH"] == "/w/.venv/bin:/s/bin:/p2/bin:/usr/bin"
    assert agent["VIRTUAL_ENV"] == "/w/.venv"
    assert agent["HOME"] == "/p"


def test_the_agent_keeps_its_credentials_and_settings() -> None:
    own = {"ANTHROPIC_API_KEY": "sk-" + "ant-a1" * 6, "CLAUDE_CODE_MAX_RETRIES": "2", "AWS_PROFILE": "work"}
    assert agent_environment(own, run_id="r", tmp=TMP).items() >= own.items()


def test_secret_values_are_what_has_to_be_redacted() -> None:
    host = {
        "API_KEY": "abcdefgh12345",
        "SHORT_TOKEN": "true",
        "DATABASE_URL": "postgres://me:hunter%402000@db/app",
        "AWS_PROFILE": "production",
        "LANG": "en_GB.UTF-8",
        "GIT_CONFIG_KEY_0": "core.hooksPath",
    }
    assert secret_values(host) == (
        "postgres://me:hunter%402000@db/app",
        "abcdefgh12345",
        "hunter%402000",
        "hunter@2000",
    )


def test_a_secret_of_the_user_is_not_in_a_checks_process(tmp_path: Path) -> None:
    host = {"PATH": os.environ["PATH"], "DEPLOY_TOKEN": "very-secret-value", "CI": "1"}
    environment = check_environment(host, tmp=tmp_path, cache=tmp_path)
    with Processes() as owner:
        seen = owner.run(("env",), cwd=tmp_path, env=environment.variables, timeout=60).stdout.text()
        parents = owner.run(
            ("/bin/sh", "-c", "tr '\\0' '\\n' < /proc/$PPID/environ"),
            cwd=tmp_path,
            env=environment.variables,
            timeout=60,
        ).stdout.text()
    assert "CI=1" in seen
    assert "very-secret-value" not in seen + parents


def test_the_wardens_environment_holds_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEPLOY_TOKEN", "very-secret-value")
    with Processes() as owner:
        seen = owner.run(
            ("/bin/sh", "-c", "cat /proc/$PPID/environ; echo read"), cwd=tmp_path, env={}, timeout=60
        ).stdout.text()
    assert "read" in seen
    assert "very-secret-value" not in seen


def test_settings_of_a_cloud_tool_that_are_no_account_are_left_alone(tmp_path: Path) -> None:
    host = {"AWS_CA_BUNDLE": "/etc/ca.pem", "AWS_REGION": "eu-central-1", "AWS_PROFILE": "production"}
    found = check_environment(host, tmp=tmp_path, cache=tmp_path)
    assert found.withheld == ("AWS_PROFILE",)
    assert found.variables["AWS_REGION"] == "eu-central-1"
