"""A rehearsal says whether a program's end is really refused: tried with small programs that obey, ignore, or break."""

from __future__ import annotations

import http.client
import json
import os
import sys
import textwrap
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from trueup.act.process import Processes
from trueup.guard.install import entries_of
from trueup.guard.pretended import DONE, REALLY_DONE, PretendedModel
from trueup.guard.rehearsal import Cast, Rehearsal, rehearse
from trueup.guard.stages import Trust

TRUEUP = Path(sys.executable).parent / "trueup"
AGENT = """
import json, os, pathlib, subprocess, sys, time, urllib.request

SETTINGS = pathlib.Path(".claude/settings.local.json")
SESSION = {"session_id": "s-1", "cwd": os.getcwd()}

def ask(text):
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": text}]}).encode()
    question = urllib.request.Request(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", data=body)
    return json.load(urllib.request.urlopen(question, timeout=60))["content"][0]["text"]

def hook(event):
    entry = json.loads(SETTINGS.read_text())["hooks"][event][0]["hooks"][0]
    said = subprocess.run(entry["command"], shell=True, input=json.dumps(SESSION), stdout=subprocess.PIPE, text=True)
    return json.loads(said.stdout or "{}")

"""
OBEYS = """
hook("SessionStart")
said = ask("begin")
while (answer := hook("Stop")).get("decision") == "block":
    said = ask("Not so: " + answer["reason"])
print(said)
"""
IGNORES_THE_ANSWER = """
hook("SessionStart")
ask("begin")
hook("Stop")
"""
TURNS_BAD = IGNORES_THE_ANSWER + 'print("the model is gone")\nsys.exit(3)\n'

Program = Callable[[str], str]
Plays = Callable[..., Rehearsal]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    def program(deeds: str) -> str:
        path = tmp_path / "agent"
        path.write_text(f"#!{sys.executable}\n{AGENT}{textwrap.dedent(deeds)}")
        path.chmod(0o755)
        return str(path)

    return program


@pytest.fixture
def plays(tmp_path: Path) -> Iterator[Plays]:
    own = dict.fromkeys(
        ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR"), "the user's own"
    )
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), **own}
    with Processes() as processes:

        def plays(program: str, agent: str = "claude", **more: Any) -> Rehearsal:
            cast = {"hooks": entries_of(agent, str(TRUEUP), always=False), **more}
            return rehearse(Cast(agent=agent, program=program, **cast), processes, environ)

        yield plays


def test_a_program_whose_end_is_refused_with_the_reason_blocks(program: Program, plays: Plays) -> None:
    seen = plays(program(OBEYS))
    assert seen.works is True, seen.text
    assert "the reason reached the model" in seen.text


def test_a_program_that_calls_the_hook_and_goes_its_way_does_not_block(program: Program, plays: Plays) -> None:
    seen = plays(program(IGNORES_THE_ANSWER))
    assert seen.works is False
    assert "called the hook at its end and ignored the answer" in seen.text


def test_a_program_that_calls_no_hook_does_not_block(program: Program, plays: Plays) -> None:
    seen = plays(program("ask('begin')"))
    assert seen.works is False
    assert "called no hook" in seen.text


def test_a_program_that_calls_only_other_hooks_does_not_block(program: Program, plays: Plays) -> None:
    seen = plays(program("hook('SessionStart')\nask('begin')"))
    assert seen.works is False
    assert "none that refuses its end" in seen.text


def test_asking_again_without_the_reason_is_not_blocking(program: Program, plays: Plays) -> None:
    assert plays(program(IGNORES_THE_ANSWER + "ask('go on')")).works is False


def test_hooks_that_call_a_program_which_is_gone_do_not_block(program: Program, plays: Plays, tmp_path: Path) -> None:
    gone = entries_of("claude", str(tmp_path / "old" / "trueup"), always=False)
    assert plays(program(OBEYS), hooks=gone).works is False


@pytest.mark.parametrize(
    ("deeds", "why"),
    [
        ("print('please log in')", "it ended without asking its model anything; its last words: please log in"),
        (TURNS_BAD, "it ended with exit code 3; its last words: the model is gone"),
        ("sys.exit(0)", "it printed nothing"),
    ],
)
def test_a_program_that_cannot_play_proves_nothing(deeds: str, why: str, program: Program, plays: Plays) -> None:
    seen = plays(program(deeds))
    assert seen.works is None
    assert why in seen.text


def test_a_program_that_never_starts_proves_nothing(plays: Plays, tmp_path: Path) -> None:
    seen = plays(str(tmp_path / "not-there"))
    assert seen.works is None
    assert "could not be started" in seen.text


def test_a_program_that_hangs_is_ended_and_proves_nothing(plays: Plays, tmp_path: Path) -> None:
    hangs = tmp_path / "hangs"
    hangs.write_text(f"#!/bin/sh\necho $$ > '{tmp_path}/pid'\nexec sleep 600\n")
    hangs.chmod(0o755)
    seen = plays(str(hangs), seconds=3.0)
    assert seen.works is None
    assert "asked its model nothing within" in seen.text
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_nothing_of_the_users_is_seen_or_changed(program: Program, plays: Plays, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    deeds = f"pathlib.Path({str(tmp_path / 'env')!r}).write_text(json.dumps([dict(os.environ), os.getcwd()]))"
    plays(program(deeds))
    environ, folder = json.loads((tmp_path / "env").read_text())
    assert "the user's own" not in environ.values()
    assert environ["TRUEUP_GUARD"] == "1"
    assert Path(environ["HOME"]).parent == Path(folder).parent
    assert not Path(folder).parent.exists()
    assert list((tmp_path / "home").iterdir()) == []


# --- trust -------------------------------------------------------------------------------------------------------

NEEDS_TRUST = """
import re, tomllib
settings = tomllib.loads((pathlib.Path.home() / ".codex/config.toml").read_text())
os.environ["ANTHROPIC_BASE_URL"] = settings["model_providers"]["rehearsal"]["base_url"].removesuffix("/v1")
SETTINGS = pathlib.Path.home() / ".codex/hooks.json"
trusted = settings.get("hooks", {}).get("state", {}).get(f"{SETTINGS}:stop:0:0", {}).get("trusted_hash") == "sha256:1"
if not trusted and "--dangerously-bypass-hook-trust" not in sys.argv:
    hook = lambda event: {}
"""
CONFIRMED = '[hooks.state."{hooks}:stop:0:0"]\ntrusted_hash = "sha256:%d"\n'


def test_hooks_without_trust_are_tried_again_with_it_and_that_is_said(program: Program, plays: Plays) -> None:
    seen = plays(program(NEEDS_TRUST + OBEYS), "codex", user=True)
    assert seen.works is True
    assert "without your trust it ignores" in seen.text
    assert "/hooks" in seen.text


def test_installed_hooks_that_nobody_confirmed_do_not_block(program: Program, plays: Plays) -> None:
    seen = plays(program(NEEDS_TRUST + OBEYS), "codex", user=True, own=Trust())
    assert seen.works is False
    assert "until you trust them" in seen.text
    assert "Trusted, they block" in seen.text


@pytest.mark.parametrize(("digest", "works"), [(1, True), (2, False)])
def test_the_users_own_trust_counts_while_it_is_for_these_hooks(
    digest: int, works: bool, program: Program, plays: Plays
) -> None:
    own = Trust(files={".codex/config.toml": CONFIRMED % digest})
    assert plays(program(NEEDS_TRUST + OBEYS), "codex", user=True, own=own).works is works


def test_trust_does_not_help_a_program_that_ignores_the_answer(program: Program, plays: Plays) -> None:
    seen = plays(program(NEEDS_TRUST + IGNORES_THE_ANSWER), "codex", user=True)
    assert seen.works is False
    assert "ignored the answer" in seen.text


# --- the model on loopback ---------------------------------------------------------------------------------------


def asked(model: PretendedModel, path: str, **question: Any) -> str:
    body = json.dumps({"model": "m", **question}).encode()
    with urllib.request.urlopen(urllib.request.Request(model.url + path, data=body), timeout=60) as reply:
        return str(reply.read().decode())


@pytest.mark.parametrize(
    ("path", "streamed", "last"),
    [
        ("/v1/messages", True, "message_stop"),
        ("/v1/responses", True, "response.completed"),
        ("/v1/chat/completions", True, "[DONE]"),
        ("/v1beta/models/g:streamGenerateContent?alt=sse", True, '"finishReason": "STOP"'),
        ("/v1/messages", False, '"stop_reason": "end_turn"'),
        ("/v1/responses", False, '"status": "completed"'),
        ("/v1/chat/completions", False, '"finish_reason": "stop"'),
        ("/v1beta/models/g:generateContent", False, '"finishReason": "STOP"'),
    ],
)
def test_the_model_says_that_it_is_done_in_every_form(path: str, streamed: bool, last: str) -> None:
    happened: list[str] = []
    on_asked, on_heard = lambda: happened.append("asked"), lambda: happened.append("heard")
    with PretendedModel("xyzzy", on_asked=on_asked, on_heard=on_heard) as model:
        first = asked(model, path, stream=streamed)
        again = asked(model, path, stream=streamed, input="it says xyzzy")
        asked(model, path, stream=streamed, input="it says xyzzy")
    assert DONE in first
    assert REALLY_DONE in again
    for said in (first, again):
        assert last in said
        assert said.startswith(("data: ", "event: ")) is streamed
    assert happened == ["asked", "heard"]
    assert (model.asked, model.heard) == (3, True)


def test_counting_words_and_other_addresses_are_no_questions() -> None:
    with PretendedModel("xyzzy", on_asked=lambda: None, on_heard=lambda: None) as model:
        assert "totalTokens" in asked(model, "/v1/messages/count_tokens", input="xyzzy")
        with pytest.raises(urllib.error.HTTPError, match="404"):
            asked(model, "/telemetry", input="xyzzy")
        with urllib.request.urlopen(model.url + "/v1/models", timeout=60) as reply:
            assert json.load(reply)["data"] == []
    assert (model.asked, model.heard) == (0, False)


def test_as_a_proxy_it_leads_to_itself_and_nowhere_else() -> None:
    with PretendedModel("xyzzy", on_asked=lambda: None, on_heard=lambda: None) as model:
        port = int(model.url.rpartition(":")[2])
        for target, leads in (("127.0.0.1", True), ("example.com", False)):
            line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            line.set_tunnel(target, port)
            if leads:
                line.request("POST", "/v1/messages", "{}")
                assert DONE in line.getresponse().read().decode()
            else:
                with pytest.raises(OSError, match="403"):
                    line.connect()
            line.close()
