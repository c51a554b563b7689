"""`trueup run`: the loop."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from trueup.cli.options import HERE, Checks, Directory, Json, Sandboxed
from trueup.errors import UsageError

Texts = list[str] | None


def command(
    task: Annotated[
        str | None, typer.Argument(metavar="TASK", help="What to do, in your words. [default: make the checks pass]")
    ] = None,
    agent: Annotated[
        Texts,
        typer.Option(
            metavar="NAME",
            help=(
                "claude, codex, gemini, qwen, opencode, copilot, aider, mini, search, or one of your configuration; "
                "NAME:MODEL names a model. Repeatable: the next one takes over when the first gets no further."
            ),
        ),
    ] = None,
    agent_cmd: Annotated[
        str | None,
        typer.Option(
            metavar="CMD",
            help=(
                "Any command as the agent. It gets the prompt on standard input, or as {prompt_file} "
                "or {prompt}; {workspace}, {attempt}, and {result_file} for its cost are filled in "
                "too."
            ),
        ),
    ] = None,
    check: Checks = None,
    setup: Annotated[
        str | None,
        typer.Option(
            metavar="CMD",
            help="Prepares a fresh copy, for example 'uv sync'. Detected from a lock file when not given.",
        ),
    ] = None,
    goal: Annotated[
        str | None, typer.Option(metavar="G", help="green (every check passes) or no-new-failures. [default: green]")
    ] = None,
    target: Annotated[
        Texts, typer.Option(metavar="ID", help="A test that has to pass, while nothing new fails; repeatable.")
    ] = None,
    only: Annotated[
        Texts, typer.Option(metavar="GLOB", help="Where the agent may write; other changes are put back. Repeatable.")
    ] = None,
    protect: Annotated[
        Texts,
        typer.Option(
            metavar="GLOB", help="What the agent may not change, besides tests and check configuration. Repeatable."
        ),
    ] = None,
    edit_tests: Annotated[
        bool, typer.Option("--edit-tests", help="The task is about tests: do not put their changes back.")
    ] = False,
    include: Annotated[
        Texts, typer.Option(metavar="GLOB", help="Ignored files that the copy needs, such as .env.test. Repeatable.")
    ] = None,
    env: Annotated[
        Texts,
        typer.Option(metavar="NAME", help="Let a variable that looks like a secret through to the checks. Repeatable."),
    ] = None,
    max_usd: Annotated[
        str | None, typer.Option(metavar="USD", help="Dollar cap. [default: 5, if the agent reports its cost]")
    ] = None,
    max_time: Annotated[
        str | None,
        typer.Option(
            metavar="T", help="Active time: 45m, 2h. The start's own check run does not count. [default: 45m]"
        ),
    ] = None,
    max_attempts: Annotated[str | None, typer.Option(metavar="N", help="[default: 10]")] = None,
    agent_timeout: Annotated[str | None, typer.Option(metavar="T", help="For one attempt. [default: 15m]")] = None,
    from_rev: Annotated[
        str | None,
        typer.Option("--from", metavar="REV", help="Start from this commit instead of the checkout as it is."),
    ] = None,
    item: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the work item; the result is the branch trueup/NAME.")
    ] = None,
    issue: Annotated[
        str | None,
        typer.Option(
            metavar="ID|FILE|next",
            help=(
                "Work on an issue: 42 on GitHub (through `gh`), a markdown file such as issues/tax.md, or next, the "
                "oldest one that is ready. It is claimed, told the outcome in one paragraph, and let go of."
            ),
        ),
    ] = None,
    no_pr: Annotated[
        bool,
        typer.Option("--no-pr", help="With --issue: push nothing and open no pull request; the branch stays here."),
    ] = False,
    on_green: Annotated[
        str | None, typer.Option(metavar="work", help="Let the agent work although the checks pass already.")
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="TIME", help="Stop at this time of day, for example 07:30.")
    ] = None,
    reviewer: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|person", help="Who has to approve what is proven: an agent, or you (`trueup review`)."
        ),
    ] = None,
    reviewer_cmd: Annotated[
        str | None,
        typer.Option(metavar="CMD", help="Any command as the reviewer; it gets what an agent would get."),
    ] = None,
    sandbox: Sandboxed = None,
    search_cpu: Annotated[
        str | None,
        typer.Option(metavar="S", help="Seconds of processor time for the agent `search`. [default: 60]"),
    ] = None,
    apply: Annotated[bool, typer.Option("--apply", help="After `passed`, bring the result into the checkout.")] = False,
    plan: Annotated[bool, typer.Option("--plan", help="Show everything, run the checks once, pay nothing.")] = False,
    directory: Directory = HERE,
    json: Json = False,
) -> None:
    """Let an agent work until your checks prove that the task is done.

    Your checkout stays as it is: the agent works in a copy, the checks run on another one, and the result is a
    branch and `trueup apply`. Nothing is believed that the agent says.

    \b
      trueup run "fix the failing tests" --agent claude --check "pytest -q" --max-usd 2
      trueup run --issue 42 --agent claude            what issue 42 asks for; a proven result becomes a pull request
      trueup run --issue next --agent claude          the oldest issue that is ready (docs/issues.md)
    """
    from trueup.cli.sitting import plan_run, start_run
    from trueup.config import Overrides

    wishes = Overrides(
        task=task,
        agent=tuple(agent) if agent else None,
        agent_cmd=agent_cmd,
        check=tuple(check) if check else None,
        setup=setup,
        goal=goal,
        target=tuple(target) if target else None,
        only=tuple(only) if only else None,
        protect=tuple(protect) if protect else None,
        edit_tests=edit_tests or None,
        include=tuple(include) if include else None,
        env=tuple(env) if env else None,
        max_usd=max_usd,
        max_time=max_time,
        max_attempts=max_attempts,
        agent_timeout=agent_timeout,
        from_rev=from_rev,
        item=item,
        issue=issue,
        no_pr=no_pr or None,
        on_green=on_green,
        until=until,
        reviewer=reviewer,
        reviewer_cmd=reviewer_cmd,
        sandbox=sandbox,
        search_cpu=search_cpu,
        apply=apply or None,
        plan=plan or None,
    )
    work = plan_run if plan else start_run
    if issue is not None:
        from trueup.cli.on_issue import start_on_issue as work
    elif no_pr:
        raise UsageError("--no-pr is for --issue", why="Only a run on an issue opens pull requests.")
    raise typer.Exit(work(directory, wishes, os.environ, as_json=json))
