"""Which of the user's own words of trust hold for the hooks that are installed? Read, carried over, never written.

Codex keeps them in its configuration: for a folder, and for each hook with a digest of what was confirmed, which does
not depend on where the file lies. Gemini keeps them for folders.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trueup.guard.install import Installed
from trueup.guard.stages import CODEX_FOLDER, GEMINI_FOLDER, Trust


def own_trust(agent: str, found: Installed, *, project: Path, home: Path) -> Trust:
    """What the user has confirmed, for the same hooks in another place."""
    if agent == "codex":
        return Trust(files={".codex/config.toml": "".join(_codex(found, project, home))})
    if agent == "gemini" and _gemini_trusts(project, home):
        return Trust(files={".gemini/trustedFolders.json": GEMINI_FOLDER})
    return Trust()


def _codex(found: Installed, project: Path, home: Path) -> Iterator[str]:
    settings = _toml(home / ".codex" / "config.toml")
    if _inside(settings, "projects", str(project)).get("trust_level") == "trusted":
        yield CODEX_FOLDER
    for event, position in found.positions.items():
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
        keys = (f"{path}:{name}:{position}:0" for path in (found.path, found.path.resolve()))
        states = (_inside(settings, "hooks", "state", key) for key in keys)
        confirmed = next((state["trusted_hash"] for state in states if "trusted_hash" in state), None)
        if isinstance(confirmed, str):
            yield f'[hooks.state."{{hooks}}:{name}:0:0"]\ntrusted_hash = {json.dumps(confirmed)}\n'


def _gemini_trusts(project: Path, home: Path) -> bool:
    folder = home / ".gemini"
    if _inside(_json(folder / "settings.json"), "security", "folderTrust").get("enabled") is False:
        return True
    rules = _json(folder / "trustedFolders.json")
    trusted = {str(Path(name).parent) for name, rule in rules.items() if rule == "TRUST_PARENT"}
    trusted |= {name for name, rule in rules.items() if rule == "TRUST_FOLDER"}
    return any(str(place) in trusted for place in (project, *project.parents))


def _inside(content: Any, *names: str) -> dict[str, Any]:
    for name in names:
        content = content.get(name) if isinstance(content, dict) else None
    return content if isinstance(content, dict) else {}


def _toml(path: Path) -> Any:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
