"""A watch that was broken is told with the time until it had caught up; one that is resumed at once is not."""

from __future__ import annotations

import time

from harness.box import lag
from harness.box.lag import Lag
from harness.core.oracle.facts import Stall


class Watch:
    """A watch with a clock of the test's own."""

    def __init__(self) -> None:
        self.stalls: list[Stall] = []
        self.lag = Lag(self.stalls.append)
        self.has_all = False
        self.now = 100.0

    def at(self, now: float) -> Watch:
        self.now = now
        return self


def watch(monkeypatch) -> Watch:  # type: ignore[no-untyped-def]
    watched = Watch()
    monkeypatch.setattr(lag.time, "time", lambda: watched.now)
    return watched


def test_stall_lasts_until_all_has_arrived(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    watched = watch(monkeypatch)
    watched.lag.begin()
    watched.at(101).lag.begin()  # it could not be resumed: behind since the first time
    watched.at(102).lag.resume(lambda: watched.has_all)
    watched.at(102.5).lag.look()
    assert watched.stalls == [] and watched.lag.is_behind

    watched.has_all = True
    watched.at(103).lag.look()
    watched.at(104).lag.look()

    assert watched.stalls == [Stall(100.0, 103, "watch")]
    assert not watched.lag.is_behind


def test_break_before_it_has_caught_up_goes_on(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    watched = watch(monkeypatch)
    watched.lag.begin()
    watched.at(101).lag.resume(lambda: watched.has_all)
    watched.at(102).lag.begin()
    watched.has_all = True
    watched.at(103).lag.look()
    assert watched.stalls == [], "the list of the former connection says nothing any more"

    watched.at(104).lag.resume(lambda: watched.has_all)

    assert watched.stalls == [Stall(100.0, 104, "watch")]


def test_short_break_makes_nobody_late(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    watched = watch(monkeypatch)
    watched.lag.begin()
    watched.at(100.2).lag.resume(lambda: True)

    assert watched.stalls == []
    assert not watched.lag.is_behind


def test_clock_is_the_one_of_histories() -> None:
    stalls: list[Stall] = []
    short = Lag(stalls.append)
    before = time.time()
    short.begin()
    short.resume(lambda: time.time() - before > lag.LIMIT * 1.2)
    while not stalls:
        short.look()

    assert stalls[0].since >= before and stalls[0].until <= time.time()


def test_time_in_which_the_kind_was_not_served_is_none_in_which_a_watch_was_behind(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    watched = watch(monkeypatch)
    watched.lag.begin()
    watched.at(105).lag.begin(is_served=False)
    watched.at(130).lag.begin(is_served=False)
    watched.has_all = True
    watched.at(130.5).lag.resume(lambda: watched.has_all)
    assert watched.stalls == [Stall(130, 130.5, "watch")]
