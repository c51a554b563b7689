"""A `gh` that keeps its issues in a file: the arguments, answers, exit codes and complaints of the real one (2.23).

Run as a program. `$GH_STATE` is the file; what happens to it there is decided under a lock, as GitHub would do. It can be
offline, logged out, slow, a little behind with what it shows, and it can kill whoever asked it.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

State = dict[str, Any]
ISSUE_FIELDS = {"number", "title", "body", "labels", "state", "createdAt", "url"}
LOGIN = "To get started with GitHub CLI, please run:  gh auth login"
OFFLINE = "error connecting to api.github.com\ncheck your internet connection or https://githubstatus.com"
NO_ISSUE = "GraphQL: Could not resolve to an Issue with the number of {}. (repository.issue)"


class Refused(Exception):
    def __init__(self, said: str, code: int = 1) -> None:
        super().__init__(said)
        self.said = said
        self.code = code


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise Refused(message)


def main() -> None:
    file, args = Path(os.environ["GH_STATE"]), sys.argv[1:]
    feed = sys.stdin.buffer.read().decode()
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        state: State = json.loads(file.read_text())
        state["calls"].append(args)
        number = len(state["calls"])
        if state["kill_before"] == number:
            _save(file, state)
            os.kill(os.getppid(), signal.SIGKILL)
            return
        try:
            said, code = answer(state, args, feed), 0
        except Refused as refused:
            said, code = refused.said, refused.code
        _save(file, state)
        if state["kill_after"] == number:
            os.kill(os.getppid(), signal.SIGKILL)
        if state["interrupt_at"] == number:
            os.kill(os.getppid(), signal.SIGINT)
    time.sleep(state["slow"])
    (sys.stderr if code else sys.stdout).write(said + "\n")
    sys.exit(code)


def _save(file: Path, state: State) -> None:
    fresh = file.with_suffix(".new")
    fresh.write_text(json.dumps(state))
    fresh.replace(file)


def answer(state: State, args: list[str], feed: str) -> str:
    named = " ".join(args[:2])
    if any(re.search(pattern, " ".join(args)) for pattern in state["offline"]):
        raise Refused(OFFLINE)
    if state["logged_out"]:
        raise Refused(LOGIN, 4)
    for pattern, said in state["refuse"].items():
        if re.search(pattern, " ".join(args)):
            raise Refused(said)
    if args[:1] == ["api"]:
        return api(state, args[1:], feed)
    if named not in COMMANDS:
        raise Refused(f"unknown command {named!r}")
    return COMMANDS[named](state, args[2:], feed)


def _options(args: list[str], *known: str, words: int = 0) -> argparse.Namespace:
    parser = Parser(allow_abbrev=False, add_help=False)
    for option in known:
        parser.add_argument(f"--{option}", action="append", default=[])
    if words:
        parser.add_argument("words", nargs=words)
    return parser.parse_args(args)


def _fields(asked: list[str], known: set[str]) -> list[str]:
    fields = [field for text in asked for field in text.split(",")]
    unknown = [field for field in fields if field not in known]
    if unknown:
        raise Refused(f'Unknown JSON field: "{unknown[0]}"')
    return fields


def _issue(state: State, number: str) -> State:
    found: State | None = next((issue for issue in state["issues"] if str(issue["number"]) == number), None)
    if found is None:
        raise Refused(NO_ISSUE.format(number))
    return found


def _shown(state: State, issue: State, fields: list[str]) -> State:
    whole = {**issue, "labels": [{"name": name} for name in issue["labels"]]}
    return {field: whole[field] for field in fields}


def label_list(state: State, args: list[str], _: str) -> str:
    given = _options(args, "json", "limit")
    _fields(given.json, {"name"})
    return json.dumps([{"name": name} for name in state["labels"]][: int(given.limit[0])])


def issue_list(state: State, args: list[str], _: str) -> str:
    given = _options(args, "label", "state", "json", "limit")
    fields = _fields(given.json, ISSUE_FIELDS)
    wanted = [name.casefold() for name in given.label]
    found = [
        issue
        for issue in reversed(state["issues"])  # the newest first, as the real one
        if issue["state"] == given.state[0].upper()
        and all(name in [one.casefold() for one in issue["labels"]] for name in wanted)
    ]
    return json.dumps([_shown(state, issue, fields) for issue in found[: int(given.limit[0])]])


def issue_view(state: State, args: list[str], _: str) -> str:
    given = _options(args, "json", words=1)
    return json.dumps(_shown(state, _issue(state, given.words[0]), _fields(given.json, ISSUE_FIELDS)))


def issue_edit(state: State, args: list[str], _: str) -> str:
    given = _options(args, "add-label", "remove-label", words=1)
    issue = _issue(state, given.words[0])
    for name in given.add_label:
        if name not in state["labels"]:
            raise Refused(f"failed to update {issue['url']}: '{name}' not found")
    kept = [name for name in issue["labels"] if name not in given.remove_label]
    issue["labels"] = list(dict.fromkeys([*kept, *given.add_label]))
    return str(issue["url"])


def issue_comment(state: State, args: list[str], feed: str) -> str:
    given = _options(args, "body-file", words=1)
    issue = _issue(state, given.words[0])
    if given.body_file != ["-"]:
        raise Refused("only standard input")
    return add_comment(state, issue["number"], feed)


def add_comment(state: State, issue: int, body: str) -> str:
    state["last"] += 1
    now = _now(state)
    comment = {"id": state["last"], "issue": issue, "body": body, "created_at": now, "updated_at": now}
    state["comments"].append({**comment, "seen_from": state["looks"] + state["behind"]})
    return f"{_issue(state, str(issue))['url']}#issuecomment-{state['last']}"


def _now(state: State) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + state["clock"]))


def pr_list(state: State, args: list[str], _: str) -> str:
    given = _options(args, "head", "state", "json", "limit")
    found = [pr for pr in state["pulls"] if pr["head"].rpartition(":")[2] == given.head[0]]
    return json.dumps([{"url": pr["url"]} for pr in found][: int(given.limit[0])])


def pr_create(state: State, args: list[str], feed: str) -> str:
    given = _options(args, "head", "base", "title", "body-file")
    head = given.head[0]
    if state["remote"]:
        ref = f"refs/heads/{head.rpartition(':')[2]}"
        asked = ["git", "--git-dir", state["remote"], "rev-parse", "--verify", "--quiet", ref]
        if subprocess.run(asked, capture_output=True, check=False).returncode:
            raise Refused("pull request create failed: GraphQL: Head sha can't be blank (createPullRequest)")
    state["last"] += 1
    url = f"https://github.com/acme/shop/pull/{state['last']}"
    base = given.base[0] if given.base else "main"
    state["pulls"].append({"url": url, "head": head, "base": base, "title": given.title[0], "body": feed})
    return f"Creating pull request for {head} into {base}\n\n{url}"


def api(state: State, args: list[str], feed: str) -> str:
    parser = Parser(allow_abbrev=False, add_help=False)
    for option in ("hostname", "method", "input"):
        parser.add_argument(f"--{option}")
    for option in ("silent", "paginate"):
        parser.add_argument(f"--{option}", action="store_true")
    parser.add_argument("endpoint")
    given = parser.parse_args(args)
    listing = re.fullmatch(r"repos/acme/shop/issues/(\d+)/comments\?per_page=100", given.endpoint)
    if listing and given.method == "GET":
        return _pages(state, int(listing[1]))
    single = re.fullmatch(r"repos/acme/shop/issues/comments/(\d+)", given.endpoint)
    comment = next((c for c in state["comments"] if single and c["id"] == int(single[1])), None)
    if comment is None:
        raise Refused("gh: Not Found (HTTP 404)")
    if given.method == "DELETE":
        state["comments"].remove(comment)
    elif given.method == "PATCH":
        comment.update(body=json.loads(feed)["body"], updated_at=_now(state))
    return ""


def _pages(state: State, issue: int) -> str:
    """One array after another, as the real one writes them."""
    state["looks"] += 1
    seen = [c for c in state["comments"] if c["issue"] == issue and c["seen_from"] < state["looks"]]
    rows = [{key: c[key] for key in ("id", "body", "created_at", "updated_at")} for c in seen]
    size = state["page"]
    return "".join(json.dumps(rows[at : at + size]) for at in range(0, max(len(rows), 1), size))


COMMANDS: dict[str, Callable[[State, list[str], str], str]] = {
    "label list": label_list,
    "issue list": issue_list,
    "issue view": issue_view,
    "issue edit": issue_edit,
    "issue comment": issue_comment,
    "pr list": pr_list,
    "pr create": pr_create,
}

if __name__ == "__main__":
    main()
