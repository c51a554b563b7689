"""How do users test their own set-up? With an agent that does as told, and small real projects."""

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
    "SHOP_FAILING",
    "SHOP_FILES",
    "SHOP_FIX",
    "SHOP_HALF_FIX",
    "Say",
    "ScriptedAgent",
    "Step",
    "commit_all",
    "python_project",
    "shop",
    "write_files",
]
