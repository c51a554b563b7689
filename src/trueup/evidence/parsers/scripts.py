"""What did a script of Ruby, PHP, Perl or a shell die of?"""

from __future__ import annotations

from collections.abc import Iterator

from trueup.evidence.normalize import SOURCE_EXTENSIONS
from trueup.evidence.parsers.found import Found, Lines
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import Frame, first_own

_PATH = rf"([^\s:()\[][^:()\n]{{0,500}}\.(?:{SOURCE_EXTENSIONS}|pm|t|phtml|zsh|ksh|awk))"
_RUBY = Pattern(rf"(?:\S{{1,200}}: )?{_PATH}:(\d{{1,9}}):in [`'‘](?:.{{1,300}}?)['’]: (.+)$")
_RUBY_CLASS = Pattern(r" \(([A-Z][\w:]{0,200})(?<=\w)\)$")
_STACK_LINES = 60
_RUBY_FROM = Pattern(rf"\s{{1,8}}(?:\d{{1,6}}: )?from {_PATH}:(\d{{1,9}}):in ")


def ruby_crash(lines: Lines) -> Iterator[Found]:
    """The error with its class, and the stack below it. Of a chain the first is the one that came through."""
    for number, line in enumerate(lines):
        match = _RUBY.match(line) if ":in " in line else None
        named = _RUBY_CLASS.search(match[3]) if match else None
        if match and named:
            stack = [m for m in map(_RUBY_FROM.match, lines[number + 1 : number + _STACK_LINES]) if m]
            places = [Frame(path=m[1], line=int(m[2]), source=None) for m in [match, *stack]]
            yield Found(
                kind=named[1].rpartition(":")[2],
                message=match[3][: named.start()],
                frame=first_own(places),
                excerpt="\n".join(lines[number : number + 1 + len(stack)]),
                span=(number,),
                test=False,
            )
            return


_PHP = Pattern(r"(?:PHP )?([\w ]{0,20}[Ee]rror|Warning): {1,2}(?:Uncaught ([\w\\]{1,200}): )?(.+)$")
_PHP_PLACE = Pattern(rf"{_PATH}(?::| on line )(\d{{1,9}})$")


def php_crash(lines: Lines) -> Iterator[Found]:
    """The uncaught exception or fatal error that ended it."""
    for number, line in enumerate(lines):
        said, _, place = line.rpartition(" in ")
        match = _PHP.match(said) if place else None
        at = _PHP_PLACE.match(place) if match else None
        if match and at and match[1] != "Warning":
            yield Found(
                kind=(match[2] or match[1]).rpartition("\\")[2],
                message=match[3],
                frame=Frame(path=at[1], line=int(at[2]), source=None),
                excerpt=line,
                span=(number,),
                test=False,
            )
            return


_PERL_PLACE = Pattern(rf"{_PATH} line (\d{{1,9}})(?:[.,;].{{0,400}})?$")
_SHELL = Pattern(rf"{_PATH}: (?:line )?(\d{{1,9}}): (.{{1,1500}})$")


def script_errors(lines: Lines) -> Iterator[Found]:
    """`text at cart.pl line 3.` and `run.sh: line 3: text`."""
    seen: set[tuple[str, str]] = set()
    for number, line in enumerate(lines):
        path, at, said = _scripts_place(line)
        if path and (path, said) not in seen:
            seen.add((path, said))
            yield Found(
                owner=path,
                kind="error",
                message=said,
                frame=Frame(path=path, line=at, source=None),
                excerpt=line,
                span=(number,),
                test=False,
            )


def _scripts_place(line: str) -> tuple[str, int, str]:
    """The path is empty when the line names none."""
    said, _, place = line.rpartition(" at ")
    perl = _PERL_PLACE.match(place) if said and " line " in place else None
    if perl:
        return perl[1], int(perl[2]), said
    shell = _SHELL.match(line) if ": " in line else None
    return (shell[1], int(shell[2]), shell[3]) if shell else ("", 0, "")
