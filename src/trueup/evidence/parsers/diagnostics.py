"""What do a compiler's or a linter's lines complain about?

Read are `path:1:2: …` (gcc, clang, go, javac, mypy, ruff, flake8, pyright, eslint's unix format),
`a.ts(1,2): error TS1: …` and `a.ts:1:2 - error TS1: …` (tsc, MSVC), `path:[1,2] …` (Maven), a heading with
` --> path:1:2` below it (rustc, ruff), `path` with `1:2  error  …` below it (eslint) and
`::error file=path,line=1::…`. The subject is the file and the code, and each complaint counts: twenty of one rule in
one file are twenty failures with one key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise

from trueup.evidence.normalize import SOURCE_ENDINGS
from trueup.evidence.parsers.complaint import Complaint
from trueup.evidence.parsers.found import MORE, MOST_FAILURES, Found, Lines, before
from trueup.evidence.parsers.framed import framed_complaints, framed_forms
from trueup.evidence.parsers.marks import searchable
from trueup.evidence.patterns import Pattern
from trueup.evidence.told import Phase

_NAMED = frozenset(("Dockerfile", "Containerfile", "Makefile", "Rakefile", "Gemfile", "Jenkinsfile"))
# Whether it is a source file is looked up behind the match: sixty endings in ten patterns take long to compile.
_PATH = r"((?:[A-Za-z]:)?[^\s:()\[][^:()\n]{0,500})"
# Any other ending, where line, column and how bad it is stand beside it.
_ANY_PATH = r"((?:[A-Za-z]:)?[^\s:()\[][^:()\n]{0,500}\.[A-Za-z]\w{0,11})"
_LEAD = r"(?:\[ERROR\] |vet: )?"
# `.py:1`, `file(1`, `.c:[1`, `.o:(.`, `.js: line 1`. Two patterns, for each begins with one character: those are found
# much more quickly than one of several.
_PLACE = Pattern(r":(?=\d|\[\d|\(\.| line \d)")
_PLACE_IN_BRACKETS = Pattern(r"\((?=\d)")
_LONGEST_ENDING = 12
_ANNOTATION_MARK = Pattern(r"::(?:error|warning) ")
_COLON = Pattern(
    rf"{_LEAD}{_PATH}:(\d{{1,9}})(?:[:.](\d{{1,9}}))?(?::\d{{1,9}}:\d{{1,9}}|-\d{{1,9}}(?:\.\d{{1,9}})?)?"
    rf"(?:: | - (?=error|warning)| (?=(?:error |warning )?\[?[A-Z]{{2,8}}\d{{2,6}}[\] /])"
    r"|(?(3):(?=[A-Z]\w{0,40} )|(?!)))(.+)$"  # buf: no blank behind line and column
)
_ANY_COLON = Pattern(rf"{_LEAD}{_ANY_PATH}:(\d{{1,9}}):(\d{{1,9}}): (?=(?:fatal )?[Ee]rror|[Ww]arning)(.+)$")
_GRAVE = (": error", ": Error", ": fatal ", ": warning", ": Warning")
_COMPACT = Pattern(rf"{_PATH}: line (\d{{1,9}}), col (\d{{1,9}}), (.+?)(?: \([EWI]\d{{3}}\))?$")
_PYRIGHT = Pattern(rf" {{2,4}}{_PATH}:(\d{{1,9}}):(\d{{1,9}}) - (?=error|warning)(.+)$")
_KOTLIN = Pattern(rf"[ew]: (?:file://)?{_PATH}:(\d{{1,9}}):(\d{{1,9}}):? (.+)$")
_PAREN = Pattern(
    rf"{_LEAD}{_PATH}\((\d{{1,9}})(?:, ?(\d{{1,9}}))?(?:,\d{{1,9}}){{0,2}}\)"
    r"(?: ?: | (?=(?:Fatal|Error|Warning|Hint|Note): ))(.+)$"  # Free Pascal: no colon behind the place
)
_BRACKET = Pattern(rf"{_LEAD}{_PATH}:\[(\d{{1,9}}),(\d{{1,9}})\] (.+)$")
# codespan (`┌─ `) and the frames of newer Rust tools (`╭▸ `) point at the place as rustc's arrow does.
_ARROW = Pattern(rf"\s{{0,12}}(?:-->|┌─|╭▸) {_PATH}:(\d{{1,9}}):(\d{{1,9}})$")
_LINKER = Pattern(rf"(?:\S{{1,400}}: )?{_PATH}:\(\.[\w.+-]{{1,200}}\): (undefined reference to .+)$")
_ANNOTATION = Pattern(r"::(error|warning) ([^:\n]{0,1000}(?::(?!:)[^:\n]{0,1000}){0,4})::(.+)$")
_STYLISH = Pattern(r"\s{1,8}(\d{1,9}):(\d{1,9})\s{1,12}(error|warning|✖|⚠)\s{1,12}(.+)$")
_STYLISH_RULE = Pattern(r"[@\w/-]{1,100}$|\([\w-]{1,100}\)$")
_HEADING = Pattern(r"[^\s:]\S{0,500}\.\w{1,10}$")

_SEVERITY = Pattern(
    r"(fatal error|error|warning|note|info|information|help|Fatal|Error|Warning|Deprecation|Note|Hint)"
    r"(?:\[([\w-]{1,60})\])?(?: ([A-Z]{1,8}\d{1,6}))?: (.+)$"
)
# `[error] text (rule)` or `Error - text (rule)`; `error MD001/name text` or `DL3008 warning: text`; `C: Style/X: text`.
_BRACKETED = Pattern(r"(?:\[(error|warning)\]|(error|warning) -) (.+?)(?: \(([@\w/-]{1,100})\))?$", re.IGNORECASE)
_OPENS_BRACKETED = frozenset("[EeWw")
_NAMED_CODE = Pattern(
    r"(?:(error|warning) )?([A-Z]{2,8}\d{3,6})(?:/[\w/-]{1,100})? (?:(error|warning|info|style): )?(.+)$"
)
_COP = Pattern(r"([CWEFRI]): (?:\[\w{1,20}\] )?([A-Z]\w{1,40}(?:/\w{1,60}){1,3}): (.+)$")
_PYTHON_WARNING = Pattern(r"\w{0,40}Warning: ")
# `E501 text`, `E501 [*] text`, and `[E501] text`, as pylint has it.
_LEADING_CODE = Pattern(r"\[?([A-Z]{1,8}\d{1,6}|invalid-syntax)\]?(?: \[\*\])?:? (.+)$")
_FIXABLE = "[*] "
_TRAILING_CODE = Pattern(r"\s{1,4}\[(?:-Werror,)?([\w./@=+-]{1,80})\]$|\s\((report\w{1,60})\)$")
_CLOSING = ("]", ")")
_ENDING_CODE = Pattern(r"(?:^|\s)\[[a-z][a-z-]{1,60}\]$")
_RULE_AND_SEVERITY = Pattern(r" \(([@\w/-]{1,100})\) \[(error|warning)\]$")
_REMARKS = {"note", "info", "information", "help", "hint"}
_LINT_CODE = Pattern(r"[A-Z]{2,8}\d{3,6}$")
_CHECKER_CODE = Pattern(r"[a-z]+(?:-[a-z]+){0,8}$|(?:error|warning)/")
_PRINTED = Pattern(r"\s{0,12}(\d{1,9}) \| ?(.*)$")
_CARET = Pattern(r"\s{0,12}\|[\s|-]{0,400}\^[-~^]{0,800}(?: (.+))?$")
_FRAME_SIGNS = str.maketrans("│╰╴━", "|| ^")
"""As frames in plain ASCII have them: a class of characters beyond it takes long to compile."""
_MARKER = Pattern(r"\s{0,1000}[~^][~^ -]{0,1000}$")
_GCC_WRAPS = Pattern(r" {3}[^\s|]")
_BARE = Pattern(r"(?:error|warning):(?: \[[^\]\n]{1,100}\]){0,3}$")
_BLOCK_LINES = 40
_WRAPPED_LINES = 8


def diagnostics(lines: Lines) -> Iterator[Found]:
    """Errors; warnings only when there is nothing worse (a linter may fail on them)."""
    errors, warnings = ranked(lines)
    return iter(errors or warnings)


def ranked(lines: Lines, text: str | None = None) -> tuple[list[Found], list[Found]]:
    """Errors and warnings apart: a program that crashed may have been warned before. `text`: the lines as one."""
    text = searchable(lines) if text is None else text
    stylish = " error  " in text or " warning  " in text or " ✖  " in text or " ⚠  " in text
    grouped = ".py:\n  " in text
    places, forms = _worth_a_look(text), framed_forms(text)
    drivers = _of_drivers(lines, text)
    built = _of_msbuild(lines, text)
    if not (places or forms or stylish or grouped or built):
        return drivers, []
    taken = {number for one, end in built for number in range(one.at, end)}
    placed = filter(None, (_one(lines, number) for number in places if number not in taken))
    listed = chain(_stylish_complaints(lines) if stylish else (), _grouped_complaints(lines) if grouped else ())
    told = chain((one for one, _ in built), listed, placed, framed_complaints(lines, forms))
    complaints = list(islice(told, MOST_FAILURES))
    if not complaints:
        return drivers, []
    errors = drivers + [c.found() for c in _once([c for c in complaints if c.severity != "warning"])]
    warnings = [c.found() for c in _once([c for c in complaints if c.severity == "warning"])]
    if next(told, None) is not None:
        (errors or warnings).append(MORE)
    return errors, warnings


def _of_msbuild(lines: Lines, text: str) -> list[tuple[Complaint, int]]:
    """With the first line behind each: nobody else reads those lines."""
    if "): " not in text and " : " not in text:
        return []
    from trueup.evidence.parsers.msbuild import msbuild_complaints, says_msbuild

    return list(islice(msbuild_complaints(lines), MOST_FAILURES + 1)) if says_msbuild(text) else []


_DRIVERS_SAY = (": error: ", ": fatal error: ", "ld: cannot find ")
_DRIVERS = ("cc", "cc1plus", "cc1obj", "++", "clang", "ld", "gfortran", "f")
"""How the names of compilers and linkers end, without their numbers."""


def _of_drivers(lines: Lines, text: str) -> list[Found]:
    if not any(mark in text for mark in _DRIVERS_SAY):
        return []
    at = [
        number
        for number, line in enumerate(lines)
        if any(mark in line for mark in _DRIVERS_SAY)
        and line.partition(": ")[0].rstrip("-0123456789").endswith(_DRIVERS)
    ]
    if not at:
        return []
    from trueup.evidence.parsers.drivers import driver_complaints

    return list(islice(driver_complaints(lines, at), MOST_FAILURES))


def _once(complaints: Sequence[Complaint]) -> Iterable[Complaint]:
    """A build tool that repeats a complaint in its summary, or for a second target, adds nothing."""
    return reversed({c.identity: c for c in reversed(complaints)}.values())


def strict_diagnostics(lines: Lines) -> Iterator[Found]:
    """Beside the failures of tests only what says itself that it is an error or has a code.

    A warning explains nothing there, and a second build of the same tree does not repeat it.
    """
    return (f for f in ranked(lines)[0] if f.kind not in {"", "error"} or f.phase is Phase.BUILD)


def _worth_a_look(text: str) -> list[int]:
    """Few lines of an output name a place; one search over the whole is much cheaper than one per line."""
    hits = [match.start() for match in _PLACE.finditer(text)]
    if "(" in text:
        hits += [match.start() for match in _PLACE_IN_BRACKETS.finditer(text)]
    hits = [hit for hit in hits if _ends_a_path(text, hit)]
    if "::" in text:
        hits += [match.start() for match in _ANNOTATION_MARK.finditer(text)]
    numbers: dict[int, None] = {}
    looked, number = 1, 0  # the text begins with the end of a line
    for hit in sorted(hits):
        number += text.count("\n", looked, hit)
        looked = hit
        numbers[number] = None
    return list(numbers)


def _ends_a_path(text: str, at: int) -> bool:
    """Whether the ending of a file, or a name such as `Makefile`, stands before this place."""
    _, dot, ending = text[max(0, at - _LONGEST_ENDING - 1) : at].rpartition(".")
    return (dot != "" and ending.replace("_", "x").isalnum()) or text.endswith("file", 0, at)


def _stylish_complaints(lines: Lines) -> Iterator[Complaint]:
    heading = ""
    for number, line in enumerate(lines):
        if line and _is_path(line):
            heading = line
        elif heading and (match := _STYLISH.match(line)):
            yield _stylish(heading, match, number)


_GROUPED = Pattern(r" {2,8}(\d{1,9}):(\d{1,9}) {1,12}([A-Z]{1,8}\d{1,6}|invalid-syntax):? (?:\[\*\] )?(.+)$")


def _grouped_complaints(lines: Lines) -> Iterator[Complaint]:
    """ruff: `path:`, and below it `1:2 E501 text`."""
    heading = ""
    for number, line in enumerate(lines):
        if line[-1:] == ":" and line[:1] != " ":
            heading = line[:-1]
        elif heading and (match := _GROUPED.match(line)):
            yield Complaint(
                path=heading,
                line=int(match[1]),
                column=int(match[2]),
                severity="",
                code=match[3],
                message=match[4],
                compiler=False,
                at=number,
            )


def _is_path(line: str) -> bool:
    return _HEADING.match(line) is not None


def _stylish(path: str, match: re.Match[str], at: int) -> Complaint:
    message, _, rule = match[4].rpartition("  ")
    if not message or not _STYLISH_RULE.match(rule):  # a parsing error breaks no rule
        message, rule = match[4], ""
    severity = {"✖": "error", "⚠": "warning"}.get(match[3], match[3])
    return Complaint(
        path=path,
        line=int(match[1]),
        column=int(match[2]),
        severity=severity,
        code=rule.strip("()"),
        message=message.strip(),
        compiler=False,
        at=at,
    )


def _one(lines: Lines, number: int) -> Complaint | None:
    line = lines[number]
    if _tells_only_a_place(line):
        return None
    match = _placed(line)
    if match:
        python = match[1].endswith((".py", ".pyi"))
        wrapped = () if python else _wrapped(lines, number, match[4])
        if match[1].endswith((".kt", ".kts")):
            wrapped = _before_the_code(lines, number, match[4])
        said = _unwrapped(lines, number, match[4]) if python else _joined(match[4].rstrip(), wrapped)
        if line.startswith("w: "):
            said = f"warning: {said}"
        read = _read(match[1], int(match[2]), int(match[3] or 0), said, number)
        if read and line[0].isspace():  # only pyright's places are indented
            return _continued(read, lines, number)
        source = _shown_below(lines, number + len(wrapped), read.line) if read else None
        return read.but(source=source) if read and source is not None else read
    arrow = _of_source(_ARROW.match(line)) if _has_arrow(line) else None
    if arrow and number:
        read = _read(arrow[1], int(arrow[2]), int(arrow[3]), lines[number - 1], number)
        return _with_block(read, lines, number) if read else None
    linker = _of_source(_LINKER.match(line)) if "undefined reference" in line else None
    if linker:
        return Complaint(
            path=linker[1],
            line=0,
            column=0,
            severity="error",
            code="undefined-reference",
            message=linker[2],
            compiler=True,
            at=number,
        )
    annotation = _ANNOTATION.match(line)
    return _annotation(annotation, number) if annotation else None


def _tells_only_a_place(line: str) -> bool:
    """As stacks and lists of warnings do: no text behind it, or indented, as only pyright and rustc have theirs."""
    return " " not in line or (line[0].isspace() and " - " not in line and not _has_arrow(line))


def _has_arrow(line: str) -> bool:
    return "--> " in line or "┌─ " in line or "╭▸ " in line


def _placed(line: str) -> re.Match[str] | None:
    """A line that begins with a place. What a form cannot do without is looked for first: it costs far less."""
    if line[:1].isspace():
        return _of_source(_PYRIGHT.match(line)) if " - " in line else None
    return (
        _of_source(_COLON.match(line))
        or (_of_source(_PAREN.match(line)) if "(" in line else None)
        or (_of_source(_BRACKET.match(line)) if ":[" in line else None)
        or (_of_source(_KOTLIN.match(line)) if line.startswith(("e: ", "w: ")) else None)
        or (_of_source(_COMPACT.match(line)) if ": line " in line else None)
        or (_ANY_COLON.match(line) if any(mark in line for mark in _GRAVE) else None)
    )


def _of_source(match: re.Match[str] | None) -> re.Match[str] | None:
    return match if match and _is_source(match[1]) else None


def _is_source(path: str) -> bool:
    if path.rpartition(".")[2] in SOURCE_ENDINGS:
        return path[0] != "#"
    return path.rpartition("/")[2] in _NAMED and " " not in path


def _unwrapped(lines: Lines, number: int, said: str) -> str:
    """mypy's `--pretty` wraps at the terminal's width: the message ends with its code, some lines further down."""
    if not said.startswith(("error: ", "warning: ")) or _TRAILING_CODE.search(said):
        return said
    for end in range(number + 1, min(len(lines), number + _WRAPPED_LINES)):
        line = lines[end]
        if not line or (line[0] == " " and not line.lstrip().startswith("[")) or _placed(line):
            break
        if _ENDING_CODE.search(line):
            return " ".join([said, *(more.strip() for more in lines[number + 1 : end + 1])])
    return said


def _wrapped(lines: Lines, number: int, said: str) -> Sequence[str]:
    """gcc's `-fmessage-length` wraps the message; what belongs to it stands above the line of code, three blanks in."""
    if said == "cannot find symbol" and lines[number + 1 : number + 2]:  # Maven shows no code: which one stands below
        symbol = " ".join(lines[number + 1].removeprefix("[ERROR]").split())
        return (symbol,) if symbol.startswith("symbol: ") else ()
    if not said.startswith(("error:", "fatal error:", "warning:")):
        return _after_a_colon(lines, number, said)
    if said[-1] in ":]" and lines[number + 1 : number + 2] and lines[number + 1][:4] == "    " and _BARE.match(said):
        # GHC tells all of it below, four blanks in
        return list(map(str.strip, before(lines[number + 1 : number + _BLOCK_LINES], lambda line: line[:4] != "    ")))
    more: list[str] = []
    for line in lines[number + 1 : number + _WRAPPED_LINES]:
        if _PRINTED.match(line):
            return more
        if not _GCC_WRAPS.match(line):
            break
        more.append(line.strip())
    return ()


def _before_the_code(lines: Lines, number: int, said: str) -> Sequence[str]:
    """kotlinc: what is missing, or whom it could have called. Gradle shows no code: there a paragraph belongs to it."""
    below = lines[number + 1 : number + _BLOCK_LINES]
    block = list(before(below, lambda line: line.startswith("> ") or _placed(line) is not None))
    carets = next((at for at, line in enumerate(block) if _MARKER.match(line)), 0)
    if carets:
        return block[: carets - 1]
    return before(block[1:] if block[:1] == [""] else block, lambda line: not line) if said[-1] == ":" else ()


def _joined(said: str, wrapped: Sequence[str]) -> str:
    """gcc breaks also behind the bracket before its code."""
    return " ".join((said, *filter(None, map(str.strip, wrapped)))).replace("[ -W", "[-W") if wrapped else said


def _after_a_colon(lines: Lines, number: int, said: str) -> Sequence[str]:
    """`boot-9.scm:2007:7: In procedure error:`, and the error on the next line."""
    below = lines[number + 1].strip() if said[-1] == ":" and number + 1 < len(lines) else ""
    return (below,) if below and not _placed(below) else ()


def _continued(complaint: Complaint, lines: Lines, number: int) -> Complaint:
    """pyright: what explains the message stands below it, further in, and the rule behind all of it."""
    more: list[str] = []
    for text in lines[number + 1 : number + _BLOCK_LINES]:
        if not text[:4].isspace() or _PYRIGHT.match(text):  # blanks of any kind
            break
        more.append(text.strip())
    message = "\n".join((complaint.message, *more))
    rule = _TRAILING_CODE.search(message) if more else None
    if rule is None:
        return complaint.but(message=message)
    return complaint.but(code=rule[1] or rule[2], message=message[: rule.start()])


def _annotation(match: re.Match[str], at: int) -> Complaint | None:
    given = dict(part.split("=", 1) for part in match[2].split(",") if "=" in part)
    path, line = given.get("file", "").strip(), given.get("line", "0").strip()
    if not path:
        return None
    told = _placed(match[3].partition("%0A")[0])
    if told:  # the whole complaint stands behind the colons, as ruff has it
        return _read(told[1], int(told[2]), int(told[3] or 0), told[4], at)
    code = given.get("title", "").strip()
    return Complaint(
        path=path,
        line=int(line) if line.isdecimal() and len(line) < 10 else 0,  # noqa: PLR2004 - no file is longer
        column=0,
        severity=match[1],
        code=code.replace(" ", "-"),
        message=match[3],
        compiler=False,
        at=at,
    )


def _read(path: str, line: int, column: int, rest: str, at: int) -> Complaint | None:
    both = _RULE_AND_SEVERITY.search(rest) if rest[-1:] == "]" else None
    severity, code, message = (both[2], both[1], rest[: both.start()]) if both else _severity(rest)
    trailing = _TRAILING_CODE.search(message) if message.endswith(_CLOSING) else None
    if severity in _REMARKS:
        if not trailing or not _LINT_CODE.match(trailing[1] or ""):
            return None
        severity = "warning"  # a remark with the code of a rule is a linter's complaint
    if trailing:
        code, message = code or trailing[1] or trailing[2], message[: trailing.start()]
    lint = severity == "" and (code != "" or path.endswith((".py", ".pyi")))
    checker = trailing is not None and bool(_CHECKER_CODE.match((trailing[1] or trailing[2]).lower()))
    return Complaint(
        path=path,
        line=line,
        column=column,
        severity=severity,
        code=code,
        message=message.replace(_FIXABLE, "", 1),
        compiler=not lint and not checker and not path.endswith((".py", ".pyi")) and _as_compilers_say(severity, rest),
        at=at,
    )


def _severity(rest: str) -> tuple[str, str, str]:
    """How bad it is, the code, and the text; what is not said is empty."""
    match = _SEVERITY.match(rest)
    if match:
        return match[1].lower().replace("deprecation", "warning"), match[2] or match[3] or "", match[4]
    match = _LEADING_CODE.match(rest)
    cop = _COP.match(rest) if match is None and rest[1:2] == ":" else None
    if cop:
        return "", cop[2], cop[3].replace("`", "")
    named = _NAMED_CODE.match(rest)
    if named and (named[1] or named[3]):
        return named[1] or _as_warning(named[3]), named[2], named[4]
    if match:
        return "", match[1], match[2]
    bracketed = _BRACKETED.match(rest) if rest[:1] in _OPENS_BRACKETED else None
    if bracketed:
        return (bracketed[1] or bracketed[2]).lower(), bracketed[4] or "", bracketed[3]
    return ("warning" if _PYTHON_WARNING.match(rest) else ""), "", rest


def _as_compilers_say(severity: str, rest: str) -> bool:
    """`error: …` and texts without a severity; linters write it in brackets, behind a code or at the end."""
    return severity == "" or _SEVERITY.match(rest) is not None


def _as_warning(severity: str) -> str:
    """A rule of a linter is worth a warning even where it calls itself a remark."""
    return severity if severity == "error" else "warning"


def _shown_below(lines: Lines, number: int, line: int) -> str | None:
    """gcc prints `12 | code`, clang, javac and mypy the bare line; a line of carets follows either."""
    following = lines[number + 1 : number + 4]
    for code, marks in pairwise(following):
        printed = _PRINTED.match(code)
        if printed:
            return printed[2].strip() if int(printed[1]) == line else None
        if _MARKER.match(marks) and code.startswith(f"{line} "):
            return code.partition(" ")[2].strip()
        if _MARKER.match(marks) and code and not _placed(code):
            return code.strip()
    return None


def _with_block(complaint: Complaint, lines: Lines, number: int) -> Complaint:
    """rustc and ruff: the line that the arrow names, and what stands at the carets below it."""
    source, label = None, ""
    for below, shown in enumerate(lines[number + 1 : number + _BLOCK_LINES], start=number + 2):
        text = shown if shown.isascii() else shown.translate(_FRAME_SIGNS)
        printed = _PRINTED.match(text)
        caret = None if printed else _CARET.match(text)
        if printed and int(printed[1]) == complaint.line:
            source = shown[printed.start(2) :].strip()
        elif caret and source is not None:
            label = shown[caret.start(1) :] if _labels(caret) else _label_below(lines, below, text.index("^"))
            break
        elif not text or _has_arrow(text):
            break
    # ruff's short forms have the label behind the message, as rustc's have.
    appended = label and (complaint.compiler or complaint.path.endswith((".py", ".pyi")))
    labelled = f"{complaint.message}: {label}" if appended else complaint.message
    return complaint.but(source=source, message=labelled)


def _labels(caret: re.Match[str]) -> bool:
    """Whether what stands behind the carets is about them, and no other mark with its own text."""
    return caret[1] is not None and caret[1].lstrip()[:1] not in {"-", "^"}


def _label_below(lines: Lines, number: int, column: int) -> str:
    """Where the line ends that leads down from the first caret."""
    for line in lines[number : number + _WRAPPED_LINES]:
        if line[column : column + 1] != "|":
            return line[column:].strip() if line[:column].strip(" |") == "" else ""
    return ""
