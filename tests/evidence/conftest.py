"""What the tests of hostile input share: does the work grow with the size of a text, or with its square?"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

import pytest

LARGER = 16
"""How much larger the large text is. Linear work then takes 16 times as long, work with the square 256 times."""
ALLOWED = 64
"""In the middle between the two: a machine has to be four times slower, in the large part of every round, to disturb it."""
TOO_SHORT = 0.05
ROUNDS = 8

Work = Callable[[int], object]


def cpu(work: Work, size: int) -> float:
    started = time.process_time()
    work(size)
    return time.process_time() - started


@pytest.fixture(scope="session")
def linear() -> Callable[[Work], bool]:
    """Whether `work(16)` takes in proportion to `work(1)`; the least CPU time of several rounds counts."""

    def holds(work: Work) -> bool:
        small = large = float("inf")
        collecting = gc.isenabled()
        gc.disable()
        try:
            for _ in range(ROUNDS):
                small, large = min(small, cpu(work, 1)), min(large, cpu(work, LARGER))
                if large < max(ALLOWED * small, TOO_SHORT):
                    return True
        finally:
            if collecting:
                gc.enable()
        return False

    return holds
