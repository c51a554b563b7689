"""A pattern is compiled when it is first asked, and answers as if it had been compiled at once."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pkgutil import iter_modules

import pytest

from trueup.evidence import parsers
from trueup.evidence.patterns import Pattern


@pytest.mark.parametrize("question", ["match", "fullmatch", "search"])
def test_the_first_answer_and_the_next_are_those_of_a_compiled_pattern(question: str) -> None:
    lazy, compiled = Pattern(r"b(\d)", re.IGNORECASE), re.compile(r"b(\d)", re.IGNORECASE)
    for text in ("B1", "aB2", "B3c", "nothing"):
        expected = getattr(compiled, question)(text)
        answer = getattr(lazy, question)(text)
        assert (answer and answer.groups()) == (expected and expected.groups())


def test_it_finds_and_replaces_everything_as_a_compiled_pattern_does() -> None:
    lazy = Pattern(r"\d")
    assert [match[0] for match in lazy.finditer("a1b2")] == ["1", "2"]
    assert lazy.sub("n", "a1b2") == "anbn"
    assert lazy.subn(lambda match: f"<{match[0]}>", "a1b2") == ("a<1>b<2>", 2)


def test_what_a_pattern_cannot_be_asked_is_an_error() -> None:
    with pytest.raises(AttributeError, match="guess"):
        _ = Pattern("a").guess


def test_nothing_is_compiled_before_it_is_asked() -> None:
    assert Pattern("(").pattern == "("
    with pytest.raises(re.error):
        Pattern("(").match("")


def test_every_pattern_of_every_parser_can_be_compiled() -> None:
    for found in iter_modules(parsers.__path__, f"{parsers.__name__}."):
        import_module(found.name)
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("trueup.evidence")]
    patterns = [value for module in modules for value in vars(module).values() if isinstance(value, Pattern)]
    assert len(patterns) > 100
    for pattern in patterns:
        assert re.compile(pattern.pattern, pattern.flags)
