"""How is an agent told, in the form that its own hooks understand?

A form that lacks a field is silently ignored by some programs: each was tried with the real one.
"""

from __future__ import annotations

import json


def say(agent: str, event: str, text: str) -> str:
    """Words for the model, after a tool; the work goes on."""
    if agent == "copilot":
        return json.dumps({"additionalContext": text})
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})


def refuse(agent: str, reason: str) -> str:
    """The agent may not stop yet."""
    decision = "deny" if agent == "gemini" else "block"
    return json.dumps({"decision": decision, "reason": reason})


def let_go(agent: str, warning: str) -> str:  # noqa: ARG001 - one form fits all that show it at all
    """It may stop, and the person beside it is told."""
    return json.dumps({"systemMessage": warning})
