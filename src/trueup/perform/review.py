"""How is a reviewer asked? On a copy that it must not change, with a question that only its answer can know."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from trueup.act.agents.base import AgentCall, AgentResult
from trueup.act.agents.claims import read_claim
from trueup.act.environment import agent_environment
from trueup.act.plain_file import NotPlainError, read_plain
from trueup.act.process import Cancelled
from trueup.act.removal import real_folder, remove
from trueup.act.workspace import AgentWorkspace
from trueup.decide.budget import UNCHARGED
from trueup.decide.moves import AgentStatus, AskReview, ReviewStatus, TreeReviewed
from trueup.decide.review import Point, ReviewVerdict
from trueup.decide.review_answer import LARGEST, Answer, NoAnswerError, answer_of_file, answer_of_message
from trueup.decide.state import State
from trueup.errors import TrueupError
from trueup.perform.begun import Begun
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
    seconds = move.seconds if context.until is None else min(move.seconds, context.until - context.clock())
    if seconds <= 0:
        return TreeReviewed(tree=move.tree, status=ReviewStatus.FAILED, agent=AgentStatus.DEADLINE, began=False)
    begun(context, move).forget()
    with _copy(context, move) as workspace:
        nonce = secrets.token_hex(16)
        call = _call(context, state, move, workspace, nonce, seconds)
        begun(context, move).mark()
        try:
            result = context.reviewer.run(call, agent_processes(context, call), _live(context, move))
            context.artifacts.save(f"transcripts/{_name(move)}.txt", result.transcript.decode(errors="replace"))
            return _billed(_judged(context, move, workspace, nonce, result), result)
        except Cancelled:
            return _cut_short(context, move, ReviewStatus.CANCELLED)
        except (TrueupError, OSError) as error:
            return lost_review(context, move, str(error))


def unanswered(context: Context, move: AskReview) -> TreeReviewed:
    """trueup was killed while the reviewer read: it is charged, and asked again."""
    seconds = begun(context, move).seconds(move.seconds)
    return replace(_cut_short(context, move, ReviewStatus.INTERRUPTED), duration=seconds)


def lost_review(context: Context, move: AskReview, problem: str) -> TreeReviewed:
    """Something of ours broke while the reviewer was at work: it may have cost money all the same."""
    record = _cut_short(context, move, ReviewStatus.FAILED)
    return replace(record, problem=context.redactor.redact(problem) or "the review broke off")


def begun(context: Context, move: AskReview) -> Begun:
    return Begun(context.folder / f"begun-{_name(move)}", context.clock)


# --- the question ---------------------------------------------------------------------------------------------------


def _name(move: AskReview) -> str:
    """No other question of the run has it."""
    return f"review-{move.attempt}-{move.again + 1}"


@contextmanager
def _copy(context: Context, move: AskReview) -> Iterator[AgentWorkspace]:
    """The files in question, with the start's own instructions for agents; thrown away afterwards.

    A fresh one: nothing that the author left beside the files, such as its environment or its git settings, is in it.
    """
    place = context.folder / "review"
    remove(place)
    try:
        yield AgentWorkspace.create(
            place / context.project.root.name,
            project=context.project,
            store=context.store,
            start=move.tree,
            rules=context.rules,
        )
    finally:
        remove(place)


def _scratch(context: Context, move: AskReview) -> Path:
    return context.folder / "scratch" / _name(move)


def _call(
    context: Context, state: State, move: AskReview, workspace: AgentWorkspace, nonce: str, seconds: float
) -> AgentCall:
    scratch = _scratch(context, move)
    remove(scratch)
    for place in (scratch.parent, scratch, scratch / "tmp"):
        real_folder(place)
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
    return AgentCall(
        prompt=prompt,
        prompt_file=scratch / "prompt.md",
        workspace=workspace.path,
        attempt=move.attempt,
        seconds=seconds,
        usd=move.reserve_usd,
        env=_environment(context, scratch, nonce),
        scratch=scratch,
        sandboxed=context.lab.sandbox is not None,
        read_only=True,
    )


def _environment(context: Context, scratch: Path, nonce: str) -> dict[str, str]:
    """The user's own. No path in it leads to the author's copy or to its temporary files: who can plant a program
    there could answer in the reviewer's place."""
    own = agent_environment(context.lab.host_env, run_id=context.run, tmp=scratch / "tmp")
    return {**own, FILE_VARIABLE: os.fspath(scratch / ANSWER_FILE), NONCE_VARIABLE: nonce}


def _live(context: Context, move: AskReview) -> Callable[[str], None]:
    note = begun(context, move).sign_of_life()

    def show(text: str) -> None:
        note()
        context.stream.emit(Activity(text=context.redactor.redact(text)))

    return show


# --- the answer -----------------------------------------------------------------------------------------------------


def _judged(
    context: Context, move: AskReview, workspace: AgentWorkspace, nonce: str, result: AgentResult
) -> TreeReviewed:
    record = TreeReviewed(tree=move.tree, status=ReviewStatus.FAILED, agent=result.status)
    if result.status is AgentStatus.CANCELLED:
        return replace(record, status=ReviewStatus.CANCELLED, detail="stopped on request")
    written = _written(context, move, workspace)
    if written:
        return replace(record, status=ReviewStatus.TAMPERED, detail=f"the reviewer changed {written}")
    if result.status is not AgentStatus.DONE:
        return _not_ended(context, record, result)
    try:
        answer = _answer(_scratch(context, move) / ANSWER_FILE, result, nonce)
    except NoAnswerError as error:
        detail = clip(context.redactor.redact(str(error)), _DETAIL)
        return replace(record, status=ReviewStatus.NO_ANSWER, detail=f"the reviewer gave no verdict: {detail}")
    return replace(record, status=ReviewStatus.ANSWERED, verdict=_verdict(context, move, answer))


def _not_ended(context: Context, record: TreeReviewed, result: AgentResult) -> TreeReviewed:
    late = context.until is not None and context.clock() >= context.until
    agent = AgentStatus.DEADLINE if late and result.status is AgentStatus.TIMEOUT else result.status
    how = str(result.status).replace("_", " ")
    said = f": {result.detail}" if result.detail else ""
    detail = clip(context.redactor.redact(f"the reviewer did not come to its end ({how}){said}"), _DETAIL)
    return replace(record, agent=agent, detail=detail)


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
    whole = result.total_usd is not None
    refused = result.status in UNCHARGED and not result.worked and not result.claimed_usd
    return replace(
        record,
        claimed_usd=result.total_usd if whole else result.claimed_usd,
        claim_problem=result.claim_problem,
        least_usd=max(result.least_usd, result.least_total_usd or 0.0),
        tokens=result.tokens,
        began=result.began and not refused,
    )


def _cut_short(context: Context, move: AskReview, status: ReviewStatus) -> TreeReviewed:
    claim = read_claim(_scratch(context, move) / "result.json")
    agent = AgentStatus.CANCELLED if status is ReviewStatus.CANCELLED else AgentStatus.INTERRUPTED
    result = AgentResult(
        status=agent, claimed_usd=claim.usd, total_usd=claim.total_usd, claim_problem=claim.problem, tokens=claim.tokens
    )
    return _billed(TreeReviewed(tree=move.tree, status=status, agent=agent, detail="it was cut short"), result)
