"""Which tracker is meant, and what did earlier runs of the project leave there?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from trueup.act.environment import secret_values
from trueup.act.trackers import Tracker
from trueup.config.tracker import TrackerSettings
from trueup.decide.fold import fold
from trueup.decide.outcome import Outcome
from trueup.evidence.redact import Redactor
from trueup.perform.issue_source import living, open_tracker
from trueup.perform.issues import Hands, Work, put_right, work_of
from trueup.perform.setting import Setting, open_store, shelf
from trueup.remember import claims
from trueup.remember.database import Database
from trueup.remember.journal import Journal, find_run


def issue_of(setting: Setting, state: Path, db: Database, journal: Journal) -> Work | None:
    """None for a run that is about no issue."""
    return work_of(journal, db, _hands(setting, state))


@contextmanager
def tracker_of(setting: Setting, folder: str, settings: TrackerSettings) -> Iterator[Tracker]:
    """A tracker that knows which runs of the project are going on."""
    with shelf(setting) as (_, db):
        yield open_tracker(folder, settings, setting.project.root, setting.environ, living=living(db))


def put_issues_right(setting: Setting) -> list[str]:
    """What killed runs of the project left at their trackers."""
    with shelf(setting) as (state, db):
        return put_right(db, _hands(setting, state))


def told_before(setting: Setting, prefix: str | None) -> tuple[Outcome | None, list[str]]:
    """A run that ended and was killed before its issue knew: that is made good. Its outcome, and what was said."""
    with shelf(setting) as (state, db):
        run = find_run(db, prefix)
        if claims.of_run(db, run) is None:
            return None, []
        journal = Journal.open(db, run)
        finished = fold(journal.task, journal.history).finished
        if finished is None:
            return None, []
        return finished.outcome, put_right(db, _hands(setting, state), only=run)


def _hands(setting: Setting, state: Path) -> Hands:
    redact = Redactor(secret_values(setting.environ)).redact
    return Hands(project=setting.project, store=open_store(state), environ=setting.environ, redact=redact)
