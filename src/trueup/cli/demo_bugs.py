"""Which bugs does the demo let the search look for? Two that were not written for it, taken by a fixed rule.

Both are copies from the bug set of `make bench-search`. Of the bugs in one place: the one that the search repaired
after the fewest edits when the set was measured, so that the story ends alike on a slow machine. Of those that were put
there because they are out of its reach: the first by name for which it finds nothing in its usual budget; on the one
before, it finds a patch that passes the given tests and is wrong.
"""

REPAIRED = "round_extra_argument"
REPAIRED_FILES = {
    "shares.py": '''\
"""Sharing costs."""


def cents(amount):
    """Euro as a whole number of cents."""
    return round(amount * 100, 2)


def shares(amount, weights):
    """Cents for each weight; the sum is exact, the rest goes to the largest."""
    total = cents(amount)
    parts = [total * weight // sum(weights) for weight in weights]
    largest = weights.index(max(weights))
    parts[largest] += total - sum(parts)
    return parts


def balances(paid):
    """Name → what they get back (or owe, below 0), in cents."""
    names = sorted(paid)
    each = shares(sum(paid.values()), [1] * len(names))
    return {name: cents(paid[name]) - part for name, part in zip(names, each)}


def settled(balance):
    """(from, to, cents) until nobody owes anything."""
    open_balance = dict(balance)
    transfers = []
    while any(open_balance.values()):
        debtor = min(open_balance, key=open_balance.get)
        creditor = max(open_balance, key=open_balance.get)
        amount = min(-open_balance[debtor], open_balance[creditor])
        open_balance[debtor] += amount
        open_balance[creditor] -= amount
        transfers.append((debtor, creditor, amount))
        if amount == 0:
            raise ValueError("it does not add up")
    return transfers


def shown(amount):
    return f"{amount // 100}.{amount % 100:02d}"
''',
    "test_shares.py": """\
import pytest

from shares import balances, cents, settled, shares, shown


def test_cents():
    assert str(cents(12.5)) == "1250"


def test_cents_are_whole():
    assert isinstance(cents(0.29), int)


def test_shares():
    assert shares(100, [1, 1]) == [5000, 5000]


def test_rest_goes_to_the_largest():
    assert shares(0.1, [1, 2, 1]) == [2, 6, 2]


def test_settled():
    assert settled({"a": -5, "b": 5}) == [("a", "b", 5)]


def test_nobody_owes():
    assert settled({"a": 0}) == []


def test_shown():
    assert shown(1205) == "12.05"
""",
}
OUT_OF_REACH = "far_cron_fields"
OUT_OF_REACH_FILES = {
    "schedule.py": '''\
"""Schedules such as '*/15 9-17 * *': minute, hour, day, month."""

from datetime import datetime, timedelta

LIMITS = ((0, 59), (0, 23), (1, 31), (1, 12))


class BadSchedule(ValueError):
    pass


def numbers(field, low, high):
    """Which numbers a field allows: '5', '1,2', '9-17', '*', '*/15', '10-30/10'."""
    allowed = set()
    for part in field.split(","):
        if part == "*":
            allowed.update(range(low, high + 1))
        elif part.isdigit() and low <= int(part) <= high:
            allowed.add(int(part))
        else:
            raise BadSchedule(f"{part!r} in {field!r}")
    return allowed


class Schedule:
    def __init__(self, text):
        fields = text.split()
        if len(fields) != len(LIMITS):
            raise BadSchedule(f"{len(fields)} fields: {text!r}")
        self._allowed = [numbers(field, *limits) for field, limits in zip(fields, LIMITS)]

    def matches(self, time):
        parts = (time.minute, time.hour, time.day, time.month)
        return all(part in allowed for part, allowed in zip(parts, self._allowed))

    def next(self, time, limit=100_000):
        """The first match after `time`."""
        time = time.replace(second=0, microsecond=0)
        for _ in range(limit):
            time += timedelta(minutes=1)
            if self.matches(time):
                return time
        return None


def times(text, start, count):
    found = []
    schedule = Schedule(text)
    while len(found) < count:
        start = schedule.next(start)
        found.append(start)
    return [time.strftime("%d %H:%M") for time in found]


START = datetime(2024, 1, 1)
''',
    "test_schedule.py": """\
from datetime import datetime

import pytest

from schedule import START, BadSchedule, Schedule, numbers, times


def test_star():
    assert numbers("*", 0, 3) == {0, 1, 2, 3}


def test_list():
    assert numbers("1,3", 0, 5) == {1, 3}


def test_range():
    assert numbers("2-4", 0, 5) == {2, 3, 4}


def test_step():
    assert numbers("*/20", 0, 59) == {0, 20, 40}


def test_too_large():
    with pytest.raises(BadSchedule):
        numbers("60", 0, 59)


def test_matches():
    assert Schedule("30 9 * *").matches(datetime(2024, 5, 5, 9, 30))


def test_next():
    assert times("0 12 * *", START, 2) == ["01 12:00", "02 12:00"]


def test_fields():
    with pytest.raises(BadSchedule):
        Schedule("* *")
""",
}
