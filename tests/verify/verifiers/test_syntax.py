"""Does every source file parse?"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from .conftest import Folder, told

CONFLICT = "<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> other\n"


@pytest.mark.parametrize(
    ("path", "content", "kind"),
    [
        ("a.py", "def f(:\n    pass\n", "SyntaxError"),
        ("a.py", "if 1:\nx = 1\n", "IndentationError"),
        ("package.json", '{"a": 1,}\n', "JSONDecodeError"),
        ("package.json", '{"a": 1\n "b": 2}\n', "JSONDecodeError"),
        ("pyproject.toml", "[project\n", "TOMLDecodeError"),
        ("ci.yml", "a: [1, 2\nb: 3\n", "YAMLError"),
        ("page.xml", "<a><b></a>", "XMLError"),
        ("a.sh", "#!/bin/bash\nif true; then\n", "SyntaxError"),
        ("a.py", CONFLICT, "merge-conflict"),
        ("Dockerfile", f"FROM x\n{CONFLICT}", "merge-conflict"),
        ("requirements.txt", f"idna\n{CONFLICT}", "merge-conflict"),
        ("package.json", "{\n<<<<<<< HEAD\n}\n", "merge-conflict"),
    ],
)
def test_a_file_that_does_not_parse_is_found_and_named(folder: Folder, path: str, content: str, kind: str) -> None:
    verdict = folder.write({path: content, "ok.py": "x = 1\n"}).say("syntax")

    assert told(verdict.failures) == [(kind, path)]
    assert verdict.failures[0].line


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
def test_javascript_is_read_by_node_and_not_run(folder: Folder) -> None:
    verdict = folder.write(
        {
            "module.js": "import x from 'y';\nexport const a = await x();\n",
            "script.js": "const fs = require('fs');\nfs.writeFileSync('/tmp/never', '');\nreturn 1;\n",
            "strict.cjs": "import x from 'y';\n",
            "broken.mjs": "export const a = {;\n",
            "markup.js": "import React from 'react';\nexport default () => <div/>;\n",
            "template.js": "var a = {{ value }};\nvar b = {% if x %};\n",
        }
    ).say("syntax")

    assert told(verdict.failures) == [("SyntaxError", "broken.mjs"), ("SyntaxError", "strict.cjs")]
    assert [f.line for f in verdict.failures if f.file == "strict.cjs"] == [1]
    assert not Path("/tmp/never").exists()


def test_of_an_invalid_token_in_javascript_it_is_said_which(folder: Folder) -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed on this machine")
    folder.write({"a.js": "const a = ‘x’;\n", "b.js": "const a = '“' +;\n"})
    said = {failure.file: failure.message for failure in folder.say("syntax").failures}
    assert said["a.js"].endswith("typographic quotes ‘ ’")
    assert "typographic" not in said["b.js"]


@pytest.mark.parametrize("tool", ["gofmt", "php", "ruby"])
def test_other_languages_are_read_by_their_own_tool_where_it_is_there(folder: Folder, tool: str) -> None:
    """A stand-in that answers as the tool does: what matters here is how it is asked, and how its words are read."""
    said = {
        "gofmt": "echo \"$3:2:5: expected ';', found x\"; exit 2",
        "php": 'echo "PHP Parse error:  syntax error, unexpected end of file in $5 on line 2"; exit 255',
        "ruby": 'echo "$3:2: syntax error, unexpected end-of-input"; exit 1',
    }[tool]
    suffix = {"gofmt": "go", "php": "php", "ruby": "rb"}[tool]
    programs = folder.root.parent / "bin"
    programs.mkdir()
    (programs / tool).write_text(f"#!/bin/sh\n{said}\n")
    (programs / tool).chmod(0o755)
    folder.write({f"a.{suffix}": "x\ny\n"})
    from dataclasses import replace

    from trueup.verify.verifiers.running import verify_tree

    workshop = folder.workshop()
    workshop = replace(workshop, env={**workshop.env, "PATH": f"{programs}:{os.environ['PATH']}"})
    verdict = verify_tree(folder.files(), ["syntax"], workshop)["syntax"]

    assert told(verdict.failures) == [("SyntaxError", f"a.{suffix}")]
    assert verdict.failures[0].line == 2


REAL = {
    "gofmt": ("go", "package a\n\nfunc f() int { return 1 }\n", "package a\n\nfunc f( {\n"),
    "php": ("php", "<?php\nfunction f() { return 1; }\n", "<?php\n\nfunction f( { return 1; }\n"),
    "ruby": ("rb", "def f\n  1\nend\n", "x = 1\n\ndef f(\n  1\nend\n"),
}
"""Tool -> suffix, a file that parses, one that does not, on its third line or later."""


@pytest.mark.parametrize("tool", REAL)
def test_the_real_tools_say_what_does_not_parse_and_run_nothing(folder: Folder, tool: str) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed on this machine")
    suffix, good, bad = REAL[tool]
    planted = folder.root.parent / "planted"
    acts = {"php": f"<?php file_put_contents('{planted}', 'x');\n", "rb": f"File.write('{planted}', 'x')\n"}
    folder.write({f"good.{suffix}": good, f"bad.{suffix}": bad})
    folder.write({f"acts.{suffix}": acts[suffix]} if suffix in acts else {})

    verdict = folder.say("syntax")

    assert told(verdict.failures) == [("SyntaxError", f"bad.{suffix}")]
    assert (verdict.failures[0].line or 0) >= 3
    assert not planted.exists()


def test_what_no_tool_is_there_for_is_not_judged(folder: Folder) -> None:
    from dataclasses import replace

    from trueup.verify.verifiers.running import verify_tree

    folder.write({"a.js": "const = ;\n"})
    workshop = replace(folder.workshop(), env={"PATH": str(folder.root)})
    verdict = verify_tree(folder.files(), ["syntax"], workshop)["syntax"]

    assert verdict.skipped


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("tsconfig.json", '{\n  // comments are usual here\n  "a": [1, 2,],\n}\n'),
        (".vscode/settings.json", '{ /* so they are */ "a": "//no",}'),
        ("log.json", '{"a": 1}\n{"a": 2}\n'),
        ("template.yaml", "Resources: !Ref x\nb: !Sub 'y'\n---\nc: 1\n"),
        ("chart/templates/a.yaml", "a: {{ .Values.x }}\n{{- if .y }}\nb: {{ .z\n"),
        ("play.yml", "- name: x\n  when: {{ y }}: {% if z %}\n"),
        ("a.svg", '<!DOCTYPE svg [<!ENTITY x "y">]><svg>&x;</svg>'),
        ("README.md", f"How a conflict looks:\n\n```\n{CONFLICT}```\n"),
        ("README.rst", "Heading\n=======\n\ntext\n"),
        ("strings.py", f'TEXT = """\n{CONFLICT}"""\n'),
        ("tests/data/broken.py", "def f(:\n"),
        ("docs/bad.json", "{"),
        ("a.sh", "#!/bin/bash\nshopt -s extglob\nrm !(a)\n"),
        ("a.fish.sh", "#!/usr/bin/env fish\nif true\nend\n"),
    ],
)
def test_what_only_looks_broken_is_left_alone(folder: Folder, path: str, content: str) -> None:
    verdict = folder.write({path: content, "ok.py": "x = 1\n"}).say("syntax")

    assert verdict.failures == ()


def test_syntax_of_a_later_python_than_ours_is_not_judged_here(folder: Folder) -> None:
    later = f">={sys.version_info[0]}.{sys.version_info[1] + 1}"
    folder.write(
        {"pyproject.toml": f'[project]\nname = "x"\nrequires-python = "{later}"\n', "a.py": "new syntax here\n"}
    )

    verdict = folder.say("syntax")

    assert verdict.failures == ()
    assert told(verdict.advice) == [("SyntaxError", "a.py")]


def test_python_2_in_a_package_that_speaks_of_it_is_not_judged(folder: Folder) -> None:
    setup = "from setuptools import setup\nsetup(classifiers=['Programming Language :: Python :: 2'])\n"

    assert folder.write({"setup.py": setup, "a.py": "print 'x'\n"}).say("syntax").failures == ()
    assert told(folder.write({"setup.py": ""}).say("syntax").failures) == [("SyntaxError", "a.py")]


def test_a_folder_without_source_is_skipped(folder: Folder) -> None:
    assert folder.write({"picture.png": b"\x89PNG"}).say("syntax").skipped == "no file that a parser knows"


# --- hostile content -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("deep.py", b"(" * 100_000),
        ("deep.json", b"[" * 100_000),
        ("deep.toml", b"a = " + b"[" * 100_000),
        ("deep.yaml", b"[" * 20_000),
        ("number.json", b"1" * 100_000),
        ("long.py", b"x = '" + b"a" * 3_000_000 + b"'\n"),
        ("nul.py", b"x = 1\0\n"),
        (
            "laugh.yaml",
            b"a: &a [x, x]\n" + b"".join(b"%c: &%c [*%c, *%c]\n" % (c + 1, c + 1, c, c) for c in b"abcdefghijk"),
        ),
        (
            "laugh.xml",
            b"<!DOCTYPE l [<!ENTITY a0 'x'>"
            + b"".join(b"<!ENTITY a%d '%s'>" % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 20))
            + b"]><l>&a19;</l>",
        ),
        ("out.xml", b"<!DOCTYPE l SYSTEM 'file:///etc/passwd' [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><l>&x;</l>"),
    ],
)
def test_hostile_content_neither_crashes_nor_hangs(folder: Folder, path: str, content: bytes) -> None:
    verdict = folder.write({path: content, "ok.py": "x = 1\n"}).ask("syntax", "encoding", "imports", "coherence")

    assert [name for name, one in verdict.items() if one.error] == []


def test_links_pipes_large_files_and_odd_names_are_passed_over(folder: Folder) -> None:
    (folder.root / "secret.py").symlink_to("/etc/passwd")
    os.mkfifo(folder.root / "pipe.py")
    with (folder.root / "large.py").open("wb") as file:
        file.truncate(100_000_000)
    folder.write({"-rf.sh": "#!/bin/bash\nif\n", "a\nb.py": "x = (\n", "ü ö.json": "{", "ok.py": "x = 1\n"})
    (folder.root / os.fsdecode(b"\xff.py")).write_text("x = 1\n")

    verdicts = folder.ask("syntax", "encoding", "imports", "coherence")

    assert [name for name, one in verdicts.items() if one.error] == []
    assert told(verdicts["syntax"].failures) == [
        ("JSONDecodeError", "ü ö.json"),
        ("SyntaxError", "-rf.sh"),
        ("SyntaxError", "a\nb.py"),
    ]
