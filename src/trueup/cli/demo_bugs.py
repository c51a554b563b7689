"""Which bugs does the demo let the search look for? Two that were not written for it, taken by a fixed rule.

Both are copies from the bug set of `make bench-search`. Of the bugs in one place: the first by name that the search
repairs. Of those that were put there because they are out of its reach: the first by name for which it finds nothing in
its usual budget; on the one before, it finds a patch that passes the given tests and is wrong.
"""

REPAIRED = "account_overdraft"
REPAIRED_FILES = {
    "account.py": '''\
"""A bank account with an overdraft limit."""


class Refused(Exception):
    pass


class Account:
    def __init__(self, owner, balance=0, overdraft=0):
        self.owner = owner
        self.balance = balance
        self.overdraft = overdraft
        self.entries = []

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        self.balance += amount
        self.entries.append(("in", amount))

    def withdraw(self, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        self.balance -= amount
        if self.balance < -self.overdraft:
            raise Refused(f"{self.owner} has no {amount}")
        self.entries.append(("out", amount))

    def statement(self):
        return [f"{kind:>3} {amount}" for kind, amount in self.entries]


def transfer(source, target, amount):
    """All or nothing."""
    source.withdraw(amount)
    target.deposit(amount)


def richest(accounts):
    return max(accounts, key=lambda account: account.balance).owner
''',
    "test_account.py": """\
import pytest

from account import Account, Refused, richest, transfer


def test_withdraw():
    account = Account("Ann", 100)
    account.withdraw(30)
    assert account.balance == 70


def test_to_the_last_cent():
    account = Account("Ann", 100)
    account.withdraw(100)
    assert account.balance == 0


def test_refused():
    account = Account("Ann", 100)
    with pytest.raises(Refused):
        account.withdraw(101)


def test_refused_changes_nothing():
    account = Account("Ann", 100, overdraft=50)
    with pytest.raises(Refused):
        account.withdraw(151)
    assert account.balance == 100


def test_overdraft():
    account = Account("Ann", 100, overdraft=50)
    account.withdraw(150)
    assert account.balance == -50


def test_transfer():
    one, other = Account("Ann", 100), Account("Bob")
    transfer(one, other, 40)
    assert (one.balance, other.balance) == (60, 40)


def test_statement():
    account = Account("Ann")
    account.deposit(5)
    account.withdraw(3)
    assert account.statement() == [" in 5", "out 3"]
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
