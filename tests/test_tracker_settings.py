"""The table `[tracker]`: few keys, safe values, each refusal by name."""

import pytest

from trueup.config.file import parse_config
from trueup.config.tracker import TrackerKind, TrackerSettings, tracker_settings
from trueup.errors import UsageError


def read(toml: str) -> TrackerSettings:
    return tracker_settings(parse_config(toml.encode(), "trueup.toml"))


def test_nothing_has_to_be_said() -> None:
    assert read("") == TrackerSettings()
    assert read("").labels == ("ready", "in progress", "stalled", "done")


def test_everything_can_be_said() -> None:
    told = read('[tracker]\nkind = "folder"\nfolder = "docs/work"\nready = "agent: ready"\npull_request = false\n')
    assert (told.kind, told.folder, told.ready, told.pull_request) == (
        TrackerKind.FOLDER,
        "docs/work",
        "agent: ready",
        False,
    )


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ('kind = "jira"', "kind"),
        ('folder = "../elsewhere"', "folder"),
        ('folder = "/etc"', "folder"),
        ('folder = "."', "folder"),
        ('folder = ".git"', "folder"),
        ('ready = "a,b"', "ready"),
        ('ready = "--all"', "ready"),
        ('ready = ""', "ready"),
        ('done = "a\\nb"', "done"),
        ('pull_request = "no"', "pull_request"),
        ('labels = "x"', "labels"),
    ],
)
def test_what_cannot_be_used_is_named(line: str, named: str) -> None:
    with pytest.raises(UsageError, match=named):
        read(f"[tracker]\n{line}\n")


def test_two_states_need_two_names() -> None:
    with pytest.raises(UsageError, match="same label"):
        read('[tracker]\nready = "agent"\ndone = "Agent"\n')
