"""How do other programs use trueup? The names are exported by `trueup` itself; import them from there."""

from trueup.act.agents.base import AgentContext, AgentFunction, AgentReport
from trueup.api.functions import AsyncAgentFunction
from trueup.api.result import Applied, Attempt, NotPassedError, Result
from trueup.api.running import Run, resume, run, run_async, start
from trueup.api.wishes import Agent, Check, Resume, Task, TaskKeywords
from trueup.decide.moves import AgentStatus
from trueup.decide.outcome import CurrentFailure, ProofSummary, Status
from trueup.decide.state import Class as Verdict
from trueup.errors import BlockedError, ConflictError, TrueupError, UnverifiableError, UsageError
from trueup.evidence.report import Strength

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
    "resume",
    "run",
    "run_async",
    "start",
]
