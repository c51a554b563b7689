"""`dotnet build`: one complaint is the same in every verbosity, folder and order, and belongs to a file of its project."""

from __future__ import annotations

import pytest

from trueup.evidence.failure import Failure, Phase
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.text import failures_from_text

NOWHERE = "The name 'nowhere' does not exist in the current context"
MINIMAL = f"""  Restore completed in 69.93 ms for /w/n1/Lib/Lib.csproj.
Sub/Order.cs(6,37): error CS0103: {NOWHERE} [/w/n1/App/App.csproj]
Calc.cs(13,17): warning CS0219: The variable 'unused' is assigned but its value is never used [/w/n1/App/App.csproj]
Calc.cs(18,76): error CS0165: Use of unassigned local variable 'q' [/w/n1/App/App.csproj]
Calc.cs(7,39): error CS0103: {NOWHERE} [/w/n1/Lib/Lib.csproj]

Build FAILED.

Calc.cs(13,17): warning CS0219: The variable 'unused' is assigned but its value is never used [/w/n1/App/App.csproj]
Sub/Order.cs(6,37): error CS0103: {NOWHERE} [/w/n1/App/App.csproj]
Calc.cs(18,76): error CS0165: Use of unassigned local variable 'q' [/w/n1/App/App.csproj]
Calc.cs(7,39): error CS0103: {NOWHERE} [/w/n1/Lib/Lib.csproj]
    1 Warning(s)
    3 Error(s)

Time Elapsed 00:00:01.10
"""
NORMAL = f"""Build started 11/18/2026 05:48:00.
     1>Project "/w/n1/All.sln" on node 1 (Restore target(s)).
     3>Calc.cs(7,39): error CS0103: {NOWHERE} [/w/n1/Lib/Lib.csproj]
     2>Sub/Order.cs(6,37): error CS0103: {NOWHERE} [/w/n1/App/App.csproj]
     2>Calc.cs(18,76): error CS0165: Use of unassigned local variable 'q' [/w/n1/App/App.csproj]
     1>Done Building Project "/w/n1/All.sln" (default targets) -- FAILED.

Build FAILED.

       "/w/n1/All.sln" (default target) (1:2) ->
       "/w/n1/Lib/Lib.csproj" (default target) (3:6) ->
       (CoreCompile target) ->
         Calc.cs(7,39): error CS0103: {NOWHERE} [/w/n1/Lib/Lib.csproj]


       "/w/n1/All.sln" (default target) (1:2) ->
       "/w/n1/App/App.csproj" (default target) (2:6) ->
         Sub/Order.cs(6,37): error CS0103: {NOWHERE} [/w/n1/App/App.csproj]
         Calc.cs(18,76): error CS0165: Use of unassigned local variable 'q' [/w/n1/App/App.csproj]

    0 Warning(s)
    3 Error(s)
"""
TREE = {"App/Calc.cs", "App/Sub/Order.cs", "App/App.csproj", "Lib/Calc.cs", "Lib/Lib.csproj"}


def _read(text: str, tree: set[str] | frozenset[str] = frozenset()) -> tuple[Failure, ...]:
    return failures_from_text("build", text, exit_code=1, sources=lambda path: "" if path in tree else None)


def _places(text: str, tree: set[str] | frozenset[str] = frozenset()) -> list[tuple[str, int | None]]:
    return [(f.subject, f.line) for f in _read(text, tree)]


def _known(text: str, tree: set[str] | frozenset[str] = frozenset()) -> list[str]:
    return sorted(fingerprint(f) for f in _read(text, tree))


def test_a_path_is_relative_to_its_project() -> None:
    assert _places(MINIMAL, TREE) == [
        ("App/Sub/Order.cs CS0103", 6),
        ("App/Calc.cs CS0165", 18),
        ("Lib/Calc.cs CS0103", 7),
    ]


def test_without_a_tree_the_path_inside_the_project_is_told() -> None:
    assert _places(MINIMAL) == [("Sub/Order.cs CS0103", 6), ("Calc.cs CS0165", 18), ("Calc.cs CS0103", 7)]
    failure = _read(MINIMAL)[0]
    assert (failure.kind, failure.phase, failure.file, failure.message) == (
        "CS0103",
        Phase.BUILD,
        "Sub/Order.cs",
        NOWHERE,
    )


def test_one_complaint_in_two_projects_is_two_failures() -> None:
    text = "".join(f"Main.cs(3,5): error CS0103: {NOWHERE} [/w/{p}/{p}.csproj]\n" for p in ("App", "Lib"))
    assert _places(text, {"App/Main.cs", "Lib/Main.cs"}) == [("App/Main.cs CS0103", 3), ("Lib/Main.cs CS0103", 3)]


SAME = {
    "in the normal verbosity": NORMAL,
    "in the detailed verbosity": NORMAL.replace("     2>", "   2:6>").replace("     3>", "   3:6>"),
    "in another folder with a blank": MINIMAL.replace("/w/n1", "/home/some body/a/very/long/way/" + "down/" * 40),
    "with full paths": MINIMAL.replace("\nSub/", "\n/w/n1/App/Sub/"),
    "with lines above it": MINIMAL.replace("(6,", "(8,").replace("(18,", "(20,").replace("(7,", "(9,"),
    "for one of several frameworks": MINIMAL.replace("proj]", "proj::TargetFramework=net8.0]"),
    "on Windows": MINIMAL.replace("/w/n1/App/", "C:\\n1\\App\\").replace("Sub/Order", "Sub\\Order"),
    "with colours": MINIMAL.replace("\nSub/", "\n\x1b[39;49m\x1b[31mSub/").replace("proj]\n", "proj]\r\n\x1b[39;49m"),
}


@pytest.mark.parametrize("way", SAME)
def test_the_same_complaint_is_known_again(way: str) -> None:
    assert _known(SAME[way]) == _known(MINIMAL)


def test_the_same_complaint_is_known_again_in_a_tree() -> None:
    assert _known(NORMAL, TREE) == _known(MINIMAL, TREE)


def test_another_name_is_another_failure() -> None:
    assert set(_known(MINIMAL)).isdisjoint(_known(MINIMAL.replace("nowhere", "elsewhere").replace("'q'", "'r'")))


def test_a_complaint_of_the_compiler_about_no_line_belongs_to_the_project() -> None:
    said = "CSC : error CS5001: Program does not contain a static 'Main' method [/w/n1/App/App.csproj]\n"
    assert _places(f"{said}\nBuild FAILED.\n\n{said}", TREE) == [("App/App.csproj CS5001", None)]


def test_an_error_in_a_project_file_comes_before_the_warnings_of_the_compiler() -> None:
    text = (
        "A.cs(1,36): warning CS0219: The variable 'unused' is assigned [/w/Exec/Exec.csproj]\n"
        "  Exec -> /w/Exec/bin/Debug/netcoreapp3.1/Exec.dll\n"
        '/w/Exec/Exec.csproj(2,151): error MSB3073: The command "exit 3" exited with code 3.\n'
        "/w/Exec/Exec.csproj(3,5): error : the budget is spent\n"
    )
    assert _places(text) == [("Exec.csproj MSB3073", 2), ("Exec.csproj", 3)]
    assert [f.message for f in _read(text)] == ['The command "exit 3" exited with code 3.', "the budget is spent"]


def test_an_error_in_the_targets_of_the_sdk_belongs_to_the_project_with_all_its_lines() -> None:
    place = "/opt/dotnet/sdk/3.1.102/NuGet.targets(123,5): error :"
    text = (
        f"{place} Unable to load the service index for source https://example.org/v3. [/w/Pkg/Pkg.csproj]\n"
        f"{place}   Name or service not known [/w/Pkg/Pkg.csproj]\n"
        f"\nBuild FAILED.\n\n"
        f"{place} Unable to load the service index for source https://example.org/v3. [/w/Pkg/Pkg.csproj]\n"
        f"{place}   Name or service not known [/w/Pkg/Pkg.csproj]\n"
    )
    (failure,) = _read(text)
    assert (failure.subject, failure.line) == ("Pkg.csproj", None)
    assert failure.message.endswith("example.org/v3.\nName or service not known")
    moved = text.replace("/opt/dotnet/sdk/3.1.102/NuGet.targets(123,5)", "/usr/lib/sdk/8.0.1/NuGet.targets(174,5)")
    assert _known(moved) == _known(text)


def test_the_further_lines_of_a_complaint_about_a_source_are_no_complaints() -> None:
    text = "A.cs(1,2): error XY0001: one [/w/A.csproj]\nA.cs(1,2): error XY0001:   two [/w/A.csproj]\n"
    assert [f.message for f in _read(text)] == ["one\ntwo"]


def test_two_complaints_with_one_place_and_one_code_are_two() -> None:
    text = "".join(
        f"A.cs(19,15): error CS0535: 'C' does not implement interface member 'I.{name}()' [/w/A.csproj]\n"
        for name in "FG"
    )
    assert len(set(_known(text))) == 2


def test_what_is_indented_belongs_only_to_the_line_above_it() -> None:
    text = "A.cs(1,2): error XY0001: one [/w/A.csproj]\n\nA.cs(1,2): error XY0001:   two [/w/A.csproj]\n"
    assert len(_read(text)) == 2


def test_a_wrong_argument_is_told_with_its_name() -> None:
    text = "MSBUILD : error MSB1009: Project file does not exist.\nSwitch: Gone.csproj\n"
    (failure,) = _read(text)
    assert (failure.subject, failure.file, failure.message) == (
        "MSB1009",
        None,
        "Project file does not exist.\nSwitch: Gone.csproj",
    )
    assert _known(text) != _known(text.replace("Gone", "Other"))


def test_a_project_that_cannot_be_read_is_known_again_when_its_lines_moved() -> None:
    text = "/w/App.csproj(2,102): error MSB4025: The 'Oops' start tag on line 2 position 95 does not match.\n"
    assert _places(text) == [("App.csproj MSB4025", 2)]
    assert _known(text) == _known(text.replace("(2,", "(4,").replace("line 2", "line 4"))


def test_a_source_outside_the_project_keeps_its_own_path() -> None:
    text = f"/w/n1/Shared.cs(1,22): error CS0103: {NOWHERE} [/w/n1/App/App.csproj]\n"
    assert _places(text, {"Shared.cs"}) == [("Shared.cs CS0103", 1)]
    assert _places(text) == [("Shared.cs CS0103", 1)]


def test_a_project_without_a_folder_adds_nothing_to_a_path() -> None:
    assert _places("Sub/A.cs(1,2): error CS1002: ; expected [App.csproj]\n") == [("Sub/A.cs CS1002", 1)]


def test_the_linker_of_visual_studio_names_the_project_or_the_object_file() -> None:
    text = (
        "  1>LINK : fatal error LNK1104: cannot open file 'gone.lib' [C:\\w\\app.vcxproj]\n"
        "  1>main.obj : error LNK2019: unresolved external symbol f [C:\\w\\app.vcxproj]\n"
    )
    assert _places(text) == [("app.vcxproj LNK1104", None), ("main.obj LNK2019", None)]


def test_what_only_looks_like_msbuild_is_left_to_others() -> None:
    assert _places("  see a.ts(1,2): error TS1: x\n  here : error : y\nb.ts(3,4): error TS2304: z\n") == [
        ("b.ts TS2304", 3)
    ]
    assert _places("a.ts(3,4): error TS2304: see : error [x.ts]\n): error (\n") == [("a.ts TS2304", 3)]
