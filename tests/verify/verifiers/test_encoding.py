"""Is the text what its bytes say?"""

from __future__ import annotations

import pytest

from .conftest import Folder, told

MARK = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("path", "content", "kind"),
    [
        ("requirements.txt", "idna\n".encode("utf-16"), "utf-16"),
        ("a.py", "x = 1\n".encode("utf-16-le"), "utf-16"),
        ("a.json", '{"a": 1}'.encode("utf-32"), "utf-32"),
        ("a.py", '"""抓取网页"""\n'.encode("gbk"), "wrong-codec"),
        ("a.py", "name = 'é'\n".encode("latin-1"), "wrong-codec"),
        ("a.py", "# -*- coding: ascii -*-\nname = 'é'\n".encode("latin-1"), "wrong-codec"),
        ("a.toml", "name = 'é'\n".encode("latin-1"), "wrong-codec"),
        ("a.py", b"x = 1\0\n", "nul-bytes"),
        ("package.json", MARK + b"{}", "bom"),
        ("run.sh", MARK + b"#!/bin/sh\n", "bom"),
        ("tool.py", MARK + b"#!/usr/bin/python\n", "bom"),
        (".env", MARK + b"A=1\n", "bom"),
        ("requirements.txt", MARK + b"idna\n", "bom"),
        ("run.sh", b"#!/bin/sh\r\necho\r\n", "crlf"),
        ("package.json", b'{\\n  "a": 1,\\n  "b": 2\\n}', "escaped-newlines"),
        ("a.py", b"import os\\n\\ndef f():\\n    return os\\n", "escaped-newlines"),
        ("requirements.txt", b"flask\\nrequests\\nidna\\n", "escaped-newlines"),
        ("Dockerfile", b'FROM python\\nWORKDIR /app\\nCMD [\\"python\\"]\\n', "escaped-newlines"),
        ("a.py", "x = “a”\n".encode(), "smart-quotes"),
        ("a.json", "{“a”: 1}".encode(), "smart-quotes"),
        ("a.py", "x =\u00a01\n".encode(), "invisible-character"),
        ("a.py", "x = 'cafÃ© menÃ¹'\n".encode(), "mojibake"),
        ("a.py", b"<!DOCTYPE html>\n<html></html>\n", "html"),
        ("data.json", b"\n<html><body>404</body></html>", "html"),
        ("a.py", b"```python\nx = 1\n```\n", "fenced"),
        ("a.py", b"Here is the file:\n\n```python\nx = 1\n```\n", "fenced"),
    ],
)
def test_text_that_is_not_what_its_bytes_say_is_found(folder: Folder, path: str, content: bytes, kind: str) -> None:
    verdict = folder.write({path: content}).say("encoding")

    assert told(verdict.failures) == [(kind, path)]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a.py", "name = 'café — menù'\nquote = '“so”'\n".encode()),
        ("a.py", MARK + b"x = 1\n"),
        ("a.py", "# -*- coding: latin-1 -*-\nname = 'é'\n".encode("latin-1")),
        ("a.py", b"x = 'a\\nb\\nc\\nd'\n"),
        ("a.json", b'{"text": "a\\nb\\nc\\nd"}'),
        ("min.js", b'var a="x\\ny\\nz";var b=/[\\r\\n]+/;var c="{\\n}\\n"'),
        ("a.py", "x = 'Ångström Âge'\n".encode()),
        ("README.md", "x\n".encode("utf-16")),
        ("a.py", b"x = '<html>'\n"),
        ("tests/data/latin.py", "é".encode("latin-1")),
        ("a.c", "/* José */\n".encode("latin-1")),
        ("a.py", b""),
    ],
)
def test_text_that_is_right_is_left_alone(folder: Folder, path: str, content: bytes) -> None:
    verdict = folder.write({path: content, "ok.py": "x = 1\n"}).say("encoding")

    assert verdict.failures == ()


def test_the_message_says_what_python_says(folder: Folder) -> None:
    [failure] = folder.write({"a.py": "# x\nname = 'é'\n".encode("latin-1")}).say("encoding").failures

    assert failure.message.startswith("'utf-8' codec can't decode byte 0xe9 in position 12")
    assert failure.line == 2


def test_mojibake_that_may_be_meant_is_advice(folder: Folder) -> None:
    verdict = folder.write({"a.py": "bad, good = 'Ã©', 'é'\n"}).say("encoding")

    assert verdict.failures == ()
    assert told(verdict.advice) == [("mojibake", "a.py")]
