"""Which parts of an output vary without meaning?

Two texts that differ only in colours, times, addresses, temporary paths, line numbers and the like become the
same text. Values, names, status codes, exception classes and error codes stay as they are. Every pattern is
anchored or bounded, so the time is linear in the text, whatever it holds.
"""

from __future__ import annotations

import re

from trueup.evidence.patterns import Pattern, Replacement

SOURCE_EXTENSIONS = (
    "bash|cc|cjs|cpp|cs|css|cts|cxx|c|dart|erl|exs|ex|go|hh|hpp|hs|html|h|ini|java|json|jsx|js|jl|kts|kt|lua|md|mjs|"
    "mm|mts|m|php|pl|proto|pyi|pyx|py|rb|rs|scala|scss|sh|sql|svelte|swift|toml|tsx|ts|txt|vue|xml|yaml|yml|zig"
)
"""Endings after which `:12` is a line number and not, say, a port or a status code. Longer ones first."""

_RARER = (
    "ac|adb|adoc|ads|am|asm|astro|awk|bib|bicep|bzl|cabal|cfg|cl|clj|cljs|cmake|coffee|conf|cr|cue|cu|desktop|d|ejs|elm|"
    "el|erb|f90|f95|fbs|feature|fsi|fs|f|gd|gemspec|gleam|gradle|graphql|groovy|haml|hbs|hcl|hrl|hxx|htm|in|inc|ipp|"
    "j2|jinja|jq|jsonc|jsonnet|kdl|lean|less|lisp|lock|l|mdx|mk|mli|ml|mll|mly|mustache|m4|nim|nix|nomad|ods|org|pas|"
    "pcss|po|postcss|pp|prisma|properties|ps1|pug|purs|pxd|qml|rake|rego|res|rkt|robot|rst|r|R|sass|scd|scm|service|"
    "slim|sol|spec|ss|styl|sty|svh|sv|swig|S|s|tcl|tex|tfvars|tf|thrift|tpl|twig|ui|vala|vb|vhdl|vhd|v|wat|wgsl|xhtml|"
    "xsd|xsl|xslt|yang|y|zone|zsh"
)
_WITHOUT_LINES = "a|bin|dll|dylib|env|exe|gz|jar|log|o|pem|pid|so|sock|sqlite|war|whl|zip"
SOURCE_ENDINGS = frozenset((*SOURCE_EXTENSIONS.split("|"), *_RARER.split("|")))
"""Also those that need not be in a pattern, where each one costs."""
_FILE_ENDINGS = SOURCE_ENDINGS.union(_WITHOUT_LINES.split("|"))

_ANSI = Pattern(
    r"\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]"  # colours, cursor
    r"|\x1b[\]_P^X][^\x07\x1b\n]{0,2048}(?:\x07|\x1b\\)"  # titles, hyperlinks, messages to a program
    r"|\x1b[()*+][0-9A-Z]"  # character sets: part of what `tput sgr0` sends
    r"|\x1b[@-Z\\^_a-z=>78]"
    r"|\x9b[0-?]{0,64}[ -/]{0,8}[@-~]"
)

_NEUTRAL = dict.fromkeys([*range(9), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F], "\ufffd")
_CONTROL = bytes([*_NEUTRAL, 0x0D])
# Characters that a terminal acts upon or that hide text (C0, C1, bidirectional and zero-width marks).
_HIDING = (0x061C, 0x200B, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2060, 0x206A), 0xFEFF)
_ACTING = frozenset(map(chr, (*_NEUTRAL, *range(0x80, 0xA0), *_HIDING)))

_PATH_CHARACTER = r"[^\s/:'\"()<>,;|*?\[\]{}`=]"
_ROOTS = r"builds|etc|github|home|mnt|nix|opt|private|root|srv|tmp|Users|usr|var|Volumes|workspaces?|__w"
"""Where files live; other absolute paths may be routes of a web service, and routes are values."""
_CLOCK = r"\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?"
_NUMBER = r"\d{1,12}(?:\.\d{1,12})?"
_UNIT = r"(?:ns|us|µs|μs|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)"
_ENDING = Pattern(r"\.(\w{1,12})(?!\w)")
_RANDOM_NAME = Pattern(r"tmp[A-Za-z0-9_]{6,12}|pytest-\d+|[A-Za-z]{1,16}[-_.][A-Za-z0-9]{6,12}|[0-9a-f]{8,64}")

Rule = tuple[tuple[str, ...], Pattern, Replacement]
# Whether a compiler quotes with ‘’ or with '' depends on the language settings.
_QUOTES = str.maketrans("‘’“”", "''\"\"")


def strip_ansi(text: str) -> str:
    return _ANSI.sub("", text) if "\x1b" in text or "\x9b" in text else text


def neutralise(text: str) -> str:
    """Plain lines: no escape sequences, one kind of line end, nothing that a terminal would act upon."""
    if _is_neutral(text):
        return text
    text = strip_ansi(text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():  # by far the slower way for everything else
        return text.translate(_NEUTRAL)
    for acting in _ACTING.intersection(text):
        text = text.replace(acting, "\ufffd")
    return text


def _is_neutral(text: str) -> bool:
    """The usual case, and quick to tell. Whatever acts upon a terminal is not printable."""
    if text.isascii():
        return len(text.encode("ascii").translate(None, _CONTROL)) == len(text)
    return text.replace("\n", "").isprintable()


def strip_prefixes(text: str) -> str:
    """Without what a CI log or a parallel runner writes before each line."""
    if "Z" in text and _STAMP_END.search(text):
        text = _LOG_PREFIX.sub("\n", f"\n{text}")[1:]
    return _WORKER_BANNER.sub("", _WORKER_PREFIX.sub("", text)) if "[gw" in text else text


def normalize(text: str) -> str:
    text = strip_prefixes(neutralise(text))
    if not text.isascii():
        text = text.translate(_QUOTES)
    lowered = text.lower()
    for needs, pattern, replacement in _RULES if _DIGIT.search(text) else _WITHOUT_DIGITS:
        for need in needs:  # a plain loop: this is what most of the time goes into
            if need in lowered:
                text = pattern.sub(replacement, text)
                break
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def _path_tail(match: re.Match[str]) -> str:
    """The last component, unless it is itself a temporary folder's name."""
    parts = match.group().replace("\\", "/").rstrip("/").split("/")
    temporary = any(p in {"tmp", "temp", "Temp", "folders"} for p in parts[:-1])
    return "<tmp>" if temporary and _RANDOM_NAME.fullmatch(parts[-1]) else parts[-1]


def _source_tail(match: re.Match[str]) -> str:
    """Below a folder that may be anything: only what ends as a source file does is a path."""
    endings = (one[1] for one in _ENDING.finditer(match[0].rpartition("/")[2]))
    return match[0] if _FILE_ENDINGS.isdisjoint(endings) else _path_tail(match)


def _without_line(match: re.Match[str]) -> str:
    """Sixty endings in a pattern take long to compile."""
    return f".{match[1]}" if match[1] in SOURCE_ENDINGS else match[0]


def _rule(pattern: str, replacement: Replacement, flags: int = 0, *, needs: tuple[str, ...] = ("",)) -> Rule:
    """One of `needs` (small letters) is in everything that the pattern matches: looking for it first is cheaper."""
    return needs, Pattern(pattern, flags), replacement


_STAMP_END = Pattern(r"Z(?<=\dZ)")  # begins with a letter: that is found quickly
# They begin with a sign and not with the beginning of a line: trying that everywhere costs many times as much.
# GitLab tells the stream behind the time: `… 01O `.
_LOG_PREFIX = Pattern(r"\n\ufeff?\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z ?(?:\d\d[OE][ +])?")
_WORKER_PREFIX = Pattern(
    r"\[gw(?<=^\[gw)\d{1,4}\](?: \[ {0,2}\d{1,3}%\])? (?=PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)", re.MULTILINE
)
_WORKER_BANNER = Pattern(r"\[gw(?<=^\[gw)\d{1,4}\] \S{1,16} -- Python [^\n]{0,400}$\n?", re.MULTILINE)

_RULES: tuple[Rule, ...] = (
    # the terminal's width
    _rule(r"([=_~*#─━═―-])\1{3,}", r"\1\1\1\1", needs=tuple(4 * mark for mark in "=_~*#─━═―-")),
    _rule(r"(?:[_-] ){4,}", "_ ", needs=(" ",)),
    # times
    _rule(rf"\d{{4}}-\d{{2}}-\d{{2}}[T ]{_CLOCK}(?: ?(?:Z|UTC|GMT|[+-]\d{{2}}:?\d{{2}}))?", "<time>", needs=("-",)),
    _rule(rf"(?<![\d:.]){_CLOCK}(?![\d:])", "<time>", needs=(":",)),
    _rule(rf"(?<=\(){_NUMBER} ?{_UNIT}(?=\))", "<duration>", needs=("(",)),
    _rule(rf"(?<![\w.])\d{{1,12}}\.\d{{1,12}} ?{_UNIT}(?!\w)", "<duration>", needs=(".",)),
    _rule(
        rf"\b(in|took|after|within|elapsed|time|duration)([:=]? {{0,8}}){_NUMBER} {{0,2}}{_UNIT}(?!\w)",
        r"\1\2<duration>",
        re.IGNORECASE,
        needs=("in", "took", "after", "elapsed", "time", "duration"),
    ),
    _rule(
        rf"\b(duration_ms:? {{1,4}}|^Time: {{1,8}}){_NUMBER}",
        r"\1<duration>",
        re.MULTILINE,
        needs=("duration_ms", "time: "),
    ),
    # places in memory and in the system
    _rule(r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b", "<uuid>", needs=("-",)),
    _rule(r"\bat 0x[0-9a-fA-F]{1,32}\b", "at <address>", needs=("0x",)),
    _rule(r"\b0x[0-9a-fA-F]{9,32}\b|\b0x[0-9a-fA-F]{5,8}(?= in )", "<address>", needs=("0x",)),
    _rule(r"(#<[^<>\n]{1,200} )[0-9a-f]{6,16}(?=…?>)", r"\1<address>", needs=("#<",)),
    _rule(r"\{[0-9A-F]{8,16}\}(?=>)", "<address>", needs=("}>",)),
    _rule(r"\bid=(['\"]?)\d{9,20}\1", "id=<address>", needs=("id=",)),
    _rule(r"(?<=\w-)[0-9a-f]{16}\b", "<hash>", needs=("-",)),
    _rule(
        r"\b(pid|tid|ppid|goroutine|process id)([ =:#]{1,3}|\()\d{1,10}\b",
        r"\1\2<n>",
        re.IGNORECASE,
        needs=("pid", "tid", "goroutine", "process id"),
    ),
    _rule(r"\b(process) \d{2,10}(?= (?:exit|die|crash|was|terminat))", r"\1 <n>", re.IGNORECASE, needs=("process",)),
    _rule(r"(?<!\S)\d{1,10}#\d{1,10}: ", "", needs=("#",)),  # process and thread, as nginx has them
    _rule(r"^==\d{1,10}==", "==<n>==", re.MULTILINE, needs=("==",)),
    _rule(r"^(thread '[^'\n]{0,400}') \(\d{1,10}\)", r"\1", re.MULTILINE, needs=("thread '",)),
    _rule(r"(localhost|\b127\.0\.0\.1|\b0\.0\.0\.0|\[?::1?\]?):\d{2,5}\b", r"\1:<port>", needs=(":",)),
    _rule(r"\bport([ =:]{1,3})\d{2,5}\b", r"port\1<port>", re.IGNORECASE, needs=("port",)),
    _rule(r"\b((?:\w{1,32}[-_ ])?seed)([ =:]{1,3})\d{1,20}\b", r"\1\2<seed>", re.IGNORECASE, needs=("seed",)),
    _rule(r'(?<=\bFile ")(?:[A-Za-z]:)?[/\\][^"\n]{1,1000}(?=")', _path_tail, needs=("file ",)),
    # paths: what is left is the same in every workspace
    _rule(rf"(?<![\w./\\:-])/(?:{_ROOTS})(?:/{_PATH_CHARACTER}{{1,255}}){{1,64}}/?", _path_tail, needs=("/",)),
    _rule(rf"(?<![\w./\\:-])(?:/{_PATH_CHARACTER}{{1,255}}){{2,64}}(?!/)", _source_tail, needs=("/",)),
    _rule(
        r"\b[A-Za-z]:\\(?:[^\s\\/:'\"<>|*?]{1,255}\\){1,64}[^\s\\/:'\"<>|*?(),;]{0,255}\.\w{1,8}",
        _path_tail,
        needs=(":\\",),
    ),
    # line numbers, outside source text
    _rule(
        r"\.([A-Za-z][a-z\d]{0,11})(?::\d{1,9}){1,2}(?:\.\d{1,9})?(?:-\d{1,9}(?:\.\d{1,9})?)?(?!\w)",
        _without_line,
        needs=(":",),
    ),
    _rule(r"\.([A-Za-z][a-z\d]{0,11})\(\d{1,9}(?:, ?\d{1,9})?\)", _without_line, needs=("(",)),
    _rule(r"(\bnode:[\w/]{1,120})(?::\d{1,9}){1,2}", r"\1", needs=("node:",)),
    _rule(
        r"\b(lines?|columns?|col)([ :]{1,2})\d{1,9}(?:-\d{1,9})?\b", r"\1\2<n>", re.IGNORECASE, needs=("line", "col")
    ),
    _rule(r"^( {0,12}>? {0,12})\d{1,7}( ?\|)", r"\1\2", re.MULTILINE, needs=("|",)),
    _rule(r"^@@ -\d{1,9}(?:,\d{1,9})? \+\d{1,9}(?:,\d{1,9})? @@", "@@", re.MULTILINE, needs=("@@",)),
    # the order in which things ran
    _rule(r"\[ {0,2}\d{1,3}%\]", "", needs=("%",)),
    _rule(r"^(\s{0,16}(?:not )?ok) \d{1,9}\b", r"\1", re.MULTILINE, needs=("ok",)),
    _rule(r"^(\s{0,16})\d{1,6}\) ", r"\1", re.MULTILINE, needs=(")",)),
    _rule(r"([\[(])\d{1,6}/\d{1,6}([\])])", r"\1\2", needs=("/",)),
)
# A rule that speaks of a digit matches nothing without one; many messages hold none.
_WITHOUT_DIGITS = tuple(rule for rule in _RULES if r"\d" not in rule[1].pattern)
_DIGIT = Pattern(r"\d")
