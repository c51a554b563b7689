"""`trueup check --format`: stdout carries the format alone, and the exit code stays what it is."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

PYTEST = f"{sys.executable} -m pytest -q"
FAILS = "echo 'shop/cart.py:12:5: E501 line too long (130 > 120)'; exit 1"


def test_junit_lists_every_test_of_a_real_run(empty: Any, cli: Any) -> None:
    said = cli(empty, "check", "--check", PYTEST, "--format", "junit")
    assert said.code == 1
    (suite,) = ET.fromstring(said.raw)
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors"), suite.get("skipped")) == (
        "8",
        "2",
        "0",
        "0",
    )
    names = {case.get("name") for case in suite.iter("testcase") if case.find("failure") is None}
    assert len(names) == 6
    assert next(case.get("classname") for case in suite.iter("testcase")) == "tests.test_cart"


def test_sarif_has_a_result_with_identity_and_place(empty: Any, cli: Any) -> None:
    said = cli(empty, "check", "--check", FAILS, "--format", "sarif")
    assert said.code == 1
    (result,) = said.json["runs"][0]["results"]
    assert result["partialFingerprints"]["trueup/v1"].startswith("f1")
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 12
    listed = cli(empty, "check", "--check", FAILS, "--json").json["failures"][0]
    assert listed["fingerprint"] == result["partialFingerprints"]["trueup/v1"]


def test_a_check_that_cannot_run_is_told_in_every_format(empty: Any, cli: Any) -> None:
    for form, sign in (
        ("junit", 'errors="1"'),
        ("sarif", "toolExecutionNotifications"),
        ("github", "::error title=no-such-program could not run::"),
    ):
        said = cli(empty, "check", "--check", "no-such-program", "--format", form)
        assert said.code == 4
        assert sign in said.out


def test_github_writes_annotations_and_adds_to_the_summary_of_the_step(empty: Any, cli: Any, tmp_path: Path) -> None:
    page = tmp_path / "summary.md"
    page.write_text("before\n")
    place = replace(empty, environ={**empty.environ, "GITHUB_STEP_SUMMARY": str(page)})
    said = cli(place, "check", "--check", FAILS, "--format", "github")
    assert said.code == 1
    assert said.out.startswith("::error file=shop/cart.py,line=12,title=")
    assert all(line.startswith("::") for line in said.out.splitlines())
    assert page.read_text().startswith("before\n## trueup: failing")
    assert "### Failures" in page.read_text()
    kept = page.read_text()
    cli(place, "check", "--check", FAILS, "--format", "junit")
    assert page.read_text() == kept


def test_a_summary_that_cannot_be_written_changes_nothing_else(empty: Any, cli: Any, tmp_path: Path) -> None:
    place = replace(empty, environ={**empty.environ, "GITHUB_STEP_SUMMARY": str(tmp_path)})
    said = cli(place, "check", "--check", "true", "--format", "github")
    assert said.code == 0
    assert "summary of the step cannot be written" in said.err
    assert said.out.startswith("::notice title=trueup::passed")


def test_json_and_a_format_together_are_refused_before_anything_runs(empty: Any, cli: Any) -> None:
    said = cli(empty, "check", "--check", "true", "--json", "--format", "sarif")
    assert said.code == 2
    assert "Choose one of them" in said.err


def test_an_unknown_format_is_refused(empty: Any, cli: Any) -> None:
    said = cli(empty, "check", "--check", "true", "--format", "html")
    assert said.code == 2
    assert said.out == ""


@pytest.mark.parametrize("form", ["junit", "sarif", "github"])
def test_a_secret_of_the_environment_is_in_no_format(form: str, empty: Any, cli: Any) -> None:
    environ = {**empty.environ, "SHOP_TOKEN": "tok-1234567890"}
    said = cli(replace(empty, environ=environ), "check", "--check", "echo tok-1234567890; exit 1", "--format", form)
    assert said.code == 1
    assert "tok-1234567890" not in said.out + said.err
    assert json.dumps(said.out)


def test_the_terminal_is_what_is_shown_without_a_format(empty: Any, cli: Any) -> None:
    first = cli(empty, "check", "--check", "true")
    second = cli(empty, "check", "--check", "true", "--format", "terminal")
    assert "passed · 1 check, none fails" in first.out
    assert "passed · 1 check, none fails" in second.out
