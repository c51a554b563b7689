"""What do the check commands run, and which files say what they do? Read from the commands and the start alone."""

from __future__ import annotations

import functools
import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from posixpath import basename, dirname, join, normpath

_MAKEFILES = ("GNUmakefile", "makefile", "Makefile", "*.mk")
_GRADLE = ("*.gradle", "*.gradle.kts", "gradle.properties")
_CMAKE = ("CMakeLists.txt", "CMakePresets.json", "CTestTestfile.cmake", "CTestCustom.cmake", "*.cmake")
_DOTNET = (
    "*.csproj", "*.fsproj", "*.vbproj", "*.sln", "*.slnx", "*.slnf", "Directory.Build.props", "Directory.Build.targets",
    "Directory.Packages.props", "*.runsettings", "xunit.runner.json",
)  # fmt: skip

_RUNS: dict[str, tuple[str, ...]] = {
    "make": _MAKEFILES,
    "gmake": _MAKEFILES,
    "just": ("justfile", "Justfile", ".justfile", "*.just", ".env"),
    "pipenv": (".env",),
    "dotenv": (".env",),
    "honcho": ("Procfile", ".env"),
    "task": ("Taskfile.yml", "Taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml", "taskfile.yml",
    "taskfile.yaml"),
    "rake": ("Rakefile", "*.rake"),
    "rspec": (".rspec", ".rspec-local"),
    "phpunit": ("phpunit.xml*", "phpunit.dist.xml"),
    "invoke": ("tasks.py", "/tasks/", "invoke.yaml"),
    "inv": ("tasks.py", "/tasks/", "invoke.yaml"),
    "vitest": ("vite.config.*",),
    "tsc": ("tsconfig*.json",),
    "vue-tsc": ("tsconfig*.json",),
    "turbo": ("turbo.json",),
    "nx": ("nx.json", "project.json"),
    "bazel": ("BUILD", "BUILD.bazel", ".bazelrc"),
    "ninja": ("build.ninja", *_CMAKE),
    "cmake": _CMAKE,
    "ctest": _CMAKE,
    "mvn": ("pom.xml",),
    "mvnw": ("pom.xml",),
    "gradle": _GRADLE,
    "gradlew": _GRADLE,
    "mix": ("mix.exs",),
    "dotnet": _DOTNET,
    "swift": ("Package.swift",),
    "docker": ("docker-compose*.y*ml", "compose*.y*ml"),
    "docker-compose": ("docker-compose*.y*ml", "compose*.y*ml"),
}  # fmt: skip
"""Program -> the files that say what it does."""

_MAKES = frozenset({"make", "gmake"})
_RECIPE_RUNNERS = _MAKES | {"just", "task"}
"""Programs whose files hold targets and the commands to make them."""
_SCRIPT_RUNNERS = frozenset({"npm", "pnpm", "yarn", "bun"})
_LOADERS = frozenset({"source", ".", "include"})
"""What takes in another file's text as if it stood there."""

_INTERPRETERS = re.compile(
    r"(python|pypy)[0-9.]*|node|nodejs|deno|bun|ruby|perl|php|(ba|z|da|k|fi)?sh|tsx|ts-node|lua|Rscript"
)
_SHELLS = re.compile(r"(ba|z|da|k)?sh")
_PREFIXES = frozenset({
    "env", "time", "nice", "exec", "command", "sudo", "xvfb-run", "stdbuf", "poetry", "uv", "uvx", "pdm", "hatch",
    "pipenv",
    "rye", "pixi", "npx", "pnpx", "bunx", "bundle", "run", "x", "coverage", "dotenv", "timeout",
})  # fmt: skip
"""Programs whose arguments are a command again."""
_VALUED = frozenset({
    "--with", "--python", "--group", "--extra", "--package", "--directory", "-n", "-X", "-W", "-r", "--require",
    "--import",
})  # fmt: skip
"""Options before a program or script whose value is the next word."""
_NEXT_COMMAND = frozenset({"&&", "||", ";", "|", "&", "(", ")", "{", "}", "then", "do", "else", "!", "if", "while"})
_OPERATOR = r"\|\||&&|[;&|()]"
_ENDS_LIST = frozenset({";", "&", "then", "do", "else", "fi", "done"})
_BRACKETS = frozenset({"(", ")", "{", "}"})
_CONFIG_OPTIONS = frozenset({
    "-c", "--config", "--config-file", "--configfile", "-f", "--file", "--makefile", "--justfile", "--taskfile",
    "--rcfile", "-p", "--project", "--require", "--import", "--setupFiles", "--reporter", "--env-file", "--settings",
    "--configuration",
})  # fmt: skip
_RECIPE_OPTIONS = frozenset({"-f", "--file", "--makefile", "--justfile", "-t", "--taskfile"})
_FOLDER_OPTIONS: dict[str, frozenset[str]] = {
    "npm": frozenset({"--prefix", "-C", "-w", "--workspace"}),
    "pnpm": frozenset({"-C", "--dir", "--prefix"}),
    "yarn": frozenset({"--cwd"}),
    "bun": frozenset({"--cwd"}),
    "make": frozenset({"-C", "--directory"}),
    "gmake": frozenset({"-C", "--directory"}),
    "just": frozenset({"-d", "--working-directory"}),
    "task": frozenset({"-d", "--dir"}),
}
"""Options that name the folder in which a program looks for its files."""
_INSTALLERS = frozenset({"pip", "pip3", "uv", "poetry", "pdm", "pipenv", "conda"})

_INCLUDE = re.compile(r" *(?:[-s]?include|import\??)\s+([^:=].*)")
_HERE = re.compile(r"\$\(\s*(?:dirname|cd)\s[^()]*\)")
"""How a shell script writes its own folder; around another one, the inner first."""
_EXPANDED = re.compile(r".*(?:\$\([^)]*\)|\$\{[^}]*\}|\$\w+)/+", re.DOTALL)
"""A beginning of a path that only the shell knows."""

_LONGEST_SCRIPT = 200_000
_MOST_STEPS = 10
"""How many scripts behind each other are read."""
_MOST_INCLUDED = 100
_MOST_LINKS = 40
"""As many links as Linux follows in one path."""

Read = Callable[[str], bytes | None]
"""Content of a path of the start, or None."""
Argv = tuple[str, ...]


# --- links --------------------------------------------------------------------------------------------


def follow(path: str, links: Mapping[str, str]) -> tuple[str | None, tuple[str, ...]]:
    """Where a path of a tree leads, step by step as the system would go, and the links on the way.

    The end is None when the path leads out of the tree; `links` maps each link to its target, as it is written.
    """
    here: list[str] = []
    passed: list[str] = []
    todo = path.split("/")[::-1]
    while todo:
        step = todo.pop()
        if step == ".." and not here:
            return None, tuple(passed)
        if step == "..":
            here.pop()
        elif step not in {"", "."}:
            here.append(step)
        target = links.get("/".join(here)) if step not in {"", ".", ".."} else None
        if target is not None:
            passed.append("/".join(here))
            if target.startswith("/") or len(passed) > _MOST_LINKS:
                return None, tuple(passed)
            here.pop()
            todo += target.split("/")[::-1]
    return "/".join(here), tuple(passed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The paths of the start, and where its links lead."""

    paths: frozenset[str]
    links: Mapping[str, str] = field(default_factory=dict)

    def at(self, path: str) -> frozenset[str]:
        """What a path means: the file where it ends, and each link on the way. Nothing when it is not there."""
        if path.startswith("/"):
            return frozenset()
        end, passed = follow(path, self.links)
        return frozenset(p for p in (*passed, end) if p in self.paths)

    def links_on(self, path: str) -> frozenset[str]:
        return self.at(path).intersection(self.links)


# --- calls --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    program: str
    arguments: list[str]
    here: str = ""
    """The folder in which it runs; "" is the project's."""

    @property
    def name(self) -> str:
        return basename(self.program)

    def path(self, word: str) -> str:
        return join(self.here, word)

    def folders(self) -> tuple[str, ...]:
        """Where the program looks for its files."""
        named = tuple(_values(self.arguments, _FOLDER_OPTIONS.get(self.name, frozenset())))
        return tuple(self.path(folder) for folder in named) or (self.here,)


def _calls(argv: Iterable[str], here: str = "", depth: int = 3) -> Iterator[_Call]:
    """Each program of a command line with its arguments, also behind `&&`, `env X=1`, `uv run`, `sh -c` or `cd`."""
    for place, piece in _in_folders(list(argv), here):
        words = piece
        while words:
            program, words = words[0], words[1:]
            yield _Call(program=program, arguments=words, here=place)
            if depth and _SHELLS.fullmatch(basename(program)):
                inline = next((i for i, word in enumerate(words) if re.fullmatch(r"-\w*c", word)), None)
                if inline is not None:
                    yield from _calls(_words(" ".join(words[inline + 1 : inline + 2])), place, depth - 1)
            if program in _VALUED:
                words = words[1:]
            elif not _leads_to_a_program(program):
                break


def _in_folders(argv: list[str], start: str) -> Iterator[tuple[str, list[str]]]:
    """The commands and where they run. What follows a `)` may be in the first folder again: both are given."""
    here = start
    for piece in _pieces(argv):
        if here != start and ")" in argv:
            yield start, piece
        yield here, piece
        here = _moved(here, piece, start)


def _moved(here: str, piece: list[str], start: str) -> str:
    """Where the next command runs."""
    if piece[:1] != ["cd"]:
        return here
    known = len(piece) > 1 and not piece[-1].startswith(("-", "/", "~", "$", "`"))
    return normpath(join(here, piece[-1])) if known else start


def _pieces(argv: Iterable[str]) -> Iterator[list[str]]:
    piece: list[str] = []
    for word in argv:
        if word.strip(";") and word not in _NEXT_COMMAND:
            piece.append(word.rstrip(";"))
        if word in _NEXT_COMMAND or word.endswith(";"):
            yield piece
            piece = []
    yield piece


def _leads_to_a_program(word: str) -> bool:
    is_number = re.fullmatch(r"[\d.]+[smhd]?", word)
    return basename(word) in _PREFIXES or "=" in word or word.startswith("-") or bool(is_number)


def _words(text: str) -> list[str]:
    try:
        lexer = shlex.shlex(text, posix=True, punctuation_chars=";&|()")
        lexer.whitespace_split = True
        return list(lexer)
    except ValueError:
        return text.split()


def _options(arguments: list[str]) -> Iterator[tuple[str, str]]:
    yield from pairwise(arguments)
    yield from ((name, value) for name, equals, value in (word.partition("=") for word in arguments) if equals)


def _values(arguments: list[str], options: frozenset[str]) -> Iterator[str]:
    yield from (value for option, value in _options(arguments) if option in options)
    # `make -Csub`
    yield from (word[2:] for word in arguments if word[:2] in options and word[2:] and word[1] != "-")


_BUILTINS = frozenset({
    "cd", "set", "export", "unset", "echo", "printf", "true", "false", "exit", "test", "[", ":", "exec", "eval", "trap",
    "mkdir", "rm", "cp", "mv", "touch", "tee", "cat", "ls", "tail", "head", "grep", "sleep", "chmod", "fi", "done",
    "include", "source", ".", "which", "type", "git", "pip", "pip3", "kill", "pkill", "ln", "rmdir", "wait",
})  # fmt: skip
"""What stands beside the programs that a check is about."""


def programs_run(commands: Iterable[Argv]) -> frozenset[str]:
    """Names of the programs that can be seen to do the work; of an interpreter with `-m`, the module's."""
    calls = (call for argv in commands for call in _calls(argv) if not _leads_to_a_program(call.program))
    around = _BUILTINS | _RECIPE_RUNNERS | _SCRIPT_RUNNERS
    return frozenset(_module_run(c) for c in calls if c.name not in around and not _SHELLS.fullmatch(c.name))


def forgiven_programs(commands: Iterable[Argv]) -> frozenset[str]:
    """Those that may fail wherever they can be seen: `mypy . || true; pytest`, but not `mypy a || true; mypy b`."""
    forgiven: set[str] = set()
    counted: set[str] = set()
    for argv in commands:
        for words in _and_or_lists(argv):
            end = next((n for n in range(len(words), 0, -1) if _forgives(words[n - 1 : n + 2])), 0)
            forgiven |= programs_run((tuple(words[:end]),))
            counted |= programs_run((tuple(words[end:]),))
    return frozenset(forgiven - counted)


def _forgives(words: list[str]) -> bool:
    """`|| true`, and nothing that `true` is told."""
    return words[:1] == ["||"] and words[1:2] in (["true"], [":"]) and words[2:3] in ([], ["&&"], ["||"], ["|"])


def _and_or_lists(argv: Argv) -> Iterator[list[str]]:
    """The words between one `;` and the next, without brackets; those of a shell's text line by line."""
    inline = bool(argv) and bool(_SHELLS.fullmatch(basename(argv[0]))) and argv[1:2] == ("-c",)
    for line in _lines("\n".join(argv[2:3])) if inline else (argv,):
        words = [part for word in line for part in (re.findall(_OPERATOR, word) if _is_operator(word) else [word])]
        piece: list[str] = []
        for word in (*words, ";"):
            if word in _ENDS_LIST:
                yield piece
                piece = []
            elif word not in _BRACKETS:
                piece.append(word)


def _is_operator(word: str) -> bool:
    return re.fullmatch(r"[;&|()]+", word) is not None


def simple_commands(commands: Iterable[Argv]) -> Iterator[tuple[str, Argv]]:
    """Each command behind `&&`, `cd`, `sh -c` with the folder in which it runs ("." is the project's)."""
    for argv in commands:
        yield from _simple(list(argv), "", depth=3)


def _simple(argv: list[str], here: str, depth: int) -> Iterator[tuple[str, Argv]]:
    for place, piece in _where(argv, here):
        inline = next((i for i, word in enumerate(piece) if re.fullmatch(r"-\w*c", word)), None)
        if depth and piece and inline is not None and _SHELLS.fullmatch(basename(piece[0])):
            yield from _simple(_words(" ".join(piece[inline + 1 : inline + 2])), place, depth - 1)
        elif piece:
            yield normpath(place or "."), tuple(piece)


def _where(argv: list[str], start: str) -> Iterator[tuple[str, list[str]]]:
    """Each command and its folder; what `cd` does between brackets ends with them."""
    here, outside = start, list[str]()
    words = [part for word in argv for part in (re.findall(_OPERATOR, word) if _is_operator(word) else [word])]
    piece: list[str] = []
    for word in (*words, ";"):
        if word not in _NEXT_COMMAND and not word.endswith(";"):
            piece.append(word)
            continue
        piece += [word.rstrip(";")] if word.strip(";") and word not in _NEXT_COMMAND else []
        yield here, piece
        here, piece = _moved(here, piece, start), []
        if word == "(":
            outside.append(here)
        elif word == ")":
            here = outside.pop() if outside else start


def _module_run(call: _Call) -> str:
    after = next((value for word, value in pairwise(call.arguments) if word == "-m"), "")
    return after if after and _INTERPRETERS.fullmatch(call.name) else call.name


# --- what is written in scripts -----------------------------------------------------------------------


def commands_behind(
    commands: Iterable[Argv], read: Read, *, links: Mapping[str, str] | None = None
) -> tuple[Argv, ...]:
    """The commands, and those written in the scripts and recipes that they run, however deep.

    What a script takes in from another file (`source`, make's `include`) becomes a command of its own. A command
    that runs in another folder begins with `cd`.
    """
    look = functools.cache(functools.partial(_read_through, read, links or {}))
    found = dict.fromkeys(commands)
    latest = list(found)
    for _ in range(_MOST_STEPS):
        latest = [inner for argv in latest for inner in _written_commands(argv, look) if inner not in found]
        found.update(dict.fromkeys(latest))
    return tuple(found)


def _read_through(read: Read, links: Mapping[str, str], path: str) -> bytes | None:
    end = None if path.startswith("/") else follow(path, links)[0]
    return read(end) if end else None


def _written_commands(argv: Iterable[str], read: Read) -> Iterator[Argv]:
    for call in _calls(argv):
        if call.name in _SCRIPT_RUNNERS:
            for folder in call.folders():
                for line in _package_scripts(call.arguments, read(join(folder, "package.json"))):
                    yield _placed(line, folder)
        elif call.name in _RECIPE_RUNNERS:
            yield from _recipe_commands(call, read)
        elif call.name != "include" and call.name not in _RUNS:
            yield from _script_commands(call, read)


def _placed(words: Argv, folder: str) -> Argv:
    place = normpath(folder or ".")
    return words if place == "." else ("cd", place, "&&", *words)


def _package_scripts(arguments: list[str], manifest: bytes | None) -> Iterator[Argv]:
    try:
        scripts = json.loads(manifest or b"{}").get("scripts", {})
    except (ValueError, AttributeError, RecursionError):
        return
    wanted = {"test" if word in {"t", "tst"} else word for word in arguments}
    for name, line in scripts.items() if isinstance(scripts, dict) else ():
        if isinstance(line, str) and not wanted.isdisjoint({name, name.removeprefix("pre"), name.removeprefix("post")}):
            yield from _lines(line)


def _recipe_commands(call: _Call, read: Read) -> Iterator[Argv]:
    names = tuple(_values(call.arguments, _RECIPE_OPTIONS)) or tuple(n for n in _RUNS[call.name] if "*" not in n)
    for folder in call.folders():
        for name in names:
            texts = _with_included(join(folder, name), folder if call.name in _MAKES else None, read)
            yield from (("include", path) for path in list(texts)[1:])
            for line in _recipes(call.arguments, [text.split("\n") for text in texts.values()]):
                yield _placed(line, folder)


def _with_included(path: str, folder: str | None, read: Read) -> dict[str, str]:
    """Path -> text of a file and of all that it includes, those included that cannot be read, too.

    `folder`: what the includes are relative to; None = the including file.
    """
    texts: dict[str, str] = {}
    waiting = [normpath(path)]
    while waiting and len(texts) < _MOST_INCLUDED:
        this = waiting.pop(0)
        if this not in texts:
            texts[this] = "\n".join(_joined_lines(read(this) or b""))
            waiting += _includes(texts[this], dirname(this) if folder is None else folder, read)
    return texts


def _includes(text: str, folder: str, read: Read) -> Iterator[str]:
    for line in text.split("\n"):
        found = _INCLUDE.match(line)
        for word in re.sub(r"\$\(wildcard\s([^()]*)\)", r"\1", found[1]).split() if found else ():
            if word.startswith("#"):
                break
            name = word.strip("'\"")
            bare = _EXPANDED.sub("", name)
            if bare == name and "$" not in name:
                yield normpath(join(folder, name))
            else:
                yield from (p for p in {bare, normpath(join(folder, bare))} if "$" not in p and read(p) is not None)


def _recipes(arguments: list[str], files: Iterable[list[str]]) -> Iterator[Argv]:
    """The recipe lines of the wanted targets and of what these depend on (make and just write them alike)."""
    targets: dict[str, tuple[list[str], list[str]]] = {}
    first: list[str] = []
    for lines in files:
        own = _targets(lines)
        first += [name for name in own if not name.startswith(".")][:1]
        for name, (before, recipe) in own.items():
            known = targets.setdefault(name, ([], []))
            known[0].extend(before)
            known[1].extend(recipe)
    wanted = [word for word in arguments if word in targets] or first
    for name in wanted:  # grows while it is read: prerequisites are targets, too
        wanted.extend(before for before in targets[name][0] if before in targets and before not in wanted)
        yield from _lines("\n".join(targets[name][1]))


def _targets(lines: Iterable[str]) -> dict[str, tuple[list[str], list[str]]]:
    """Target -> (what it depends on, its recipe)."""
    targets: dict[str, tuple[list[str], list[str]]] = {}
    current: list[str] = []
    for line in lines:
        rule = re.match(r"@?([\w./%-][^:=#]*?)\s*:(?!=)\s*(.*)", line)
        if line[:1].isspace():
            current.append(line.strip().lstrip("@-+"))
        elif rule:
            current = targets.setdefault(rule[1].split()[0], (rule[2].split(), []))[1]
    return targets


def _script_commands(call: _Call, read: Read) -> Iterator[Argv]:
    """The lines of a shell script; those with its own folder in them once more, as they are seen from the root."""
    path = _script_run(call, read)
    for words in _lines(_HERE.sub("$HERE", _HERE.sub("$HERE", _script_text(read(path))))):
        yield _placed(words, call.here)
        for folder in ("", dirname(normpath(path))):
            known = tuple(_known(word, folder, read, loaded=words[0] in _LOADERS) for word in words)
            if known != words:
                yield known


def _script_run(call: _Call, read: Read) -> str:
    if not _SHELLS.fullmatch(call.name) and call.name not in _LOADERS:
        return call.path(call.program)
    named = (call.path(word) for word in call.arguments if not word.startswith("-"))
    return next((path for path in named if read(path) is not None), "")


def _known(word: str, folder: str, read: Read, *, loaded: bool) -> str:
    """`$ROOT/lib.sh` as a path of the start if there is such a file; so for what is loaded from beside a script."""
    rest = _EXPANDED.sub("", word, count=1)
    path = normpath(join(folder, rest))
    return path if (rest != word or loaded) and word not in _LOADERS and read(path) is not None else word


def _script_text(content: bytes | None) -> str:
    """A shell script's text; "" for everything that is not one."""
    if content is None or (content.startswith(b"#!") and b"sh" not in content.partition(b"\n")[0]):
        return ""
    return "\n".join(_joined_lines(content)) if b"\0" not in content else ""


def _joined_lines(content: bytes) -> list[str]:
    return content[:_LONGEST_SCRIPT].decode("utf-8", "replace").replace("\\\n", " ").split("\n")


def _lines(text: str) -> Iterator[Argv]:
    yield from (tuple(words) for line in text.split("\n") if (words := _words(line)))


# --- which files that names ---------------------------------------------------------------------------


def named_by(commands: Iterable[Argv], start: Start) -> tuple[frozenset[str], tuple[str, ...]]:
    """Files of the start that the commands run or read as configuration, and patterns of their programs' files."""
    named: set[str] = set()
    runs: list[str] = []
    for argv in commands:
        for call in _calls(argv):
            runs += _patterns_of(call, start)
            named.update(_files_of(call, start))
            # A link that is pointed elsewhere makes a check look elsewhere.
            named.update(*(start.links_on(call.path(word.partition("::")[0])) for word in call.arguments))
    return frozenset(named), tuple(dict.fromkeys(runs))


def _patterns_of(call: _Call, start: Start) -> tuple[str, ...]:
    """Gitignore-style: files that say what the program does, added ones included."""
    if call.program in _LOADERS:
        loaded = _loaded(call)
        return (_as_pattern(loaded),) if loaded else ()
    patterns = _RUNS.get(call.name, ())
    if call.name in _MAKES and not any(start.at(join(f, name)) for f in call.folders() for name in _MAKEFILES):
        return patterns + _CMAKE  # a Makefile that is not the project's own was generated
    return patterns


def _loaded(call: _Call) -> str:
    """The file that is taken in, there or not; "" when only the shell knows it, or when it lies elsewhere."""
    path = normpath(call.path(next(iter(call.arguments), ".")))
    return "" if path in {".", ".."} or path.startswith(("/", "~", "../")) or re.search(r"[$`]", path) else path


def _as_pattern(path: str) -> str:
    """This path alone; `*` and `?` keep their meaning, as they have it for make."""
    return "/" + re.sub(r"([\\\[\] !#])", r"\\\1", path)


def _files_of(call: _Call, start: Start) -> Iterator[str]:
    yield from start.at(_loaded(call) if call.program in _LOADERS else call.path(call.program))
    if _INTERPRETERS.fullmatch(call.name):
        yield from _script(call, start)
    if call.name in _INSTALLERS:
        return  # their files say what is installed, and that may change
    plugins = "pytest" in {call.name, *call.arguments}
    for option, value in _options(call.arguments):
        if option in _CONFIG_OPTIONS:
            for name in (value, *(_module_files(value) if plugins else ())):
                yield from (p for folder in call.folders() for p in start.at(join(folder, name)))


def _script(call: _Call, start: Start) -> Iterator[str]:
    """What an interpreter is told to run: `-m module`, or the first argument that is a file of the start."""
    words = iter(call.arguments)
    for word in words:
        if re.fullmatch(r"-[BEIOPRSsu]*m", word):
            yield from (p for name in _module_files(next(words, "")) for p in start.at(call.path(name)))
            return
        if re.fullmatch(r"-\w*c", word):
            return  # what follows is code, and its arguments
        if start.at(call.path(word)):
            yield from start.at(call.path(word))
            return


def _module_files(module: str) -> tuple[str, ...]:
    path = module.replace(".", "/")
    return tuple(f"{root}{path}{end}" for root in ("", "src/") for end in (".py", "/__main__.py", "/__init__.py"))
