"""One engine applies, verifies, keeps or lets go: on real trees, with a verifier that reads the files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from trueup.act.files import FileRules
from trueup.act.remedies.base import Edit
from trueup.act.remedies.placing import files_of, placed
from trueup.act.remedies.registry import Registry, registry
from trueup.act.store import Store
from trueup.evidence.failure import Failure, Phase
from trueup.evidence.report import CheckResult, CheckStatus, Report
from trueup.perform import remedying
from trueup.perform.remedying import Remedied, Remedying


def wrong(path: str, word: str, *, check: str = "words") -> Failure:
    return Failure(
        check=check,
        subject=f"{path} {word}",
        phase=Phase.BUILD,
        kind=word,
        message=f"{word} in {path}",
        file=path,
        test=False,
    )


def words(store: Store, tree: str) -> list[Failure]:
    """The check `words`: no file says `bad…`."""
    found = []
    for path, entry in sorted(store.entries(tree).items()):
        text = (store.read(tree, path) or b"").decode("utf-8", "replace")
        found += [wrong(path, word) for word in text.split() if word.startswith("bad") and entry.mode != "120000"]
    return found


@dataclass
class World:
    """A store, a folder, and what the checks of a test say about a tree."""

    store: Store
    base: Path
    say: Callable[[Store, str], list[Failure]] = words
    measured: list[str] = field(default_factory=list)

    def tree(
        self, files: Mapping[str, bytes], *, links: Mapping[str, str] | None = None, executable: Iterable[str] = ()
    ) -> str:
        root = self.base / "project"
        for path, content in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content)
        for path in executable:
            (root / path).chmod(0o755)
        for path, target in (links or {}).items():
            os.symlink(target, root / path)
        return self.store.snapshot(root, FileRules.of(root), index=self.base / "index").tree

    def measure(self, tree: str) -> Report:
        self.measured.append(tree)
        failures = self.say(self.store, tree)
        results = []
        for check in sorted({"words", *(f.check for f in failures)}):
            mine = tuple(f for f in failures if f.check == check)
            passed = CheckResult(check=check, status=CheckStatus.PASSED, exit_code=0)
            results.append(CheckResult(check=check, status=CheckStatus.FAILED, failures=mine) if mine else passed)
        return Report(tree=tree, results=tuple(results))

    def run(self, tree: str, rows: Registry, **more: object) -> Remedied:
        engine = Remedying(store=self.store, scratch=self.base / "scratch", registry=rows, measure=self.measure, **more)  # type: ignore[arg-type]
        return engine.run(tree, self.measure(tree))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(store=Store(tmp_path / "store"), base=tmp_path)


def rows(*texts: str) -> Registry:
    made = registry([(f"{number}.yaml", text.encode()) for number, text in enumerate(texts)])
    return Registry(rows=made.rows[: len(texts)])


def swap(old: str, new: str, name: str = "") -> str:
    return f"- name: {name or old}\n  message: '{old} in'\n  fix: replace\n  with: {{find: '{old}', put: '{new}'}}\n"


def test_what_a_fix_removes_stays_removed_and_nothing_else_changes(world: World) -> None:
    tree = world.tree({"a.txt": b"\xef\xbb\xbfbad1\r\n\xe9", "b.txt": b"so"})
    assert world.run(tree, rows(swap("bad1", "good"))).kept == ()  # not UTF-8: nobody edits it as text
    tree = world.tree({"a.txt": "\ufeffx bad1 é\r\n".encode(), "b.txt": b"so"})
    done = world.run(tree, rows(swap("bad1", "good")))
    assert [one.remedy for one in done.kept] == ["bad1"]
    assert world.store.read(done.tree, "a.txt") == "\ufeffx good é\r\n".encode()
    assert [change.path for change in world.store.diff(tree, done.tree)] == ["a.txt"]
    assert [f.kind for f in done.removed] == ["bad1"]


def test_a_fix_that_does_not_help_leaves_the_very_same_tree(world: World) -> None:
    """Bytes, modes and links, as they were: trees never change."""
    files = {"a.sh": b"bad1\r\n", "b.txt": "\ufeffbad2 café".encode()}
    tree = world.tree(files, links={"link": "a.sh"}, executable=["a.sh"])
    done = world.run(tree, rows(swap("bad1", "bad3"), swap("bad2", "bad4")))
    assert done.tree == tree
    assert done.kept == ()
    assert {one.because for one in done.reverted} == {"it brings a failure: words: bad3 in a.sh"}
    assert world.store.entries(done.tree) == world.store.entries(tree)


def test_three_fixes_on_one_file_of_which_one_does_harm(world: World) -> None:
    def say(store: Store, tree: str) -> list[Failure]:
        text = store.read(tree, "a.txt") or b""
        other = (
            [Failure(check="smoke", subject="x", kind="x", message="x", file="z.txt", test=False)]
            if b"two" in text
            else []
        )
        return [*words(store, tree), *other]

    world.say = say
    tree = world.tree({"a.txt": b"bad1\r\nbad2\r\nbad3\r\n"}, executable=["a.txt"])
    passing = world.measure(world.tree({"a.txt": b"two"}))
    assert passing.failures
    before = world.measure(tree)
    with_smoke = Report(
        tree=tree, results=(*before.results, CheckResult(check="smoke", status=CheckStatus.PASSED, exit_code=0))
    )

    def measure(measured: str) -> Report:
        found = world.measure(measured)
        if found.result("smoke"):
            return found
        return Report(
            tree=measured, results=(*found.results, CheckResult(check="smoke", status=CheckStatus.PASSED, exit_code=0))
        )

    engine = Remedying(
        store=world.store,
        scratch=world.base / "scratch",
        measure=measure,
        registry=rows(swap("bad1", "one"), swap("bad2", "two"), swap("bad3", "three")),
    )
    done = engine.run(tree, with_smoke)
    assert world.store.read(done.tree, "a.txt") == b"one\r\nbad2\r\nthree\r\n"
    assert world.store.entries(done.tree)["a.txt"].mode == "100755"
    assert [one.remedy for one in done.kept] == ["bad1", "bad3"]
    assert {one.remedy for one in done.reverted} == {"bad2"}
    assert "it brings a failure: smoke" in done.reverted[0].because


def test_a_fix_that_unveils_later_failures_is_kept(world: World) -> None:
    def measure(tree: str) -> Report:
        text = world.store.read(tree, "a.txt") or b""
        if b"bad1" in text:
            skipped = CheckResult(check="smoke", status=CheckStatus.SKIPPED, reason="words failed")
            return Report(
                tree=tree,
                results=(
                    CheckResult(check="words", status=CheckStatus.FAILED, failures=(wrong("a.txt", "bad1"),)),
                    skipped,
                ),
            )
        late = (wrong("b.txt", "late", check="smoke"), wrong("c.txt", "late", check="smoke"))
        return Report(
            tree=tree,
            results=(
                CheckResult(check="words", status=CheckStatus.PASSED, exit_code=0),
                CheckResult(check="smoke", status=CheckStatus.FAILED, failures=late),
            ),
        )

    tree = world.tree({"a.txt": b"bad1"})
    done = Remedying(
        store=world.store, scratch=world.base / "s", registry=rows(swap("bad1", "good")), measure=measure
    ).run(tree, measure(tree))
    assert [one.remedy for one in done.kept] == ["bad1"]
    assert len(done.report.failures) == 2


def test_a_no_op_is_no_fix_and_costs_no_verification(world: World) -> None:
    tree = world.tree({"a.txt": b"bad1"})
    done = world.run(tree, rows(swap("bad1", "bad1")))
    assert (done.kept, done.reverted, len(world.measured)) == ((), (), 1)


def test_many_files_are_tried_together_and_one_that_fails_alone_does_not_hold_the_others_back(world: World) -> None:
    tree = world.tree({f"{n}.txt": b"bad1" for n in range(30)})
    done = world.run(tree, rows(swap("bad1", "good")))
    assert len(done.kept) == 30
    assert len(world.measured) == 2
    assert all(one.removed[0].file == one.paths[0] for one in done.kept)
    tree = world.tree({"a.txt": b"bad1", "b.txt": b"bad1 keep", "c.txt": b"bad1"})
    world.say = lambda store, tree: [
        *words(store, tree),
        *([wrong("z", "x")] if store.read(tree, "b.txt") == b"good keep" else []),
    ]
    done = world.run(tree, rows(swap("bad1", "good")))
    assert {path for one in done.kept for path in one.paths} >= {"a.txt", "c.txt"}
    assert world.store.read(done.tree, "b.txt") == b"bad1 keep"


def test_the_next_way_is_tried_when_the_first_does_not_help(world: World) -> None:
    tree = world.tree({"a.txt": b"bad1"})
    done = world.run(tree, rows(swap("bad1", "bad1 and more", "first"), swap("bad1", "good", "second")))
    assert ([one.remedy for one in done.reverted], [one.remedy for one in done.kept]) == (["first"], ["second"])


def test_two_rules_that_undo_each_other_come_to_an_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = world.tree({"a.txt": b"bad1"})
    done = world.run(tree, rows(swap("bad1", "bad2"), swap("bad2", "bad1")))
    assert done.trials < 10
    monkeypatch.setattr(remedying, "_MOST_TRIALS", 1)
    tree = world.tree({"a.txt": b"bad1 bad2"})
    assert world.run(tree, rows(swap("bad1", "x"), swap("bad2", "y"))).trials == 1


def test_a_rule_that_is_off_is_not_asked(world: World) -> None:
    tree = world.tree({"a.txt": b"bad1"})
    assert world.run(tree, rows(swap("bad1", "good")), off=frozenset({"bad1"})).kept == ()


def test_a_protected_file_is_never_edited(world: World) -> None:
    tree = world.tree({"a.txt": b"bad1"})
    done = world.run(tree, rows(swap("bad1", "good")), protected=lambda path: path == "a.txt")
    assert (done.kept, done.tree) == ((), tree)


# --- places that nobody may write --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    ["../out.txt", "/etc/passwd", "a/../../out", "", ".", "a//b", ".git/config", "sub/.GIT/hooks/x", "link", "link/x", "folder-link/x",
     "a.txt/x", "trueup.toml", ".trueup/x", "a\nb", "a\\b", "folder"],
)  # fmt: skip
def test_nothing_is_written_outside_or_through_a_link(world: World, path: str) -> None:
    tree = world.tree({"a.txt": b"x", "folder/x.txt": b"x"}, links={"link": "a.txt", "folder-link": "folder"})
    assert placed(world.store, tree, (Edit(path=path, content=b"evil"),)) is None
    assert placed(world.store, tree, (Edit(path="new.txt", content=b"fine"), Edit(path=path, content=b"evil"))) is None


def test_files_come_go_and_may_be_executed(world: World) -> None:
    tree = world.tree({"a.txt": b"x", "b.sh": b"#!/bin/sh\n"})
    new = placed(
        world.store,
        tree,
        (
            Edit(path="a.txt", content=None),
            Edit(path="c/d.txt", content=b""),
            Edit(path="b.sh", content=b"#!/bin/sh\n", executable=True),
        ),
    )
    assert new is not None
    assert {path: entry.mode for path, entry in world.store.entries(new).items()} == {
        "b.sh": "100755",
        "c/d.txt": "100644",
    }
    assert placed(world.store, tree, (Edit(path="none.txt", content=None),)) is None
    assert placed(world.store, tree, ()) is None


def test_links_are_not_among_the_files_that_fixers_read(world: World) -> None:
    tree = world.tree({"a.txt": b"bad1"}, links={"l.txt": "/etc/hostname", "m.txt": "a.txt"})
    with files_of(world.store, tree, world.base / "scratch") as files:
        assert files.paths == ("a.txt",)
        assert files.content("l.txt") is None
