"""What has happened so far? One SQLite file for each project: journal, leases, verdicts, applied patches."""
