"""The queue of keys: nothing is looked at twice at once, nothing is forgotten, failures come back later and later."""

from __future__ import annotations

import threading
import time

from harness.controllers.runtime import queue
from harness.controllers.runtime.queue import Queue

A, B = ("ns", "a"), ("ns", "b")


def test_a_key_added_twice_is_given_once_and_in_order() -> None:
    line = Queue()
    for key in (A, B, A):
        line.add(key)

    assert [line.get(), line.get()] == [A, B]
    line.add_after(B, 0.01)  # B is busy: it comes once it is done
    line.done(A)
    line.done(B)
    assert line.get() == B


def test_a_key_added_while_busy_is_given_again_only_when_done() -> None:
    line = Queue()
    line.add(A)
    assert line.get() == A
    line.add(A)
    line.add(B)

    assert line.get() == B
    line.done(A)
    assert line.get() == A


def test_failures_come_back_later_and_later_and_a_success_is_forgotten() -> None:
    line = Queue()
    delays = [line.retry(A) for _ in range(30)]

    assert delays[:4] == [0.05, 0.1, 0.2, 0.4]
    assert delays[-1] == queue.LAST_RETRY
    line.forget(A)
    assert line.retry(A) == queue.FIRST_RETRY


def test_the_earlier_of_two_times_counts() -> None:
    line = Queue()
    line.add_after(A, 60)
    line.add_after(A, 0.02)
    began = time.monotonic()

    assert line.get() == A
    assert time.monotonic() - began < 10


def test_a_time_that_has_passed_does_not_come_twice() -> None:
    line = Queue()
    line.add_after(A, 0.05)
    line.add_after(A, 0.01)
    assert line.get() == A
    line.done(A)
    line.add_after(B, 0.1)

    assert line.get() == B


def test_closing_wakes_everybody_who_waits() -> None:
    line, got = Queue(), []
    threads = [threading.Thread(target=lambda: got.append(line.get())) for _ in range(3)]
    for thread in threads:
        thread.start()
    line.close()
    for thread in threads:
        thread.join(timeout=5)

    assert got == [None, None, None]


def test_many_threads_never_hold_the_same_key() -> None:
    line, busy, wrong, looked = Queue(), set(), [], []

    def work() -> None:
        while (key := line.get()) is not None:
            if key in busy:
                wrong.append(key)
            busy.add(key)
            looked.append(key)
            time.sleep(0.0005)
            busy.discard(key)
            line.done(key)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for n in range(2000):
        line.add(("ns", str(n % 7)))
    while len(line):
        time.sleep(0.005)
    line.close()
    for thread in threads:
        thread.join(timeout=5)

    assert wrong == []
    assert set(looked) == {("ns", str(n)) for n in range(7)}
