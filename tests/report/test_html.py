"""The page that can be mailed: self-contained, without scripts, everything escaped."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from trueup.decide.outcome import Status
from trueup.decide.state import Class
from trueup.report.events import RunEnded
from trueup.report.html import report_html

ATTACK = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&\x1b[31m"


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, attrs))

    def handle_data(self, data: str) -> None:
        self.words += data


def page(story: Any, failure: Any, header: Any, **more: Any) -> Tags:
    evil = failure(f"t.py::test[{ATTACK}]", ATTACK, kind=ATTACK, excerpt=ATTACK)
    told = story(text=ATTACK).start(evil).attempt(Class.STUCK, evil, changed=(ATTACK,))
    ended = RunEnded(outcome=told.ends(Status.STUCK, "ladder", ATTACK), branch=ATTACK)
    text = report_html(header(project=ATTACK, run="7f3a"), told.state, ended, **more)
    tags = Tags()
    tags.feed(text)
    return tags


def test_everything_from_outside_is_escaped(story: Any, failure: Any, header: Any) -> None:
    tags = page(story, failure, header)
    assert {tag for tag, _ in tags.seen} == {
        *("html", "head", "meta", "title", "style", "body", "h1", "span", "section", "h2", "pre", "details", "summary")
    }
    assert "<script>alert(1)</script>" in tags.words
    assert "\x1b" not in tags.words


def test_nothing_may_run_or_be_loaded(story: Any, failure: Any, header: Any) -> None:
    tags = page(story, failure, header)
    policy = [dict(attrs) for tag, attrs in tags.seen if tag == "meta" and "http-equiv" in dict(attrs)]
    assert policy[0]["content"] is not None
    assert "default-src 'none'" in policy[0]["content"]
    names = {name for _, attrs in tags.seen for name, _ in attrs}
    assert not any(re.match(r"on|src$|href$", name) for name in names)


def test_the_page_says_what_the_screen_says(story: Any, failure: Any, header: Any) -> None:
    words = page(story, failure, header).words
    for part in ("stuck", "run 7f3a", "140 tests, 1 fails", "1 → 1 failing", "limits   $2.00"):
        assert part in words


def test_secrets_are_redacted_before_they_are_escaped(story: Any, failure: Any, header: Any) -> None:
    words = page(story, failure, header, redact=lambda t: t.replace("<script>alert(1)</script>", "[redacted]")).words
    assert "alert(1)" not in words
