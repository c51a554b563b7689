"""Files that do not parse become what they were meant to be, and nothing else about them changes."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from .conftest import Proposed, failure

Propose = Callable[..., list[Proposed]]

RUSSIAN = "# Сервер принимает запросы и отвечает\nname = 'привет мир'\n"
CHINESE = '"""抓取网页"""\nNAME = "用户数据"\n'
JAPANESE = '"""これはテストです。データを取得します"""\n'
FRENCH = "# déjà vu: le café est fermé\nNOM = 'été'\n"
KOREAN = '"""안녕하세요 사용자 데이터를 가져옵니다"""\n'


@pytest.mark.parametrize(
    ("text", "codec"),
    [(CHINESE, "gbk"), (RUSSIAN, "cp1251"), (RUSSIAN, "koi8_r"), (JAPANESE, "cp932"), (JAPANESE, "euc_jp"),
     (FRENCH, "cp1252"), (KOREAN, "euc_kr")],
)  # fmt: skip
def test_a_source_in_an_old_encoding_is_saved_as_utf_8(propose: Propose, text: str, codec: str) -> None:
    assert propose({"a.py": text.encode(codec)}, failure(file="a.py")) == [{"a.py": text.encode()}]


@pytest.mark.parametrize(
    "content",
    [b"x = '\xff\xfe\xfa\x81\x8d'\n", b"# \xb9\xea\xb3\xbf\n", bytes(range(128, 256)), b"\xe9\xe9\xe9\xe9\xe8\xe8\n"],
)
def test_bytes_that_could_be_several_things_are_left_alone(propose: Propose, content: bytes) -> None:
    assert propose({"a.py": content}, failure(file="a.py")) == []


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_becomes_utf_8_with_its_line_breaks(propose: Propose, codec: str) -> None:
    text = "certifi==2024.7.4\r\nidna==3.7\r\n"
    assert propose({"requirements.txt": text.encode(codec)}, failure(check="encoding", file="requirements.txt")) == [
        {"requirements.txt": text.encode()}
    ]


def test_a_byte_order_mark_goes_and_the_rest_stays(propose: Propose) -> None:
    content = b"\xef\xbb\xbf" + '{"a": "café — menù"}\r\n'.encode()
    assert propose({"a.json": content}, failure(file="a.json"))[0] == {"a.json": content[3:]}


MANIFEST = '{\n  "name": "menü",\n  "text": "one\\ntwo café — menù"\n}\n'
PROGRAM = 'def f(x):\n\tprint("a\\tb", x)\n\treturn "café — menù"\n'


def test_an_over_escaped_package_json_is_written_out(propose: Propose) -> None:
    """Also when the quotes were escaped with it. Escapes inside of its strings stay."""
    flat = MANIFEST.replace('"one\\ntwo café — menù"', '"café — menù"').replace("\n", "\\n")
    assert propose({"package.json": flat}, failure(file="package.json")) == [
        {"package.json": MANIFEST.replace('"one\\ntwo café — menù"', '"café — menù"').encode()}
    ]
    whole = json.dumps(MANIFEST, ensure_ascii=False)[1:-1]
    assert propose({"package.json": whole}, failure(file="package.json")) == [{"package.json": MANIFEST.encode()}]
    outside = MANIFEST.replace("\n", "\\n")
    assert propose({"package.json": outside}, failure(file="package.json")) == [{"package.json": MANIFEST.encode()}]


def test_an_over_escaped_module_is_written_out(propose: Propose) -> None:
    for flat in (PROGRAM.replace("\n", "\\n").replace("\t", "\\t", 1), json.dumps(PROGRAM, ensure_ascii=False)[1:-1]):
        assert propose({"a.py": flat}, failure(file="a.py"))[0] == {"a.py": PROGRAM.encode()}


@pytest.mark.parametrize(
    ("path", "content"),
    [("a.py", 'x = "one\\ntwo"\n'), ("a.json", '{"a": "x\\ny“”"}'), ("a.py", "# <<<<<<< HEAD is what git writes\n"),
     ("a.py", 'quote = "“curly”"\n'), ("a.toml", 'a = "x\\ny"\n'), ("a.yaml", "a: 1\n"), ("a.xml", "<a>“</a>")],
)  # fmt: skip
def test_a_file_that_parses_is_never_touched(propose: Propose, path: str, content: str) -> None:
    assert propose({path: content}, failure(file=path)) == []


def test_the_fences_of_a_chat_answer_go(propose: Propose) -> None:
    assert propose({"a.py": "```python\nx = 1\n```\n"}, failure(file="a.py")) == [{"a.py": b"x = 1\n"}]


ANSWER = "Here's the updated `a.py`:\n\n```python\nx = 1\n```\n\nLet me know if anything else is needed!\n"


def test_the_sentences_around_a_chat_answer_go_with_its_fences(propose: Propose) -> None:
    assert propose({"a.py": ANSWER}, failure(file="a.py")) == [{"a.py": b"x = 1\n"}]


@pytest.mark.parametrize(
    "text",
    [
        'def f(:\n    """As in:\n\n```python\nx = 1\n```\n"""\n',
        "import os\n\n```python\nx = 1\n```\n",
        "Here is one:\n```python\nx = 1\n```\nAnd another:\n```python\ny = 1\n```\n",
        "One.\nTwo.\nThree.\nFour.\n```python\nx = 1\n```\n",
    ],
)
def test_what_stands_around_a_fence_and_may_be_more_than_a_sentence_stays(propose: Propose, text: str) -> None:
    assert propose({"a.py": text}, failure(file="a.py")) == []


def test_curly_quotes_in_the_code_of_javascript_are_straightened(propose: Propose) -> None:
    broken = "const a = ‘x’; // “so”\nconst b = `“${a}”`, c = '’'; /* ‘ */\nlog(“it's”)\n"
    fixed = "const a = 'x'; // “so”\nconst b = `“${a}”`, c = '’'; /* ‘ */\nlog(\"it's\")\n"
    assert propose({"a.js": broken}, failure(file="a.js")) == [{"a.js": fixed.encode()}]
    assert propose({"a.js": "f(\nx.replace(/[“”]/g, '')\n"}, failure(file="a.js")) == []


def test_curly_quotes_in_code_are_straightened_and_those_in_strings_stay(propose: Propose) -> None:
    broken = 'print(“it\'s”)\nquote = "“ ” — ‘"  # “so”\nother = ‘x’\n'
    fixed = 'print("it\'s")\nquote = "“ ” — ‘"  # “so”\nother = \'x\'\n'
    assert propose({"a.py": broken}, failure(file="a.py")) == [{"a.py": fixed.encode()}]


def test_spaces_that_do_not_break_become_spaces_in_code_only(propose: Propose) -> None:
    broken = "def f():\n\u00a0\u00a0\u00a0\u00a0return '\u00a0'\u200b\n"
    assert propose({"a.py": broken}, failure(file="a.py")) == [{"a.py": "def f():\n    return '\u00a0'\n".encode()}]


def test_a_stray_conflict_marker_goes(propose: Propose) -> None:
    assert propose({"a.py": "<<<<<<< HEAD\r\nx = 1\r\n"}, failure(file="a.py")) == [{"a.py": b"x = 1\r\n"}]


def test_two_sides_that_are_the_same_are_one(propose: Propose) -> None:
    broken = "<<<<<<< HEAD\nx = 1\n=======\nx = 1\n>>>>>>> b\ny = 2\n"
    assert propose({"a.py": broken}, failure(file="a.py")) == [{"a.py": b"x = 1\ny = 2\n"}]


def test_of_a_side_that_is_the_ancestor_the_other_stays(propose: Propose) -> None:
    broken = "<<<<<<< HEAD\nx = 1\n||||||| base\nx = 1\n=======\nx = 2\n>>>>>>> b\n"
    assert propose({"a.py": broken}, failure(file="a.py")) == [{"a.py": b"x = 2\n"}]


@pytest.mark.parametrize(
    "broken", ["<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> b\n", "x = 1\n=======\nx = 2\n>>>>>>> b\n"]
)
def test_nobody_chooses_between_two_sides(propose: Propose, broken: str) -> None:
    assert propose({"a.py": broken}, failure(file="a.py")) == []


def test_two_things_wrong_with_one_file_are_repaired_together(propose: Propose) -> None:
    broken = "<<<<<<< HEAD\nprint(“a”)\n"
    assert propose({"a.py": broken}, failure(file="a.py")) == [{"a.py": b'print("a")\n'}]


def test_tabs_become_spaces_only_if_every_width_means_the_same(propose: Propose) -> None:
    broken = "if x:\n    if y:\n        a = 1\n\tb = 2\n"
    assert propose({"a.py": broken}, failure(file="a.py")) == []
    clear = "if x:\n        y = 1\n\tz = 2\n"
    assert propose({"a.py": clear}, failure(file="a.py")) == [{"a.py": clear.expandtabs(8).encode()}]


@pytest.mark.parametrize(
    ("broken", "fixed"),
    [
        ('{"a": 1,}', '{"a": 1}'),
        ('{\r\n  "a": [1, 2,],\r\n}\r\n', '{\r\n  "a": [1, 2]\r\n}\r\n'),
        ('{\n  "a": "x"\n  "b": [1\n 2]\n}', '{\n  "a": "x",\n  "b": [1,\n 2]\n}'),
        ('{\n  // why\n  "a": 1, // so\n  /* and */ "b": "//no"\n}', '{\n  "a": 1,\n "b": "//no"\n}'),
        ('{"a": 1,, "b": 2}', '{"a": 1, "b": 2}'),
        ("{“a”: 1}", '{"a": 1}'),
        ("{'a': [True, None], 'b': \"it's\"}", '{"a": [true, null], "b": "it\'s"}'),
    ],
)
def test_commas_and_comments_of_json(propose: Propose, broken: str, fixed: str) -> None:
    (found,) = propose({"a.json": broken}, failure(file="a.json"))
    assert json.loads(found["a.json"] or b"") == json.loads(fixed)


@pytest.mark.parametrize("broken", ['{"a" 1}', '{"a": 1 "b": 2}', '{"a": "x}', "[1, 2", "{a: 1}", ""])
def test_json_that_could_mean_several_things_is_left_alone(propose: Propose, broken: str) -> None:
    assert propose({"a.json": broken}, failure(file="a.json")) == []


def test_a_script_gets_the_right_to_be_executed(propose: Propose) -> None:
    files = {"run.sh": "#!/bin/sh\n", "data.sh": "no script"}
    assert propose(files, failure("sh: 1: ./run.sh: Permission denied", check="tests")) == [{"run.sh": b"#!/bin/sh\n"}]
    assert propose(files, failure("sh: 1: ./data.sh: Permission denied", check="tests")) == []
    assert propose(files, failure("sh: /etc/passwd: Permission denied", check="tests")) == []


def test_text_that_was_decoded_twice_is_decoded_once(propose: Propose) -> None:
    meant = "# café — menù\nx = '日本'\n"
    twice = "".join(c if c < "\x80" else c.encode().decode("cp1252", "replace") for c in "# café menü\n")
    about = failure("mojibake", check="encoding", kind="mojibake", file="a.py")
    assert propose({"a.py": twice}, about) == [{"a.py": "# café menü\n".encode()}]
    assert propose({"a.py": meant}, about) == []


def test_a_script_ends_its_lines_as_the_system_expects_it(propose: Propose) -> None:
    about = failure("bad interpreter", check="encoding", kind="crlf", file="run.sh")
    assert propose({"run.sh": b"#!/bin/sh\r\necho x\r\n"}, about) == [{"run.sh": b"#!/bin/sh\necho x\n"}]
    assert propose({"run.sh": b"echo x\r\n"}, about) == []


def test_tabs_of_yaml_become_spaces_if_every_width_means_the_same(propose: Propose) -> None:
    assert propose({"a.yaml": "a:\n\tb: 1\n\tc: x\n"}, failure(file="a.yaml")) == [
        {"a.yaml": b"a:\n    b: 1\n    c: x\n"}
    ]
    assert propose({"a.yaml": "a:\n  b:\n    c: 1\n\td: 2\n"}, failure(file="a.yaml")) == []


def test_traditional_chinese_is_read_as_big5(propose: Propose) -> None:
    text = '"""讀取設定檔案的模組"""\nTITLE = \'資料庫連線\'\n'
    assert propose({"a.py": text.encode("big5")}, failure(file="a.py")) == [{"a.py": text.encode()}]


def test_yaml_whose_lines_were_written_as_one_is_taken_apart(propose: Propose) -> None:
    whole = 'services:\n  web:\n    image: nginx\n    ports:\n      - "80:80"\n'
    one_line = whole.replace("\n", "\\n").replace('"', '\\"')
    about = failure("over-escaped", check="encoding", kind="escaped-newlines", file="compose.yml")
    assert propose({"compose.yml": one_line}, about)[0] == {"compose.yml": whole.encode()}
    plain = "pattern: a\\nb\nother: 1\n"
    assert propose({"a.yml": plain}, failure(file="a.yml")) == []
