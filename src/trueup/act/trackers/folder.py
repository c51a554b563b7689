"""How does a folder of markdown files serve as a tracker? State and comments in the files, claims beside them."""

from __future__ import annotations

import fcntl
import json
import os
import re
import socket
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from trueup.act.trackers import front_matter
from trueup.act.trackers.base import SILENCE, Claim, Issue, IssueState, Living, TrackerError, body_of, title_of
from trueup.config.names import is_item_name, item_name
from trueup.config.tracker import TrackerSettings
from trueup.errors import TrueupError, UsageError
from trueup.remember.leases import Holder, is_alive, myself

OWN = ".trueup"
"""Beside the issues; ignored by git because of the file that is written into it."""
CLAIMS = "claims"
SUFFIX = ".md"
LARGEST = 1_000_000
_STEM = re.compile(r"(?![-.])[^/\0]{1,100}")
_DATE = re.compile(r"\d{4}-\d\d-\d\d[0-9T:.+Z -]*")
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class FolderTracker:
    """Issues in `*.md` files of one folder.

    A file is an issue when its first lines are `---`, `state: ready`, `---`. Nothing else in a file is ever changed,
    comments are added at its end. Links are neither read nor written through.
    """

    def __init__(self, folder: Path, settings: TrackerSettings, *, living: Living) -> None:
        self.folder = folder
        self._living = living
        self._labels: Mapping[IssueState, str] = {
            IssueState.READY: settings.ready,
            IssueState.IN_PROGRESS: settings.in_progress,
            IssueState.STALLED: settings.stalled,
            IssueState.DONE: settings.done,
        }

    @property
    def name(self) -> str:
        return f"{self.folder.name}/"

    def check(self) -> None:
        with self._opened():
            if not os.access(self.folder, os.W_OK | os.X_OK):
                raise TrackerError(
                    f"{self.folder} cannot be written",
                    why="Issues are claimed and commented there.",
                    do="Make it writable, then try again.",
                )

    def get(self, wanted: str) -> Issue:
        with self._opened() as folder:
            if not _is_stem(wanted):
                raise UsageError(
                    f"{wanted!r} cannot be the name of an issue's file",
                    do=f"Give a number of GitHub's, or the file: --issue {self.folder.name}/NAME{SUFFIX}",
                )
            content = _read(folder, wanted + SUFFIX)
            if content is None:
                known = ", ".join(_stems(folder)[:10]) or "none"
                raise UsageError(f"there is no issue {wanted}{SUFFIX} in {self.folder}", why=f"There are: {known}.")
            return self._issue(wanted, content)

    def find(self, issue: str) -> Issue | None:
        with self._opened() as folder:
            content = _read(folder, issue + SUFFIX)
            return None if content is None else self._issue(issue, content)

    def ready(self) -> list[Issue]:
        return self._with(IssueState.READY)

    def claimed(self) -> list[Issue]:
        return self._with(IssueState.IN_PROGRESS)

    def _with(self, state: IssueState) -> list[Issue]:
        found = []
        with self._opened() as folder:
            for stem in _stems(folder):
                with suppress(UsageError):  # a link, or a file that is too large, is no issue
                    content = _read(folder, stem + SUFFIX)
                    if content is not None:
                        found.append(self._issue(stem, content))
        return sorted((issue for issue in found if issue.state is state), key=lambda issue: issue.created)

    def holder(self, issue: Issue) -> Claim | None:
        with self._locked() as (_, own):
            return self._claim_of(own, issue)

    def claim(self, issue: Issue, run: str) -> bool:
        with self._locked() as (folder, own):
            content = _read(folder, issue.id + SUFFIX)
            if content is None or self._issue(issue.id, content).state is not issue.state:
                return False
            before = self._claim_of(own, issue)
            if before is not None and before.alive and before.run != run:
                return False
            _replace(own, _claim_name(issue), _claim(issue, run), own)
            try:
                self._rewrite(folder, own, issue, IssueState.IN_PROGRESS)
            except TrueupError:
                os.unlink(_claim_name(issue), dir_fd=own)
                raise
            return True

    def beat(self, issue: Issue, run: str) -> None:
        with self._locked() as (_, own):
            if _run_of(own, issue) == run:
                os.utime(_claim_name(issue), dir_fd=own)

    def release(self, issue: Issue, run: str) -> None:
        with self._locked() as (_, own):
            if _run_of(own, issue) == run:
                os.unlink(_claim_name(issue), dir_fd=own)

    def move(self, issue: Issue, state: IssueState) -> None:
        with self._locked() as (folder, own):
            self._rewrite(folder, own, issue, state)

    def comment(self, issue: Issue, text: str, *, mark: str) -> None:
        self._append(issue, text, f"<!-- trueup: {mark} -->")

    def pull_request(self, issue: Issue, *, head: str, base: str, title: str, body: str) -> str:
        """There is nobody to ask: its text is kept as a comment."""
        into = f" into `{base}`" if base else ""
        text = f"### {title}\n\nTo be merged: `{head}`{into}\n\n{body}"
        self._append(issue, text, f"<!-- trueup: offer {_digest(text)} -->")
        return ""

    # --- files ------------------------------------------------------------------------------------------------------

    def _issue(self, stem: str, content: bytes) -> Issue:
        fields, text = front_matter.fields(content), front_matter.text(content)
        heading, rest = _heading(text)
        title = fields.get("title") or heading or re.sub(r"[-_]+", " ", stem)
        date = fields.get("created", "")
        return Issue(
            id=stem,
            item=_item(stem),
            title=title_of(title),
            body=body_of(rest if heading and not fields.get("title") else text),
            state=self._state(fields.get("state", "")),
            created=f"{date if _DATE.fullmatch(date) else '9999'} {_natural(stem)}",
        )

    def _state(self, said: str) -> IssueState:
        return next((s for s, label in self._labels.items() if _word(label) == _word(said)), IssueState.OTHER)

    def _rewrite(self, folder: int, own: int, issue: Issue, state: IssueState) -> None:
        name, label = issue.id + SUFFIX, self._labels.get(state)
        content = _read(folder, name)
        if content is None:
            raise TrackerError(f"the issue {name} is gone", why=f"It is no longer in {self.folder}.")
        if self._issue(issue.id, content).state is not state:
            _replace(folder, name, front_matter.with_field(content, "state", label), own, expected=content)

    def _append(self, issue: Issue, text: str, mark: str) -> None:
        name = issue.id + SUFFIX
        with self._locked() as (folder, own):
            content = _read(folder, name)
            if content is None:
                raise TrackerError(f"the issue {name} is gone", why=f"It is no longer in {self.folder}.")
            if mark.encode() not in content:
                _replace(folder, name, front_matter.with_comment(content, f"{text}\n{mark}"), own, expected=content)

    def _claim_of(self, own: int, issue: Issue) -> Claim | None:
        """None also for what is not a claim of ours: it keeps nobody away."""
        told = _told(_read(own, _claim_name(issue)))
        if told is None:
            return None
        holder, node = told
        living = self._living(holder.run)
        if living is None and node == socket.gethostname():
            living = is_alive(holder) if holder.host == myself("", "").host else None
        if living is None:  # another machine or container: only its silence can tell
            written = os.stat(_claim_name(issue), dir_fd=own, follow_symlinks=False).st_mtime
            living = time.time() - written < SILENCE
        return Claim(run=holder.run, alive=living)

    @contextmanager
    def _opened(self) -> Iterator[int]:
        try:
            folder = os.open(self.folder, _FOLDER)
        except FileNotFoundError:
            raise UsageError(
                f"there is no folder {self.folder}",
                why="That is where issues are looked for.",
                do="Make it and write one, with `---`, `state: ready`, `---` as its first lines; see docs/issues.md.",
            ) from None
        except OSError as error:
            raise UsageError(f"{self.folder} cannot be used as a folder of issues", why=str(error)) from error
        try:
            yield folder
        finally:
            os.close(folder)

    @contextmanager
    def _locked(self) -> Iterator[tuple[int, int]]:
        """The folder and our own one inside it, for one process at a time."""
        with self._opened() as folder:
            try:
                own = _own_folder(folder)
            except OSError as error:
                raise TrackerError(f"{self.folder / OWN} cannot be used", why=str(error)) from error
            try:
                lock = os.open("lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666, dir_fd=own)
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX)
                    yield folder, own
                finally:
                    os.close(lock)
            except OSError as error:
                raise TrackerError(f"the issues in {self.folder} cannot be written", why=str(error)) from error
            finally:
                os.close(own)


def _own_folder(folder: int) -> int:
    with suppress(FileExistsError):
        os.mkdir(OWN, 0o755, dir_fd=folder)
    above = os.open(OWN, _FOLDER, dir_fd=folder)
    try:
        with suppress(FileExistsError):
            ignore = os.open(".gitignore", _CREATE, 0o644, dir_fd=above)
            with os.fdopen(ignore, "wb") as file:
                file.write(b"*\n")
        with suppress(FileExistsError):
            os.mkdir(CLAIMS, 0o755, dir_fd=above)
        return os.open(CLAIMS, _FOLDER, dir_fd=above)
    finally:
        os.close(above)


def _read(folder: int, name: str) -> bytes | None:
    """All of a regular file; None when there is none."""
    try:
        handle = os.open(name, _READ, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"{name} cannot be read", why=f"{error.strerror}: it has to be a plain file.") from error
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise UsageError(f"{name} cannot be read", why="It is not a plain file.")
        with os.fdopen(handle, "rb", closefd=False) as file:
            content = file.read(LARGEST + 1)
    finally:
        os.close(handle)
    if len(content) > LARGEST:
        raise UsageError(f"{name} is too large to be an issue", why=f"It has more than {LARGEST} bytes.")
    return content


def _replace(folder: int, name: str, content: bytes, scratch: int, *, expected: bytes | None = None) -> None:
    """Whole or not at all. With `expected`, not over what somebody wrote meanwhile."""
    fresh, mode = "scratch.new", 0o644
    with suppress(FileNotFoundError):
        mode = stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    with suppress(FileNotFoundError):  # of a process that was killed; the lock is ours
        os.unlink(fresh, dir_fd=scratch)
    with os.fdopen(os.open(fresh, _CREATE, mode, dir_fd=scratch), "wb") as file:
        os.fchmod(file.fileno(), mode)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    if expected is not None and _read(folder, name) != expected:
        os.unlink(fresh, dir_fd=scratch)
        raise TrackerError(f"{name} was changed by somebody else at this very moment", do="Try again.")
    os.rename(fresh, name, src_dir_fd=scratch, dst_dir_fd=folder)


def _stems(folder: int) -> list[str]:
    names = (name.removesuffix(SUFFIX) for name in os.listdir(folder) if name.endswith(SUFFIX))
    return sorted(name for name in names if _is_stem(name))


def _is_stem(name: str) -> bool:
    return bool(_STEM.fullmatch(name)) and name.isprintable()


def _item(stem: str) -> str:
    """A branch's name that no other file has."""
    return stem if is_item_name(stem) else f"{item_name(stem)[:40].strip('-')}-{_digest(stem)}"


def _heading(text: str) -> tuple[str, str]:
    """The heading at the very beginning, and what comes after it; ("", text) when there is none."""
    first, _, rest = text.lstrip().partition("\n")
    marks, _, words = first.partition(" ")
    return (words.strip().rstrip("#").rstrip(), rest) if marks == "#" else ("", text)


def _claim_name(issue: Issue) -> str:
    """Not the name itself: with another ending it may be too long for the disk."""
    return f"{_digest(issue.id)}.json"


def _claim(issue: Issue, run: str) -> bytes:
    me = myself(issue.item, run)
    where = {"pid": me.pid, "started": me.started, "host": me.host, "boot": me.boot, "node": socket.gethostname()}
    return json.dumps({"issue": issue.id, "item": me.item, "run": run, **where}).encode()


def _run_of(own: int, issue: Issue) -> str:
    told = _told(_read(own, _claim_name(issue)))
    return told[0].run if told else ""


def _told(content: bytes | None) -> tuple[Holder, str] | None:
    """The process that wrote a claim, and its machine's name."""
    if content is None:
        return None
    try:
        told = json.loads(content)
        texts = {key: str(told[key]) for key in ("item", "run", "started", "host", "boot")}
        return Holder(pid=int(told["pid"]), **texts), str(told["node"])
    except (ValueError, TypeError, KeyError):
        return None


def _word(text: str) -> str:
    return " ".join(re.sub(r"[-_]+", " ", text).casefold().split())


def _natural(stem: str) -> str:
    """`2-tax` before `10-vat`."""
    return re.sub(r"\d+", lambda match: match.group().zfill(12), stem)


def _digest(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
