"""How is a reviewer asked? On a copy that it must not change, with a question that only its answer can know."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from trueup.act.agents.base import AgentCall, AgentResult
from trueup.act.agents.claims import read_claim
from trueup.act.plain_file import NotPlainError, read_plain
from trueup.act.process import Cancelled
from trueup.act.removal import real_folder
from trueup.act.workspace import AgentWorkspace
from trueup.decide.moves import AgentStatus, AskReview, ReviewStatus, TreeReviewed
from trueup.decide.review import Point, ReviewVerdict
from trueup.decide.review_answer import LARGEST, Answer, NoAnswerError, answer_of_file, answer_of_message
from trueup.decide.state import State
from trueup.errors import TrueupError, invariant
from trueup.perform.confinement import agent_processes
from trueup.perform.context import Context
from trueup.report.events import Activity
from trueup.report.quote import clip
from trueup.report.review_prompt import Question, write_question

ANSWER_FILE = "review.json"
FILE_VARIABLE, NONCE_VARIABLE = "TRUEUP_REVIEW_FILE", "TRUEUP_REVIEW_NONCE"
_NAMED = 5
_DETAIL = 300


def review(context: Context, state: State, move: AskReview) -> TreeReviewed:
    """Only a record with this question's nonce is an answer; whatever else happens is named, and approves nothing."""
    if context.reviewer is None:
        return TreeReviewed(tree=move.tree, status=ReviewStatus.WAITING, began=False)
    workspace = _copy(context, move)
    scratch = _scratch(context, move)
    nonce = secrets.token_hex(16)
    call = _call(context, state, move, workspace, scratch, nonce)
    _marker(context, move).touch(mode=0o600)
    try:
        result = context.reviewer.run(call, agent_processes(context, call), _live(context))
    except Cancelled:
        result = _claimed(scratch, AgentStatus.CANCELLED)
    context.artifacts.save(f"transcripts/{_name(move)}.txt", result.transcript.decode(errors="replace"))
    return _billed(_judged(context, move, workspace, scratch / ANSWER_FILE, nonce, result), result)


def was_asked(context: Context, move: AskReview) -> bool:
    """Whether the reviewer of this question may have been started."""
    return _marker(context, move).exists()


def unanswered(context: Context, move: AskReview) -> TreeReviewed:
    """trueup was killed while the reviewer read: it is charged, and asked again."""
    record = TreeReviewed(tree=move.tree, status=ReviewStatus.INTERRUPTED, detail="interrupted")
    _marker(context, move).unlink(missing_ok=True)
    return _billed(record, _claimed(context.folder / "scratch" / _name(move), AgentStatus.INTERRUPTED))


# --- the question ---------------------------------------------------------------------------------------------------


def _name(move: AskReview) -> str:
    return f"review-{move.attempt}-{move.round}-{move.again}"


def _marker(context: Context, move: AskReview) -> Path:
    return context.folder / f"asked-{_name(move)}"


def _copy(context: Context, move: AskReview) -> AgentWorkspace:
    """The files in question, with the start's own instructions for agents: nothing that the author left is in it."""
    place = context.folder / "review" / context.project.root.name
    shutil.rmtree(place.parent, ignore_errors=True)
    return AgentWorkspace.create(
        place, project=context.project, store=context.store, start=move.tree, rules=context.rules
    )


def _scratch(context: Context, move: AskReview) -> Path:
    folder = context.folder / "scratch" / _name(move)
    shutil.rmtree(folder, ignore_errors=True)
    for place in (folder.parent, folder):
        real_folder(place)
    return folder


def _call(
    context: Context, state: State, move: AskReview, workspace: AgentWorkspace, scratch: Path, nonce: str
) -> AgentCall:
    patch = context.store.patch(context.start, move.tree)
    (scratch / "change.patch").write_bytes(patch)
    asked = Question(
        state=state,
        view=state.attempts[-1],
        patch=patch.decode(errors="replace"),
        patch_file=os.fspath(scratch / "change.patch"),
        answer_file=os.fspath(scratch / ANSWER_FILE),
        nonce=nonce,
        earlier=(*context.prior_verdicts, *state.verdicts),
        redact=context.redactor.redact,
    )
    prompt = write_question(asked)
    (scratch / "prompt.md").write_text(prompt, encoding="utf-8")
    context.artifacts.save(f"prompts/{_name(move)}.md", prompt)
    bound = {FILE_VARIABLE: asked.answer_file, NONCE_VARIABLE: nonce}
    return AgentCall(
        prompt=prompt,
        prompt_file=scratch / "prompt.md",
        workspace=workspace.path,
        attempt=move.attempt,
        seconds=move.seconds if context.until is None else max(min(move.seconds, context.until - context.clock()), 1.0),
        usd=move.reserve_usd,
        env={**context.agent_env, **bound},
        scratch=scratch,
        sandboxed=context.lab.sandbox is not None,
        read_only=True,
    )


def _live(context: Context) -> Callable[[str], None]:
    def show(text: str) -> None:
        context.stream.emit(Activity(text=context.redactor.redact(text)))

    return show


# --- the answer -----------------------------------------------------------------------------------------------------


def _judged(
    context: Context, move: AskReview, workspace: AgentWorkspace, file: Path, nonce: str, result: AgentResult
) -> TreeReviewed:
    record = TreeReviewed(tree=move.tree, status=ReviewStatus.FAILED, began=result.began)
    if result.status is AgentStatus.CANCELLED:
        return replace(record, status=ReviewStatus.CANCELLED, detail="stopped on request")
    written = _written(context, move, workspace)
    if written:
        return replace(record, status=ReviewStatus.TAMPERED, detail=f"the reviewer changed {written}")
    if result.status is not AgentStatus.DONE:
        detail = f"the reviewer did not come to its end ({result.status}): {result.detail}"
        return replace(record, detail=clip(context.redactor.redact(detail), _DETAIL))
    try:
        answer = _answer(file, result, nonce)
    except NoAnswerError as error:
        detail = clip(context.redactor.redact(str(error)), _DETAIL)
        return replace(record, status=ReviewStatus.NO_ANSWER, detail=detail)
    return replace(record, status=ReviewStatus.ANSWERED, verdict=_verdict(context, move, answer))


def _written(context: Context, move: AskReview, workspace: AgentWorkspace) -> str:
    try:
        after = workspace.snapshot().tree
    except TrueupError as error:
        return f"its copy beyond recognition ({error})"
    if after == move.tree:
        return ""
    paths = [change.path for change in context.store.diff(move.tree, after)]
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return context.redactor.redact(", ".join(paths[:_NAMED]) + more)


def _answer(file: Path, result: AgentResult, nonce: str) -> Answer:
    """The file goes first: who writes there knows the contract."""
    try:
        content = read_plain(file, largest=LARGEST)
    except NotPlainError as error:
        raise NoAnswerError(f"its answer {error}") from error
    if content is not None:
        return answer_of_file(content.decode("utf-8", "replace"), nonce)
    return answer_of_message(result.said, nonce)


def _verdict(context: Context, move: AskReview, answer: Answer) -> ReviewVerdict:
    invariant(context.task.reviewer is not None, "an answer without a reviewer")
    redact = context.redactor.redact
    return ReviewVerdict(
        approved=answer.approved,
        feedback=redact(answer.feedback),
        points=tuple(
            Point(aspect=p.aspect, demand=redact(p.demand), subject=redact(p.subject), file=redact(p.file))
            for p in answer.points
        ),
        round=move.round,
        reviewer=context.task.reviewer.name if context.task.reviewer else "",
        tree=move.tree,
        time=context.clock(),
    )


# --- the bill -------------------------------------------------------------------------------------------------------


def _billed(record: TreeReviewed, result: AgentResult) -> TreeReviewed:
    """Each question is a session of its own: what that cost in all is what this question cost."""
    usd = result.claimed_usd if result.total_usd is None else result.total_usd
    problem = result.claim_problem
    return replace(record, claimed_usd=usd, claim_problem=problem, tokens=result.tokens, began=result.began)


def _claimed(scratch: Path, status: AgentStatus) -> AgentResult:
    claim = read_claim(scratch / "result.json")
    return AgentResult(status=status, claimed_usd=claim.usd, total_usd=claim.total_usd, claim_problem=claim.problem)
