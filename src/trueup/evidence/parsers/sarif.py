"""Which complaints does a SARIF report hold?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from trueup.evidence.parsers.found import Found
from trueup.evidence.places import Frame


def sarif(text: str) -> list[Found] | None:
    """Errors; warnings only when there is nothing worse. None when it is no SARIF."""
    try:
        document = _dict(json.loads(text))
    except (ValueError, RecursionError):
        return None
    if not isinstance(document.get("runs"), list):
        return None
    results = list(_results(document))
    errors = [r for r in results if _word(r.get("level"), "warning") == "error"]
    remarks = {"none", "note"}
    return [_found(r) for r in errors or results if _word(r.get("level"), "warning") not in remarks]


def _results(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for run in _list(document["runs"]):
        for result in _list(_dict(run).get("results")):
            if isinstance(result, dict) and not _list(result.get("suppressions")):
                yield result


def _found(result: dict[str, Any]) -> Found:
    from urllib.parse import unquote  # costs as much as half of this package

    place = _dict(_dict(next(iter(_list(result.get("locations"))), None)).get("physicalLocation"))
    path = unquote(_word(_dict(place.get("artifactLocation")).get("uri"), ""))
    region = _dict(place.get("region"))
    line = region.get("startLine")
    source = _dict(region.get("snippet")).get("text")
    rule = _word(result.get("ruleId"), "")
    return Found(
        owner=path,
        name=rule,
        glue=" ",
        kind=rule or _word(result.get("level"), "warning"),
        message=_word(_dict(result.get("message")).get("text"), ""),
        frame=Frame(
            path=path,
            line=line if isinstance(line, int) else 0,
            source=source.strip() if isinstance(source, str) else None,
        )
        if path
        else None,
        test=False,
    )


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _word(value: object, otherwise: str) -> str:
    return value if isinstance(value, str) else otherwise
