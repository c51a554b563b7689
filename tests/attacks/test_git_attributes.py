"""Attributes say that files are binary, have other line ends, another encoding, or are not to be looked at."""

from collections.abc import Callable

from trueup.testing import Driven, Step

ATTRIBUTES = "* text eol=crlf ident export-ignore working-tree-encoding=UTF-16 -diff merge=ours\n"


def test_bytes_in_are_bytes_out_whatever_the_attributes_say(
    attack: Callable[..., Driven], quick: tuple[str, ...]
) -> None:
    first, second = "$Id$ \u00e9\n", "$Id$\r\n\u00e9\r\n"
    plant = Step(
        writes={".gitattributes": ATTRIBUTES, "one.txt": first, "two.txt": second},
        shell=["mkdir -p .git/info && cp .gitattributes .git/info/attributes"],
    )
    result = attack(plant, {"README.md": "second\n"}, check=quick, command=True)
    (seen, _) = result.attempts
    assert seen.record.changed == (".gitattributes", "one.txt", "two.txt")
    assert result.store.read(seen.record.raw, "one.txt") == first.encode()
    assert result.store.read(seen.record.raw, "two.txt") == second.encode()
