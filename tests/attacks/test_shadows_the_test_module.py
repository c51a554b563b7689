"""A package named like the test's module would be loaded in its place."""

from collections.abc import Callable

from trueup.testing import Driven

GREEN = "def test_add():\n    pass\n\n\ndef test_double():\n    pass\n\n\ndef test_nothing():\n    pass\n"


def test_no_package_stands_in_for_a_test(
    attack: Callable[..., Driven], gone_back: Callable[[Driven], set[str]]
) -> None:
    planted = {
        "tests/test_calc/__init__.py": GREEN,
        "tests/test_calc.cpython-311-x86_64-linux-gnu.so": "\x7fELF",
        "tests/__init__.py": "import sys\n",
    }
    result = attack(planted, attempts=1)
    assert {"tests/test_calc/__init__.py", "tests/test_calc.cpython-311-x86_64-linux-gnu.so"} <= gone_back(result)
    assert result.outcome.fixed == ()
