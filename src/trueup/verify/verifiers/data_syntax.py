"""Does a JSON, TOML, YAML or XML file parse? Nothing is built from it: no tag, no entity, no alias is followed."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable

Problem = tuple[str, str, int | None]
"""Kind, message, line."""

_JSON = (".json", ".webmanifest", ".geojson", ".ipynb", ".jsonld", ".topojson", ".har", ".jsonc", ".code-workspace")
_YAML = (".yml", ".yaml")
_XML = (
    ".xml",
    ".svg",
    ".xsd",
    ".xsl",
    ".xslt",
    ".wsdl",
    ".plist",
    ".csproj",
    ".vbproj",
    ".fsproj",
    ".resx",
    ".pom",
    ".props",
)
_WITH_COMMENTS = re.compile(
    r"(?:^|/)(?:[tj]sconfig[^/]*\.json|tslint\.json|devcontainer\.json|\.eslintrc(?:\.json)?|\.jshintrc|\.babelrc(?:\.json)?"
    r"|\.swcrc|api-extractor\.json|language-configuration\.json|angular\.json|turbo\.json|nx\.json|deno\.json|biome\.json"
    r"|\.hintrc|typedoc\.json|rush\.json"
    r"|pyrightconfig\.json|renovate\.json|\.oxlintrc\.json|\.prettierrc\.json|appsettings[^/]*\.json|cspell\.json"
    r"|[^/]*\.jsonc|[^/]*\.code-workspace)$|(?:^|/)(?:\.vscode|\.devcontainer|\.cursor|\.zed)/.*\.json$"
)
_TEMPLATED = re.compile(r"(?<!\$)\{\{|\{%|<%|<\?php")
_JSON_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_JSON_COMMA = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=\s*[\]}])')
_UNKNOWN_XML_ENCODING = 18


def reader_of(path: str) -> Callable[[bytes], Problem | None] | None:
    """What reads such a file; None for other kinds."""
    name = path.rpartition("/")[2].lower()
    if name.endswith(_JSON) or _WITH_COMMENTS.search(path):
        return json_with_comments if _WITH_COMMENTS.search(path) else plain_json
    if name.endswith(".toml") or name in {"pipfile", "cargo.lock", "poetry.lock", "uv.lock", "pdm.lock"}:
        return toml
    if name.endswith(_YAML) or name in {".clang-format", ".clang-tidy", "citation.cff"}:
        return yaml_events
    return xml if name.endswith(_XML) else None


def language_of(path: str) -> str:
    """The name of that reader, "" without one: what is found out about a content depends on it."""
    reader = reader_of(path)
    return reader.__name__ if reader else ""


def is_template(text: str) -> bool:
    """Becomes such a file only when something is filled in."""
    return bool(_TEMPLATED.search(text))


def plain_json(content: bytes) -> Problem | None:
    try:
        text = content.decode("utf-8-sig")
        json.loads(text)
    except UnicodeDecodeError:
        return None  # another verifier's question
    except json.JSONDecodeError as error:
        return None if _json_lines(text) else ("JSONDecodeError", f"JSONDecodeError: {error}", error.lineno)
    except (RecursionError, ValueError):  # nested without end; a number of a million digits
        return None
    return None


def json_with_comments(content: bytes) -> Problem | None:
    """Comments and commas at the end are usual in some files."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    bare = _JSON_COMMENT.sub(lambda m: m[0] if m[0].startswith('"') else re.sub(r"[^\n]", " ", m[0]), text)
    bare = _JSON_COMMA.sub(lambda m: m[0] if m[0].startswith('"') else " ", bare)
    return plain_json(bare.encode()) if bare.strip() else None


def _json_lines(text: str) -> bool:
    """One document on each line, under the wrong name."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or not all(line.lstrip().startswith(("{", "[")) for line in lines):  # noqa: PLR2004 - a pair
        return False
    try:
        for line in lines:
            json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def toml(content: bytes) -> Problem | None:
    try:
        tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return None
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"line (\d+)", str(error))
        return "TOMLDecodeError", f"TOMLDecodeError: {error}", int(place[1]) if place else None
    except (RecursionError, ValueError):
        return None
    return None


def yaml_events(content: bytes) -> Problem | None:
    """Events alone: tags mean nothing, anchors are not followed, any number of documents is fine."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for _ in yaml.parse(content, Loader=loader):
            pass
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = ", ".join(part for part in (error.context, error.problem) if part)
        return "YAMLError", f"YAMLError: {said}", mark.line + 1 if mark else None
    except (yaml.YAMLError, UnicodeError, RecursionError, ValueError):  # what it cannot decode is another's question
        return None
    return None


def xml(content: bytes) -> Problem | None:
    """With a default handler, expat passes references to entities on instead of expanding them."""
    from xml.parsers import expat

    parser = expat.ParserCreate()
    parser.DefaultHandler = lambda _: None
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        if error.code == _UNKNOWN_XML_ENCODING:
            return None
        return "XMLError", f"XMLError: {expat.ErrorString(error.code)}", error.lineno
    except (LookupError, ValueError, UnicodeError):
        return None
    return None
