"""How is each agent program started, alone and without a person, so that its model is one on loopback?

Nothing of the user's is read: the home folder is an empty one, the key is made up, and the model asks for no tool. What
a program is told here keeps it from looking for updates or telling its maker about itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

PROMPT = "Say that you are done."


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """What makes a program run hooks that it would ignore otherwise."""

    words: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    """Below the home folder; what is already there is added to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """`{url}` in variables and files is the model's address, `{project}` the project's folder, `{hooks}` the file with
    the hooks."""

    words: tuple[str, ...]
    """What follows the program's name."""
    env: dict[str, str]
    files: Mapping[str, str] = field(default_factory=dict)
    """Below the home folder."""
    trust: Trust | None = None
    """None: it runs all hooks that it finds."""
    by_hand: str = ""
    """How a person trusts them."""


_CODEX = """\
model_provider = "rehearsal"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.rehearsal]
name = "rehearsal"
base_url = "{url}/v1"
env_key = "REHEARSAL_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
"""
CODEX_FOLDER = '[projects."{project}"]\ntrust_level = "trusted"\n'
GEMINI_FOLDER = '{"{project}": "TRUST_FOLDER"}'
_GEMINI = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False, "disableAutoUpdate": True},
    "tools": {"useRipgrep": False},
}
_QWEN = {
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
}

STAGES: Mapping[str, Stage] = {
    "claude": Stage(
        words=("-p", PROMPT, "--model", "claude-sonnet-4-5"),
        env={
            "ANTHROPIC_BASE_URL": "{url}",
            "ANTHROPIC_API_KEY": "sk-ant-made-up",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
        },
    ),
    "codex": Stage(
        words=("exec", "--skip-git-repo-check", "--sandbox", "read-only", "--model", "gpt-5.5", PROMPT),
        env={"REHEARSAL_KEY": "sk-made-up"},
        files={".codex/config.toml": _CODEX},
        trust=Trust(
            words=("--dangerously-bypass-hook-trust", "--enable", "hooks"),
            files={".codex/config.toml": CODEX_FOLDER},
        ),
        by_hand="in codex, trust the folder and confirm them with /hooks",
    ),
    "gemini": Stage(
        words=("-p", PROMPT, "-m", "gemini-2.5-pro", "--skip-trust"),
        env={"GOOGLE_GEMINI_BASE_URL": "{url}", "GEMINI_API_KEY": "made-up"},
        files={".gemini/settings.json": json.dumps(_GEMINI)},
        trust=Trust(files={".gemini/trustedFolders.json": GEMINI_FOLDER}),
        by_hand="in gemini, trust the folder",
    ),
    "qwen": Stage(
        words=("-p", PROMPT, "--auth-type", "openai", "-m", "qwen3-coder-plus"),
        env={"OPENAI_BASE_URL": "{url}/v1", "OPENAI_API_KEY": "made-up", "OPENAI_MODEL": "qwen3-coder-plus"},
        files={".qwen/settings.json": json.dumps(_QWEN)},
    ),
    "copilot": Stage(
        words=("-p", PROMPT, "--no-color", "--model", "rehearsal-model"),
        env={
            "COPILOT_PROVIDER_BASE_URL": "{url}/v1",
            "COPILOT_PROVIDER_TYPE": "openai",
            "COPILOT_PROVIDER_API_KEY": "sk-made-up",
            "COPILOT_MODEL": "rehearsal-model",
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
        },
    ),
}
