"""Which tables does the journal file have, and how does an older file get them?

One entry for each schema version, applied in one transaction. Released entries stay; append another.
"""

from __future__ import annotations

APPLICATION_ID = 0x74727570
"""`trup`: tells our file from another program's."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        f"PRAGMA application_id = {APPLICATION_ID}",
        """CREATE TABLE runs (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, item TEXT NOT NULL,
            project TEXT NOT NULL, task TEXT NOT NULL, facts TEXT NOT NULL, started REAL NOT NULL,
            ended REAL, status TEXT, start_tree TEXT NOT NULL DEFAULT '',
            sitting INTEGER NOT NULL DEFAULT 1)""",
        # `refers`: of a record, its move; of a move, the unfinished move that it supersedes.
        """CREATE TABLE entries (
            run TEXT NOT NULL REFERENCES runs(id), seq INTEGER NOT NULL, time REAL NOT NULL,
            role TEXT NOT NULL CHECK (role IN ('move', 'record')), kind TEXT NOT NULL, refers INTEGER,
            body TEXT NOT NULL, PRIMARY KEY (run, seq)) WITHOUT ROWID""",
        "CREATE TABLE forgetting (run TEXT PRIMARY KEY) WITHOUT ROWID",
        """CREATE TRIGGER entries_stay BEFORE UPDATE ON entries
            BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END""",
        """CREATE TRIGGER entries_last BEFORE DELETE ON entries
            WHEN OLD.run NOT IN (SELECT run FROM forgetting)
            BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END""",
        """CREATE TRIGGER tasks_stay BEFORE UPDATE OF id, item, project, task, facts, started ON runs
            BEGIN SELECT RAISE(ABORT, 'a task is read once'); END""",
        """CREATE TABLE leases (
            item TEXT PRIMARY KEY, run TEXT NOT NULL, pid INTEGER NOT NULL, started TEXT NOT NULL,
            host TEXT NOT NULL, boot TEXT NOT NULL) WITHOUT ROWID""",
        """CREATE TABLE verdicts (
            number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, report BLOB NOT NULL)""",
        """CREATE TABLE applied (
            id INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, time REAL NOT NULL,
            before_tree TEXT NOT NULL, after_tree TEXT NOT NULL, paths TEXT NOT NULL,
            undone INTEGER NOT NULL DEFAULT 0)""",
        "CREATE TABLE flips (key TEXT NOT NULL, tree TEXT NOT NULL, time REAL NOT NULL)",
        "CREATE INDEX flips_by_key ON flips (key)",
    ),
    (
        # Counts what is written, over all runs: which run is the latest must not depend on the wall clock.
        "ALTER TABLE runs ADD COLUMN latest INTEGER NOT NULL DEFAULT 0",
        """UPDATE runs SET latest = (SELECT COUNT(*) FROM runs AS other WHERE
            COALESCE((SELECT MAX(time) FROM entries WHERE run = other.id), other.started)
            <= COALESCE((SELECT MAX(time) FROM entries WHERE run = runs.id), runs.started))""",
    ),
    (
        # Who saw it; `at_start`: on the files that the run began with. Earlier rows do not say.
        "ALTER TABLE flips ADD COLUMN run TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE flips ADD COLUMN at_start INTEGER",
    ),
    (
        # What is remembered of each work item, beyond the removal of its runs; see `decide.memory`.
        "CREATE TABLE items (item TEXT PRIMARY KEY, body TEXT NOT NULL, updated REAL NOT NULL) WITHOUT ROWID",
        # Which items have met which failure, so that only those are read.
        """CREATE TABLE item_failures (
            fingerprint TEXT NOT NULL, item TEXT NOT NULL, PRIMARY KEY (fingerprint, item)) WITHOUT ROWID""",
        # What could not be read stays here.
        """CREATE TABLE items_aside (
            number INTEGER PRIMARY KEY AUTOINCREMENT, item TEXT NOT NULL, body TEXT NOT NULL, why TEXT NOT NULL,
            time REAL NOT NULL)""",
        # Runs that are to be forgotten although their journal is there, as far as it went then.
        """CREATE TABLE items_forgotten (
            run TEXT PRIMARY KEY, started REAL NOT NULL, entries INTEGER NOT NULL) WITHOUT ROWID""",
    ),
    (
        # Runs that may have a claim at a tracker; see `remember.claims`.
        "CREATE TABLE claims (run TEXT PRIMARY KEY, mark TEXT NOT NULL, ends INTEGER NOT NULL) WITHOUT ROWID",
    ),
    (
        # Which rules were tried here, and whether their fix stayed; see `remember.remedies`.
        """CREATE TABLE remedies (
            number INTEGER PRIMARY KEY AUTOINCREMENT, remedy TEXT NOT NULL, digest TEXT NOT NULL,
            kept INTEGER NOT NULL, time REAL NOT NULL)""",
    ),
)
