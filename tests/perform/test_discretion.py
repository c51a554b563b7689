"""No record that a performer hands on holds a secret."""

from trueup.decide.moves import AgentStatus, Attempted, PutBack, PutBackWhy, TreeVerified
from trueup.evidence.redact import Redactor
from trueup.evidence.report import CheckResult, CheckStatus, Report
from trueup.perform.discretion import discreet

REDACT = Redactor(["hunter-22"]).redact


def test_texts_wherever_they_are_lose_their_secrets() -> None:
    back = PutBack(path="tests/hunter-22.py", why=PutBackWhy.PROTECTED, detail="hunter-22")
    record = Attempted(
        number=1, agent=AgentStatus.DONE, raw="hunter-22", candidate="b", changed=("a", "x/hunter-22"), put_back=(back,)
    )
    kept = discreet(record, REDACT)
    assert kept.changed == ("a", "x/[redacted]")
    assert kept.put_back[0].path == "tests/[redacted].py"
    assert kept.raw == "hunter-22"  # the name of a tree is a digest, and has to lead there
    assert kept.agent is AgentStatus.DONE


def test_a_record_without_secrets_is_handed_on_as_it_is() -> None:
    record = Attempted(number=1, agent=AgentStatus.DONE, raw="a", candidate="b")
    assert discreet(record, REDACT) is record


def test_of_the_agents_own_tests_not_even_the_file_is_named() -> None:
    ids = ("tests/test_hunter-22.py::test_it",)
    own = CheckResult(check="tests", status=CheckStatus.PASSED, exit_code=0, passed=ids, inventory=ids)
    main = CheckResult(check="tests", status=CheckStatus.PASSED, exit_code=0, extra=(own,))
    kept = discreet(TreeVerified(tree="a", report=Report(tree="a", results=(main,))), REDACT)
    assert kept.report.results[0].extra[0].inventory == ("tests/test_[redacted].py::test_it",)
