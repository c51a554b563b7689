"""trueup drives any coding agent until your own checks prove the work is done.

    from trueup import Check, Task, run

    result = run(Task("make add() right", agent=my_agent, checks=[Check("pytest -q")]), "path/to/project")

Importing this module does nothing and costs nothing: each name is loaded when it is first used.
"""

from trueup.version import __version__

__all__ = [
    "Agent",
    "AgentContext",
    "AgentFunction",
    "AgentReport",
    "AgentStatus",
    "Applied",
    "AsyncAgentFunction",
    "Attempt",
    "BlockedError",
    "Check",
    "ConflictError",
    "CurrentFailure",
    "NotPassedError",
    "ProofSummary",
    "Result",
    "Resume",
    "Run",
    "Status",
    "Strength",
    "Task",
    "TaskKeywords",
    "TrueupError",
    "UnverifiableError",
    "UsageError",
    "Verdict",
    "__version__",
    "events",
    "resume",
    "run",
    "run_async",
    "start",
]

TYPE_CHECKING = False  # as in `typing`, without importing it
if TYPE_CHECKING:
    from trueup import events as events
    from trueup.api import Agent as Agent
    from trueup.api import AgentContext as AgentContext
    from trueup.api import AgentFunction as AgentFunction
    from trueup.api import AgentReport as AgentReport
    from trueup.api import AgentStatus as AgentStatus
    from trueup.api import Applied as Applied
    from trueup.api import AsyncAgentFunction as AsyncAgentFunction
    from trueup.api import Attempt as Attempt
    from trueup.api import BlockedError as BlockedError
    from trueup.api import Check as Check
    from trueup.api import ConflictError as ConflictError
    from trueup.api import CurrentFailure as CurrentFailure
    from trueup.api import NotPassedError as NotPassedError
    from trueup.api import ProofSummary as ProofSummary
    from trueup.api import Result as Result
    from trueup.api import Resume as Resume
    from trueup.api import Run as Run
    from trueup.api import Status as Status
    from trueup.api import Strength as Strength
    from trueup.api import Task as Task
    from trueup.api import TaskKeywords as TaskKeywords
    from trueup.api import TrueupError as TrueupError
    from trueup.api import UnverifiableError as UnverifiableError
    from trueup.api import UsageError as UsageError
    from trueup.api import Verdict as Verdict
    from trueup.api import resume as resume
    from trueup.api import run as run
    from trueup.api import run_async as run_async
    from trueup.api import start as start
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        found = import_module("trueup.events") if name == "events" else getattr(import_module("trueup.api"), name)
        globals()[name] = found  # asked once
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
