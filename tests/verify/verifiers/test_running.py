"""How verifiers are loaded, ordered, limited in time and kept apart."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from trueup import plugins
from trueup.act.process import Cancelled
from trueup.config.builtin import NAMES
from trueup.errors import UsageError
from trueup.evidence.failure import Failure
from trueup.evidence.report import CheckStatus
from trueup.verify.verifiers import BUILTIN, GROUP, NEEDS, running
from trueup.verify.verifiers.base import Bench, Reach, Verdict

from .conftest import Folder

MADE: dict[str, type] = {}


class Ten:
    """A third party's verifier: every shell script says what interprets it. As in docs/gate.md."""

    name = "shebangs"
    question = "does every script say what runs it?"
    reach = Reach.STATIC
    needs = ()

    def verify(self, bench: Bench) -> Verdict:
        bad = [p for p in bench.files.ending(".sh") if not (bench.files.text(p) or "").startswith("#!")]
        return Verdict(
            failures=tuple(
                Failure(
                    check=self.name, subject=p, kind="no-shebang", message=f"{p} has no #! line", file=p, test=False
                )
                for p in bad
            )
        )


def verifier(name: str, verdict: object = None, *, needs: tuple[str, ...] = (), does: object = None) -> type:
    def verify(self: object, bench: Bench) -> object:
        if callable(does):
            return does(bench)
        return Verdict() if verdict is None else verdict

    shape = {"name": name, "question": "?", "reach": Reach.STATIC, "needs": needs, "verify": verify}
    MADE[name] = type(name.title(), (), shape)
    return MADE[name]


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test makes is installed like a package's own, through the door for plug-ins."""
    MADE.clear()
    MADE["shebangs"] = Ten

    def points(*, group: str) -> list[EntryPoint]:
        if group != GROUP:
            return []
        return [EntryPoint(name, f"{__name__}:{name}", group) for name in MADE] + [
            EntryPoint("broken", "no_such_module_at_all:X", group)
        ]

    def load(point: EntryPoint) -> object:
        if point.name in MADE:
            return MADE[point.name]
        return original(point)

    original = EntryPoint.load
    monkeypatch.setattr(plugins, "entry_points", points)
    monkeypatch.setattr(EntryPoint, "load", load)
    running.verifier.cache_clear()
    yield
    running.verifier.cache_clear()


def failure(check: str, kind: str = "k") -> Failure:
    return Failure(check=check, subject=f"a.py {kind}", kind=kind, message="bad", file="a.py", test=False)


def test_a_verifier_of_somebody_else_in_ten_lines_is_asked_like_our_own(folder: Folder) -> None:
    folder.write({"a.sh": "echo\n", "b.sh": "#!/bin/sh\n"})

    verdict = folder.say("shebangs")

    assert [f.file for f in verdict.failures] == ["a.sh"]
    result = running.result_of("shebangs", verdict)
    assert result.status is CheckStatus.FAILED
    assert result.failures[0].key == "shebangs a.sh"


def test_a_plug_in_that_cannot_be_loaded_harms_only_itself(folder: Folder) -> None:
    verdicts = folder.write({"a.sh": "#!/bin/sh\n"}).ask("broken", "shebangs")

    assert "no_such_module_at_all" in verdicts["broken"].error
    assert verdicts["shebangs"].passed


def test_the_builtin_names_in_the_configuration_are_those_of_the_table() -> None:
    assert tuple(BUILTIN) == NAMES
    assert running.known()[: len(NAMES)] == NAMES
    assert "shebangs" in running.known()


def test_what_the_table_says_they_need_is_what_they_say_themselves() -> None:
    assert {name: tuple(running.verifier(name).needs) for name in BUILTIN} == NEEDS


def test_one_that_crashes_is_an_error_and_one_that_does_not_apply_is_skipped(folder: Folder) -> None:
    verifier("crash", does=lambda _: 1 // 0)
    verifier("odd", verdict="yes")
    verifier("quiet", Verdict(skipped="no such file"))

    results = {name: running.result_of(name, verdict) for name, verdict in folder.ask("crash", "odd", "quiet").items()}

    assert results["crash"].status is CheckStatus.ERROR
    assert results["crash"].reason == "crashed: ZeroDivisionError: integer division or modulo by zero"
    assert "str instead of a Verdict" in results["odd"].reason
    assert (results["quiet"].status, results["quiet"].applies) == (CheckStatus.SKIPPED, False)


def test_each_comes_after_what_it_needs_and_sees_what_that_said(folder: Folder) -> None:
    seen: list[str] = []

    def look(bench: Bench) -> Verdict:
        seen.append(bench.earlier["first"].made["address"])
        return Verdict()

    verifier("first", Verdict(made={"address": "here"}))
    verifier("second", needs=("first",), does=look)

    assert list(folder.ask("second")) == ["first", "second"]
    assert seen == ["here"]


def test_one_whose_prerequisite_failed_is_not_run_and_says_why(folder: Folder) -> None:
    verifier("first", Verdict(failures=(failure("first"),)))
    verifier("second", needs=("first",))
    verifier("third", needs=("second",))

    verdicts = folder.ask("third")

    assert verdicts["second"].blocked == "needs first, which failed"
    assert verdicts["third"].blocked == "needs second, which was not run"
    result = running.result_of("second", verdicts["second"])
    assert (result.status, result.applies) == (CheckStatus.SKIPPED, True)


def test_one_whose_prerequisite_does_not_apply_is_run(folder: Folder) -> None:
    verifier("first", Verdict(skipped="nothing to install"))
    verifier("second", needs=("first",))

    assert folder.ask("second")["second"].passed


def test_verifiers_that_wait_for_each_other_are_refused() -> None:
    verifier("a", needs=("b",))
    verifier("b", needs=("a",))

    with pytest.raises(UsageError, match="wait for each other: a → b → a"):
        running.in_order(["a"])


def test_one_that_does_not_mind_its_deadline_is_left_behind(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_LATE", 0.1)
    release = threading.Event()
    verifier("slow", does=lambda _: release.wait(60) and Verdict())
    began = time.monotonic()

    verdict = folder.ask("slow", slow={"timeout": 0.2})["slow"]

    release.set()
    assert verdict.error == "did not finish within 0.2 s"
    assert time.monotonic() - began < 30


def test_a_cancelled_run_does_not_wait_for_a_verifier(folder: Folder) -> None:
    release = threading.Event()
    verifier("slow", does=lambda _: release.wait(60) and Verdict())
    threading.Timer(0.2, folder.processes.cancel).start()

    with pytest.raises(Cancelled):
        folder.ask("slow")
    release.set()


def test_a_kind_that_is_switched_off_is_not_heard_of(folder: Folder) -> None:
    verifier(
        "picky", Verdict(failures=(failure("picky", "one"), failure("picky", "two")), advice=(failure("picky", "one"),))
    )

    verdict = folder.say("picky", picky={"off": ["one"]})

    assert [f.kind for f in verdict.failures] == ["two"]
    assert verdict.advice == ()


def test_what_is_known_about_a_content_is_not_found_out_twice(folder: Folder) -> None:
    folder.write({"a.py": "x = 1\n"})
    asked: list[str] = []

    def length(path: str) -> int:
        asked.append(path)
        return len(folder.files().content(path) or b"")

    assert [folder.files().fact("length/1", "a.py", length) for _ in range(2)] == [6, 6]
    folder.write({"a.py": "x = 12\n"})
    assert folder.files().fact("length/1", "a.py", length) == 7
    assert asked == ["a.py", "a.py"]


def test_facts_outlive_the_process_that_found_them(tmp_path: Path) -> None:
    from trueup.act.facts import Facts

    file = tmp_path / "facts"
    facts = Facts(file)
    facts.of("n/1", "id", lambda: ["x"])
    facts.keep()

    assert Facts(file).of("n/1", "id", lambda: pytest.fail("asked again")) == ["x"]
    file.write_text("[broken")
    assert Facts(file).known("n/1", "id") is None


def test_a_report_in_which_nothing_applies_is_no_pass() -> None:
    nothing = running.report_of("t", {"quiet": Verdict(skipped="no file")})
    something = running.report_of("t", {"quiet": Verdict(skipped="no file"), "other": Verdict()})

    assert not nothing.all_passed
    assert something.all_passed
