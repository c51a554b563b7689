"""Would these tests fail if they were made to? A copy of each that must fail shows whether a pass can be believed.

The copy keeps its file, its id and all that surrounds it, so that whatever turns the known test green turns the
copy green as well, and is caught. Files are rewritten in place: use a bench that is thrown away afterwards.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal, Protocol

from trueup.act.bench import Bench
from trueup.act.process import Processes
from trueup.decide.task import with_prerequisites
from trueup.evidence.failure import Key, Sources, check_of, make_key, subject_of
from trueup.evidence.report import CheckResult, TestPlace
from trueup.verify.gate import run_checks
from trueup.verify.go_source import made_to_fail
from trueup.verify.request import GateRequest
from trueup.verify.strangers import with_strangers

Fate = Literal["as_told", "passed", "other"]
_Function = ast.FunctionDef | ast.AsyncFunctionDef

_ORDINARY = (
    "AssertionError",
    "AttributeError",
    "IndexError",
    "KeyError",
    "LookupError",
    "OSError",
    "RuntimeError",
    "TypeError",
    "ValueError",
    "ZeroDivisionError",
)
"""What tests commonly fail with, and what can be raised with one argument."""


class Files(Protocol):
    """Where the tests lie, such as a bench."""

    def read(self, path: str) -> bytes | None:
        """The file as it has to be, whatever somebody may have made of it since; None when there is none."""

    def rewrite(self, path: str, content: bytes) -> None: ...


def make_twins(
    files: Files, places: Iterable[TestPlace], nonce: str, kinds: Mapping[str, str] | None = None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Rewrite the bodies of these tests: (ids that must fail now, ids for which it is not possible).

    `kinds`: what a test, by id, failed with at the start. Its twin fails in the same way: whoever swallows the one
    swallows the other.
    """
    made: list[str] = []
    not_possible: list[str] = []
    by_file: dict[str, list[TestPlace]] = {}
    for place in (_at_home(files, place) for place in places):
        by_file.setdefault(place.file, []).append(place)
    for file, there in by_file.items():
        changed = _rewrite(files, file, there, nonce, kinds or {})
        for place in there:
            (made if place.id in changed else not_possible).append(place.id)
    return tuple(made), tuple(not_possible)


def error_class(kind: str) -> str:
    return kind if kind in _ORDINARY else "AssertionError"


def twin_observed(results: Iterable[CheckResult], nonce: str, keys: Iterable[Key]) -> dict[Key, Fate]:
    """`as_told`: failed, with our message. `other`: skipped, vanished, or failed in another way."""
    seen = list(results)
    told = {f.key for r in seen for f in r.failures if nonce in f.message or nonce in f.excerpt}
    passed = {key for r in seen for key in r.keys(r.passed)}
    return {key: "as_told" if key in told else "passed" if key in passed else "other" for key in keys}


def run_twin(
    *,
    bench: Bench,
    tree: str,
    request: GateRequest,
    places: Mapping[str, Iterable[TestPlace]],
    keys: Iterable[Key],
    nonce: str,
    kinds: Mapping[Key, str] | None = None,
    processes: Processes,
    sources: Sources,
) -> dict[Key, Fate]:
    """Make these tests fail on the bench, which holds `tree`, and run just them. `places` is by check.

    A key that is not in the answer could not be rewritten.
    """
    wanted = set(keys)
    chosen = {
        make_key(check, place.id): place
        for check, there in places.items()
        for place in there
        if make_key(check, place.id) in wanted
    }
    by_id = {subject_of(key): kind for key, kind in (kinds or {}).items()}
    made, _ = make_twins(bench, chosen.values(), nonce, by_id)
    twins = [key for key, place in chosen.items() if place.id in made]
    if not twins:
        return {}
    select: dict[str, tuple[str, ...]] = {}
    for key in twins:
        select[check_of(key)] = (*select.get(check_of(key), ()), subject_of(key))
    report = run_checks(
        replace(request, select=with_prerequisites(request.checks, select), every_stage=True, keep_going=True),
        bench=bench,
        tree=tree,
        processes=processes,
        sources=sources,
    )
    return dict.fromkeys(twins, "other") if report.void else twin_observed(report.results, nonce, twins)


# --- rewriting -------------------------------------------------------------------------------------------------


def _at_home(files: Files, place: TestPlace) -> TestPlace:
    """The function in the test's own file that its id names.

    A place that lies elsewhere was told by whatever wraps the test, product code perhaps. That code must not be
    made to fail in the test's stead: it may be what keeps the test from failing.
    """
    home, _, rest = place.id.partition("::")
    if place.file == home or not rest:
        return place
    own = replace(place, file=home, line=0, name=rest.partition("[")[0].split("::")[-1])
    module = _parsed(files.read(home))
    return own if module is not None and _find(dict(_functions(module)), own) else place


def _parsed(content: bytes | None) -> ast.Module | None:
    try:
        return None if content is None else ast.parse(content)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _rewrite(files: Files, file: str, places: list[TestPlace], nonce: str, kinds: Mapping[str, str]) -> frozenset[str]:
    """The ids whose functions were found in this file and changed."""
    if file.endswith(".go"):
        return _rewrite_go(files, file, places, nonce)
    module = _parsed(files.read(file))
    if module is None:
        return frozenset()
    functions = dict(_functions(module))
    found = {place.id: _find(functions, place) for place in places}
    usable = {id_: function for id_, function in found.items() if function and not _is_generator(function)}
    for id_, function in {id(f): (i, f) for i, f in usable.items()}.values():
        _must_fail(function, nonce, error_class(kinds.get(id_, "")))
    try:
        files.rewrite(file, f"{ast.unparse(ast.fix_missing_locations(module))}\n".encode())
    except (OSError, ValueError, RecursionError):
        return frozenset()
    return frozenset(usable)


def _rewrite_go(files: Files, file: str, places: list[TestPlace], nonce: str) -> frozenset[str]:
    """`defer t.Error(nonce)` as the first thing: the test runs as it did, and fails whatever it says."""
    content = files.read(file)
    try:
        text = "" if content is None else content.decode()
        changed, made = made_to_fail(text, frozenset(place.name for place in places), nonce)
        if made:
            files.rewrite(file, changed.encode())
    except (OSError, UnicodeDecodeError):
        return frozenset()
    return frozenset(place.id for place in places if place.name in made)


def _functions(node: ast.AST, inside: tuple[str, ...] = ()) -> Iterator[tuple[_Function, tuple[str, ...]]]:
    """Every function that is no part of another one, with the classes around it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _Function):
            yield child, inside
        else:
            deeper = (*inside, child.name) if isinstance(child, ast.ClassDef) else inside
            yield from _functions(child, deeper)


def _find(functions: Mapping[_Function, tuple[str, ...]], place: TestPlace) -> _Function | None:
    """By its line; or by its classes and name, when decorators hide the line."""
    named = [f for f in functions if f.name == place.name]
    at_line = [f for f in named if place.line in {f.lineno, *(d.lineno for d in f.decorator_list)}]
    around = tuple(place.id.partition("[")[0].split("::")[1:-1])
    in_class = [f for f in named if functions[f] == around]
    best = at_line or in_class
    return best[0] if len(best) == 1 else None


def _is_generator(function: _Function) -> bool:
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, _Function | ast.Lambda | ast.ClassDef):
            pending.extend(ast.iter_child_nodes(node))
    return False


def _must_fail(function: _Function, nonce: str, error_name: str) -> None:
    """`try: <body> finally: raise SomeError(…nonce…)`, after the docstring, worded like any failed assertion.

    It does not fail where a value in it equals strangers: then the pass that it was copied from is worth nothing.
    """
    has_docstring = ast.get_docstring(function, clean=False) is not None
    docstring, body = function.body[:has_docstring], function.body[has_docstring:]
    error = ast.Name(id=error_name, ctx=ast.Load())
    message = f"assert '{nonce}' == '{nonce[::-1]}'" if error_name == "AssertionError" else nonce
    failing = ast.Raise(exc=ast.Call(func=error, args=[ast.Constant(value=message)], keywords=[]))
    asked, lied = with_strangers(body, nonce)
    last = failing if lied is None else ast.If(test=lied, body=[ast.Pass()], orelse=[failing])
    whole = ast.Try(body=asked or [ast.Pass()], handlers=[], orelse=[], finalbody=[last])
    function.body = [*docstring, whole]
