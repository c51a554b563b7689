"""While a check proves, Python finds what it needs compiled, keeps nothing, and what somebody compiles voids the report."""

import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from trueup.decide.task import CheckSpec

PYTHON = f"{shlex.quote(sys.executable)} -S"
WRITES = """
    import sys
    from importlib.util import cache_from_source
    from pathlib import Path
    for name in sys.argv[1:]:
        place = Path(cache_from_source(str(Path(name).absolute())))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(b"code")
    """
ASKS = """
    import sys
    from importlib.util import find_spec
    from pathlib import Path
    for name in sys.argv[1:]:
        assert Path(find_spec(name).cached).exists(), name
    """
FILES = {"calc.py": "add = 1\n", "tests/test_calc.py": "import calc\n", "writes.py": WRITES, "asks.py": ASKS}


def void(lab: Any, *commands: str, **more: object) -> str:
    check = CheckSpec(name="tests", run=("sh", "-ec", "\n".join(commands)))
    report = lab.report(FILES, check, keeps_compiled=False, **more)
    assert more.get("fails") or [r.reason for r in report.results] == [""], report.results[0].excerpt
    return str(report.void)


def test_what_a_check_loaded_before_is_there_and_nothing_else_is_kept(lab: Any) -> None:
    loads = f"{PYTHON} -c 'import calc, pyclbr'"
    asks = f"{PYTHON} asks.py calc pyclbr"
    loaded: dict[str, object] = {}
    assert lab.report(FILES, loads, loaded=loaded).void == ""
    (result,) = lab.report(FILES, loads + " && " + asks, loaded=loaded, keeps_compiled=False).results
    assert result.reason == "", result
    (result,) = lab.report(FILES, loads + " && " + asks, keeps_compiled=False).results
    assert result.exit_code == 1, "Python kept what it compiled"


@pytest.mark.parametrize(
    ("file", "named"),
    [
        (shlex.quote(shlex.__file__), shlex.__file__),
        ("/usr/lib/of/nobody.py", "/usr/lib/of/nobody.py"),
        ("tests/test_calc.py", "tests/test_calc.py"),
    ],
)
def test_compiled_code_of_packages_and_tests_voids_the_report(lab: Any, file: str, named: str) -> None:
    assert void(lab, f"{PYTHON} writes.py {file}") == f"written while tests ran: compiled code of {named}"


def test_so_does_code_that_was_there_for_a_while(lab: Any) -> None:
    said = void(lab, f"{PYTHON} writes.py /nowhere/nobody.py", "rm -r ../bytecode/nowhere")
    assert said == "written while tests ran: compiled code of /"


def test_what_a_check_may_write_anyway_it_may_compile(lab: Any) -> None:
    made = "mkdir -p .nox/lib && touch .nox/lib/test_thing.py $TMPDIR/made.py"
    assert void(lab, made, f"{PYTHON} writes.py calc.py .nox/lib/test_thing.py $TMPDIR/made.py") == ""


def test_a_check_that_says_that_it_compiles_the_tree_may_do_so(lab: Any) -> None:
    assert void(lab, f"{PYTHON} -m compileall -q -f .") == ""
    assert void(lab, f"{PYTHON} -m py_compile tests/test_calc.py") == ""
    said = void(lab, f"{PYTHON} -m py_compile tests/test_calc.py", f"{PYTHON} writes.py /usr/lib/of/nobody.py")
    assert said.endswith("compiled code of /usr/lib/of/nobody.py")


@pytest.mark.parametrize("linked", [True, False])
def test_compiled_code_of_an_environment_on_the_bench_voids_it(lab: Any, *, linked: bool) -> None:
    """Whether it was made there, or is a link to the checkout's."""
    tree = lab.load(FILES)
    place: Path = lab.checkout if linked else lab.bench.folder
    (place / ".venv/lib").mkdir(parents=True)
    (place / ".venv/lib/module.py").write_text("")
    if linked:
        (lab.bench.folder / ".venv").symlink_to(lab.checkout / ".venv")
    request = lab.request(f"{PYTHON} writes.py .venv/lib/module.py")
    given = {"sealed": (place / ".venv",), "keeps_compiled": False}
    report = lab.run(tree, type(request)(**{name: getattr(request, name) for name in request.__slots__} | given))
    assert report.void.endswith("compiled code of .venv/lib/module.py")
