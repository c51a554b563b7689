"""Every reader of untrusted text has a fuzz target, and what once broke one does not break it again."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

HERE = Path(__file__).parent
FINDINGS = sorted(path for path in (HERE / "findings").rglob("*") if path.is_file())

sys.path.insert(0, str(HERE))
targets: ModuleType = importlib.import_module("fuzz_targets")
sys.path.remove(str(HERE))

SEEDS: list[bytes] = [*targets.event_seeds(), *targets.answer_seeds(), *targets.seeds(())]
LINES = [line for seed in targets.event_seeds() for line in seed.splitlines(keepends=True)]
VALUES = ["", "x", "\x1b[2J", "\u202e", "a" * 300, -1, 2**70, 1.5, None, True, [], {}, [["a"]], {"kind": 1}]


@pytest.mark.parametrize("path", FINDINGS, ids=[f"{path.parent.name}/{path.name}" for path in FINDINGS])
def test_what_broke_a_reader_once_is_read_now(path: Path) -> None:
    targets.TARGETS[path.parent.name](path.read_bytes())


@pytest.mark.parametrize("name", targets.TARGETS)
def test_no_reader_breaks_on_what_others_understand(name: str) -> None:
    for seed in (*SEEDS, b"", b"\xff\xfe\x00", b"\x00" * 50):
        targets.TARGETS[name](seed)


def test_every_parser_and_every_runner_has_a_target() -> None:
    assert {parser.name for parser in targets.TABLE} <= set(targets.TARGETS)
    assert {"diagnostics", "diagnostics.strict", "framed", "json_report", "junit_xml", "sarif"} <= set(targets.TARGETS)
    assert {f"runner.{runner.name}" for runner in targets.RUNNERS} <= set(targets.TARGETS)
    assert {f"answers.{tool}" for tool in targets.TOOLS} <= set(targets.TARGETS)


def with_another_value(line: bytes) -> st.SearchStrategy[bytes]:
    """An event in which one field holds something else."""
    event = json.loads(line)
    changed = st.tuples(st.sampled_from([*event, "extra"]), st.sampled_from(VALUES))
    return changed.map(lambda change: json.dumps({**event, change[0]: change[1]}).encode() + b"\n")


def events() -> st.SearchStrategy[bytes]:
    line = st.sampled_from(LINES)
    cut = line.flatmap(lambda text: st.integers(0, len(text)).map(lambda n: text[:n]))
    return st.lists(line | line.flatmap(with_another_value) | cut, max_size=20).map(b"".join)


@pytest.mark.parametrize("name", [name for name in targets.TARGETS if name.startswith("runner.")])
def test_no_events_break_a_runner(name: str) -> None:
    """Whatever the tested code writes where the probe writes: evidence that fits together, or none."""

    @settings(max_examples=40, deadline=None)
    @given(events())
    def holds(data: bytes) -> None:
        targets.TARGETS[name](data)

    holds()
