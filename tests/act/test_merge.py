"""One file, two changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from trueup.act.merge import Merged, clashing, merge, merge_entries
from trueup.act.process import ToolFailed
from trueup.act.trees import EXECUTABLE, FILE, LINK, Entry

TEXT = b"".join(b"line %d\n" % number for number in range(1, 10))


def changed(line: int, to: bytes, text: bytes = TEXT) -> bytes:
    return text.replace(b"line %d" % line, to)


def test_changes_in_different_places_are_joined() -> None:
    both = merge(TEXT, changed(1, b"ours"), changed(9, b"theirs"))

    assert both == changed(9, b"theirs", changed(1, b"ours"))


def test_different_changes_in_one_place_are_a_conflict() -> None:
    assert merge(TEXT, changed(5, b"ours"), changed(5, b"theirs")) is None


def test_the_same_change_on_both_sides_is_no_conflict() -> None:
    assert merge(TEXT, changed(5, b"same"), changed(5, b"same")) == changed(5, b"same")


def test_carriage_returns_and_a_missing_last_newline_survive() -> None:
    base = TEXT.replace(b"\n", b"\r\n") + b"end"

    both = merge(base, changed(1, b"ours", base), changed(8, "thëirs".encode(), base))

    assert both == changed(8, "thëirs".encode(), changed(1, b"ours", base))


def test_one_sided_changes_of_binary_files_are_taken() -> None:
    assert merge(b"\0base", b"\0base", b"\0theirs") == b"\0theirs"
    assert merge(b"\0base", b"\0ours", b"\0base") == b"\0ours"


def test_two_changes_of_a_binary_file_are_a_conflict() -> None:
    base = b"\0\n" + TEXT

    assert merge(base, changed(1, b"ours", base), changed(9, b"theirs", base)) is None


def test_text_that_looks_like_conflict_markers_is_no_conflict() -> None:
    base = b"<<<<<<< ours\n=======\n>>>>>>> theirs\n" + TEXT

    assert merge(base, changed(1, b"a", base), changed(9, b"b", base)) == changed(9, b"b", changed(1, b"a", base))


class Blobs(dict[str, bytes]):
    def entry(self, content: bytes, mode: str = FILE) -> Entry:
        return Entry(mode=mode, oid=self.put(content))

    def put(self, content: bytes) -> str:
        self[content.hex()] = content
        return content.hex()

    def merge(self, base: Entry | None, ours: Entry | None, theirs: Entry | None) -> Merged | None:
        return merge_entries(base, ours, theirs, read=self.__getitem__, put=self.put)


def test_a_mode_from_one_side_and_content_from_the_other_are_joined() -> None:
    blobs = Blobs()
    base, ours = blobs.entry(TEXT), blobs.entry(changed(1, b"ours"), EXECUTABLE)
    theirs = blobs.entry(changed(9, b"theirs"))

    merged = blobs.merge(base, ours, theirs)

    assert merged == Merged(entry=blobs.entry(changed(9, b"theirs", changed(1, b"ours")), EXECUTABLE))
    assert merged == blobs.merge(base, theirs, ours)


def test_a_file_that_one_side_removed_and_the_other_changed_is_a_conflict() -> None:
    blobs = Blobs()
    base, new = blobs.entry(b"base\n"), blobs.entry(b"new\n")

    assert blobs.merge(base, None, new) is None
    assert blobs.merge(base, new, None) is None


def test_a_file_that_one_side_removed_and_the_other_left_alone_is_gone() -> None:
    blobs = Blobs()
    base = blobs.entry(b"base\n")

    assert blobs.merge(base, base, None) == Merged(entry=None)
    assert blobs.merge(base, None, base) == Merged(entry=None)


def test_two_different_new_files_of_one_name_are_a_conflict() -> None:
    blobs = Blobs()

    assert blobs.merge(None, blobs.entry(b"ours\n"), blobs.entry(b"theirs\n")) is None


def test_a_link_is_never_merged_as_text() -> None:
    blobs = Blobs()
    base, ours = blobs.entry(TEXT), blobs.entry(changed(1, b"ours"))

    assert blobs.merge(base, ours, blobs.entry(changed(9, b"theirs"), LINK)) is None


def test_a_failure_of_git_is_not_taken_for_a_conflict(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "git"
    broken.write_text("#!/bin/sh\nexit 255\n")
    broken.chmod(0o755)
    monkeypatch.setattr("trueup.act.git.git_program", lambda: str(broken))

    with pytest.raises(ToolFailed):
        merge(TEXT, changed(1, b"ours"), changed(9, b"theirs"))


def test_a_file_and_a_folder_of_one_name_clash() -> None:
    assert clashing(["a"], ["a", "a/b"]) == ("a",)
    assert clashing(["a/b/c"], ["a", "a/b/c"]) == ("a/b/c",)
    assert clashing(["a", "ab/c"], ["a", "ab/c", "b"]) == ()
