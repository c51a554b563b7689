"""An agent's last words are kept without what it wrote."""

from __future__ import annotations

import pytest

from trueup.decide.thought import LONGEST, thought

BELIEF = "The operands were swapped."


@pytest.mark.parametrize(
    "code",
    [
        "```python\nreturn a + b\n```",
        "~~~\nreturn a\n~~~",
        "````\n```\nreturn a\n```\n````",
        "```\nnever closed\nreturn a",
        "diff --git a/x b/x\nindex 0123..4567\n@@ -1 +1 @@\n-    return a\n+    return b",
        "<<<<<<< ours\n=======\n>>>>>>> theirs",
        "    return a",
        "\treturn a",
        "I wrote `return a` there.",
        "Now add is a + b.",
        "Now it says x = 5.",
        "I call add(2, 3) instead.",
        "The result is a - b.",
        "return a",
        "def add",
        "import calc",
        "Changed to {2: 3}.",
    ],
)
def test_what_is_code_is_left_out_and_the_belief_stays(code: str) -> None:
    said = thought(f"{BELIEF}\n{code}\n")
    assert said.startswith(BELIEF)
    for word in ("return", "add", "calc", "a +", "= 5", "{", "@@", "<<<"):
        assert word not in said.removeprefix(BELIEF)


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("", ""),
        ("- The cache was stale.\n- Tests pass!", "The cache was stale. Tests pass!"),
        ("1. First idea\n2) Second idea", "First idea Second idea"),
        ("## Summary\nI looked at `cart.py` and `Cart.total()`.", "Summary I looked at cart.py and Cart.total()."),
        ("It is well-known (see above).", "It is well-known (see above)."),
    ],
)
def test_prose_and_names_stay(note: str, said: str) -> None:
    assert thought(note) == said


def test_it_is_one_short_line() -> None:
    said = thought("many words " * 200)
    assert (len(said), said[-1], "\n" in said) == (LONGEST, "…", False)
    assert thought(said) == said
