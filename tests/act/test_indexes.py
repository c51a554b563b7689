"""uv and pip ask the same index, and nobody prints where that is."""

from __future__ import annotations

from pathlib import Path

import pytest

from trueup.act.indexes import index_of, without_addresses
from trueup.act.refusals import explanation


def test_what_pips_files_say_uv_is_told(tmp_path: Path) -> None:
    file = tmp_path / ".config/pip/pip.conf"
    file.parent.mkdir(parents=True)
    file.write_text(
        "[global]\nindex-url = https://user:pw@a.example/simple\nextra-index-url =\n  https://b.example\n  https://c.example\n"
        "cert = /ca.pem\n[install]\nfind-links = /wheels\n"
    )
    told = index_of({"HOME": str(tmp_path)}).uv_variables()
    assert told["UV_DEFAULT_INDEX"] == "https://user:pw@a.example/simple"
    assert told["UV_INDEX"] == "https://b.example https://c.example"
    assert told["UV_INDEX_STRATEGY"] == "unsafe-best-match"
    assert told["SSL_CERT_FILE"] == "/ca.pem"
    assert "/wheels" in told["UV_FIND_LINKS"]


def test_variables_go_before_files_and_uvs_own_before_pips(tmp_path: Path) -> None:
    (tmp_path / ".pip").mkdir()
    (tmp_path / ".pip/pip.conf").write_text("[global]\nindex-url = https://file.example\n")
    env = {"HOME": str(tmp_path), "PIP_INDEX_URL": "https://variable.example"}
    assert index_of(env).uv_variables()["UV_DEFAULT_INDEX"] == "https://variable.example"
    assert index_of(env).pip_variables()["PIP_INDEX_URL"] == "https://variable.example"
    env["UV_INDEX_URL"] = "https://uv.example"
    assert "UV_DEFAULT_INDEX" not in index_of(env).uv_variables()
    assert index_of(env).uv_variables()["UV_INDEX_URL"] == "https://uv.example"


def test_the_key_tells_indexes_apart_and_says_nothing_about_them() -> None:
    one, other = (
        index_of({"PIP_INDEX_URL": url, "PIP_CONFIG_FILE": "/dev/null"}) for url in ("https://a", "https://b")
    )
    assert one.key != other.key
    assert "http" not in one.key


@pytest.mark.parametrize(
    "text", ["from https://user:pw@host.example/simple/x now", "file:///opt/mirror/simple says no"]
)
def test_no_address_is_shown(text: str) -> None:
    shown = without_addresses(text)
    assert "://" not in shown
    assert "host.example" not in shown
    assert "the package index" in shown


def test_an_explanation_is_one_line_without_ornaments() -> None:
    said = "  × No solution found when resolving dependencies:\n  ╰─▶ Because only psycopg>=3.0b1 is available and\n      you require psycopg<3\n"
    assert explanation(said).endswith("Because only psycopg>=3.0b1 is available and you require psycopg<3")
    long = "ERROR: no (from versions: " + ", ".join(f"1.{n}" for n in range(100)) + ")\nWARNING: x\n"
    assert explanation(long) == "no (from versions: … 1.95, 1.96, 1.97, 1.98, 1.99)"
