"""A secret does not get through, in whatever form."""

from __future__ import annotations

import base64
import json
import time
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.evidence.redact import MARK, Redactor

SECRET = "p@ss/w0rd+with spaces"

PATTERNS = {
    "openai": "sk-" + "proj-Ab3dEf6hIj9kLmN0pQr5",
    "anthropic": "sk-" + "ant-api03-AAAAbbbbCCCC1111",
    "stripe": "sk_" + "live_abcdefghij0123456789",
    "github": "ghp" + "_0123456789abcdefghij0123456789abcdef",
    "github oauth": "gho" + "_0123456789abcdefghij0123456789abcdef",
    "github fine-grained": "github" + "_pat_11ABCDE_0123456789abcdef",
    "aws": "AKIA" + "IOSFODNN7EXAMPLE",
    "slack": "xoxb" + "-123456789012-abcdefGHIJ",
    "google": "AIza" + "SyA0123456789abcdefghijklmnopqrstuv",
    "gitlab": "glpat" + "-0123456789abcdefghij",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N",
}


@pytest.mark.parametrize("secret", PATTERNS.values(), ids=PATTERNS)
@pytest.mark.parametrize("around", ["{}", "key={} ok", '{{"key": "{}"}}', "line\n{}\nline"])
def test_what_looks_like_a_secret_is_redacted(secret: str, around: str) -> None:
    redacted = Redactor().redact(around.format(secret))
    assert redacted == around.format(MARK)


def encodings(secret: str) -> dict[str, str]:
    raw = secret.encode()
    return {
        "plain": secret,
        "json": json.dumps(secret),
        "url": quote(secret, safe=""),
        "url path": quote(secret),
        "url form": quote_plus(secret),
        "url lower case": quote(secret, safe="").replace("%2F", "%2f").replace("%2B", "%2b"),
        "base64": base64.b64encode(raw).decode(),
        "base64 one later": base64.b64encode(b"u" + raw).decode(),
        "base64 two later": base64.b64encode(b"u:" + raw).decode(),
        "base64 inside": base64.b64encode(b"user:" + raw + b"\n and more").decode(),
        "base64 url": base64.urlsafe_b64encode(b"??" + raw).decode(),
        "hex": raw.hex(),
        "hex in capitals": raw.hex().upper(),
    }


@pytest.mark.parametrize("form", encodings(SECRET).values(), ids=encodings(SECRET))
def test_a_known_value_is_redacted_in_every_form(form: str) -> None:
    redacted = Redactor([SECRET]).redact(f"before {form} after")
    assert form not in redacted
    assert MARK in redacted
    assert redacted.startswith("before ")
    assert redacted.endswith(" after")


@given(st.text(min_size=12, max_size=40).map(str.strip).filter(lambda s: len(s) >= 9), st.binary(max_size=7))
def test_no_alignment_of_base64_lets_a_value_through(secret: str, before: bytes) -> None:
    raw = secret.encode("utf-8", "surrogatepass")
    encoded = base64.b64encode(before + raw + b"tail").decode()
    assert MARK in Redactor([secret]).redact(encoded)


def test_passwords_in_urls_are_redacted_and_the_rest_stays() -> None:
    text = "postgres://shop:hunter2@db.internal:5432/shop and redis://:pw@cache/0"
    assert Redactor().redact(text) == f"postgres://shop:{MARK}@db.internal:5432/shop and redis://:{MARK}@cache/0"


def test_a_password_with_an_at_sign_goes_completely() -> None:
    assert Redactor().redact("https://me:p@ss@host/x") == f"https://me:{MARK}@host/x"


def test_authorization_headers_are_redacted() -> None:
    assert Redactor().redact("Authorization: Bearer abc.def") == f"Authorization: Bearer {MARK}"
    assert Redactor().redact('"authorization": "Basic dXNlcjpwdw=="') == f'"authorization": "Basic {MARK}"'


def test_private_keys_are_redacted_also_when_cut_off() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC+/=\n-----END RSA PRIVATE KEY-----"
    assert Redactor().redact(f"a\n{key}\nb") == f"a\n{MARK}\nb"
    assert "MIIEow" not in Redactor().redact(key[:45])
    assert Redactor().redact(json.dumps(key)) == f'"{MARK}"'


def test_each_long_line_of_a_known_value_is_redacted() -> None:
    value = "first line of the secret\nsecond line of the secret"
    assert "second line" not in Redactor([value]).redact("> second line of the secret <")


@pytest.mark.parametrize(
    "text",
    [
        "the task-list is risk-free",
        "assert token == 'abc'",
        "http://localhost:8080/a@b",
        "git@github.com:shop/shop.git and ssh://git@github.com/shop",
        "mail ada@example.com: hello",
        "a sk-1 skill",
        "eyJ is how they start",
        "true",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert Redactor(["", "x", "true", "secret"]).redact(text) == text


def test_a_longer_value_is_not_cut_up_by_a_shorter_one() -> None:
    assert Redactor(["hunter2", "hunter2-and-more"]).redact("hunter2-and-more") == MARK


@given(st.text())
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    redactor = Redactor(["hunter22"])
    once = redactor.redact(f"{text} https://u:{text}@h hunter22")
    assert "hunter22" not in once
    assert redactor.redact(once) == once


HOSTILE = [
    "://:",
    "eyJ",
    "eyJaaaaa.",
    "-----BEGIN PRIVATE KEY-----",
    "sk-",
    "Authorization: ",
    "Bearer ",
    "AKIA",
    "@",
    "a",
    "-",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_repetition_takes_linear_time(piece: str) -> None:
    text = piece * (60_000 // len(piece))
    started = time.process_time()
    Redactor([SECRET]).redact(text)
    assert time.process_time() - started < 10


def test_a_short_value_is_blotted_out_but_not_searched_for_in_other_encodings() -> None:
    assert Redactor(["k3y9z"]).redact("k3y9z and azN5OXo=") == f"{MARK} and azN5OXo="


def test_a_long_value_is_found_in_base64_that_is_broken_into_lines() -> None:
    value = "-".join(f"part{number}" for number in range(30))
    redacted = Redactor([value]).redact(f"it is\n{base64.encodebytes(b'key=' + value.encode()).decode()}so")
    assert redacted.startswith("it is\n")
    assert redacted.endswith("\nso")
    assert redacted.count("\n") == 2
    assert len(redacted) < 40


KEY = "ghp" + "_0123456789abcdefghij0123456789abcdef"


@pytest.mark.parametrize("form", encodings(SECRET).values(), ids=encodings(SECRET))
def test_a_known_value_is_named_in_every_form(form: str) -> None:
    assert Redactor([SECRET]).secrets_in(f"before {form} after")


def test_access_keys_are_named_and_stand_ins_are_not() -> None:
    assert Redactor().secrets_in(f"key = {KEY}") == {KEY}
    assert not Redactor().secrets_in("ghp_xxxxxxxxxxxxxxxxxxxx and -----BEGIN PRIVATE KEY-----")
    assert not Redactor().secrets_in("postgres://shop:hunter2@db.internal/shop")


@pytest.mark.parametrize(("value", "told"), [("postgres", False), ("12345678", False), ("x7Kp-20q", True)])
def test_a_value_that_may_be_a_word_is_not_taken_for_a_secret(value: str, told: bool) -> None:
    assert bool(Redactor([value]).secrets_in(f"a {value} b")) is told
