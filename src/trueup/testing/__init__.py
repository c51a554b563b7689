"""How do users test their own set-up? With an agent that does as told, and small real projects."""

from trueup.testing.drive import PYTEST, Driven, drive, drive_on, environment, task_for
from trueup.testing.projects import (
    SHOP_FAILING,
    SHOP_FILES,
    SHOP_FIX,
    SHOP_HALF_FIX,
    commit_all,
    python_project,
    shop,
    write_files,
)
from trueup.testing.scripted import Say, ScriptedAgent, Step

__all__ = [
    "PYTEST",
    "SHOP_FAILING",
    "SHOP_FILES",
    "SHOP_FIX",
    "SHOP_HALF_FIX",
    "Driven",
    "Say",
    "ScriptedAgent",
    "Step",
    "commit_all",
    "drive",
    "drive_on",
    "environment",
    "python_project",
    "shop",
    "task_for",
    "write_files",
]
