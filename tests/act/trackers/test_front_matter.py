"""Lines at the top of a file are read as plain pairs, and one of them is changed without touching another byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.act.trackers import front_matter


def test_the_pairs_between_the_fences_are_read() -> None:
    assert front_matter.fields(b'---\nstate: ready\nTitle:  "A: b"\n---\nbody\n') == {"state": "ready", "title": "A: b"}


def test_a_remark_after_a_value_is_not_part_of_it() -> None:
    assert front_matter.fields(b"---\nstate: ready  # or stalled\n---\n")["state"] == "ready"
    assert front_matter.fields(b"---\ntitle: C#-code\n---\n")["title"] == "C#-code"


def test_the_first_value_of_a_key_counts_and_is_the_one_that_is_changed() -> None:
    content = b"---\nstate: ready\nstate: done\n---\n"
    assert front_matter.fields(content)["state"] == "ready"
    assert front_matter.with_field(content, "state", "stalled") == b"---\nstate: stalled\nstate: done\n---\n"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"state: ready\n",
        b"\n---\nstate: ready\n---\n",
        b"---\nstate: ready\n",
        b" ---\nstate: ready\n---\n",
        b"----\nstate: ready\n----\n",
        b"---\n  state: ready\n---\n",
        b"---\nnotes: |\n  state: ready\n---\n",
        b"---\n- state: ready\n---\n",
        b"---\n# state: ready\n---\n",
    ],
)
def test_what_only_looks_like_a_state_is_none(content: bytes) -> None:
    assert "state" not in front_matter.fields(content)


def test_a_file_without_such_lines_gets_them() -> None:
    assert front_matter.with_field(b"# A\n", "state", "ready") == b"---\nstate: ready\n---\n# A\n"


def test_a_key_is_added_changed_and_removed_in_its_place() -> None:
    content = b"---\ntitle: A\n---\ntext\n"
    added = front_matter.with_field(content, "state", "ready")
    assert added == b"---\ntitle: A\nstate: ready\n---\ntext\n"
    assert front_matter.with_field(added, "state", None) == content
    assert front_matter.with_field(b"text\n", "state", None) == b"text\n"


def test_a_byte_order_mark_and_windows_line_ends_stay() -> None:
    content = b"\xef\xbb\xbf---\r\nstate: ready\r\n---\r\ntext\r\n"
    assert front_matter.fields(content) == {"state": "ready"}
    assert front_matter.with_field(content, "state", "done") == content.replace(b"ready", b"done")
    assert front_matter.with_comment(content, "one\ntwo").endswith(b"## Comments\r\n\r\none\r\ntwo\r\n")


def test_comments_are_added_at_the_end_and_are_no_part_of_the_text() -> None:
    content = b"---\nstate: ready\n---\n# A\n\nwhat is wanted"
    once = front_matter.with_comment(content, "first")
    twice = front_matter.with_comment(once, "second")
    assert twice.startswith(content)
    assert twice.count(b"## Comments") == 1
    assert twice.index(b"first") < twice.index(b"second")
    assert front_matter.text(twice).strip() == "# A\n\nwhat is wanted"


def test_a_heading_of_the_authors_own_hides_nothing() -> None:
    content = b"# A\n\n## Comments\n\nare missing in the code\n"
    assert "are missing in the code" in front_matter.text(content)


def test_what_is_no_text_is_read_and_kept() -> None:
    content = b"---\nstate: ready\n---\n# caf\xe9 \xff\n"
    assert front_matter.fields(content) == {"state": "ready"}
    assert front_matter.with_field(content, "state", "done").endswith(b"# caf\xe9 \xff\n")


@given(st.binary(max_size=300), st.sampled_from(["ready", "in progress", None]))
def test_everything_but_the_one_line_stays_whatever_the_file_holds(content: bytes, value: str | None) -> None:
    changed = front_matter.with_field(content, "state", value)
    assert front_matter.fields(changed).get("state") == value
    assert front_matter.text(changed) == front_matter.text(content)


@given(st.lists(st.sampled_from([b"---\n", b"state: ready\n", b"state: done\n", b"\r\n", b"x: 'y'\n", b"# A\n"])))
def test_the_same_for_what_is_nearly_such_a_file(lines: list[bytes]) -> None:
    content = b"".join(lines)
    changed = front_matter.with_field(content, "state", "stalled")
    assert front_matter.fields(changed)["state"] == "stalled"
    assert front_matter.text(changed) == front_matter.text(content)
