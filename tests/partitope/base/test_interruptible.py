"""Ctrl-C ends what compiled code does, and leaves the next call alone."""

import os
import signal
import threading
from contextlib import contextmanager

import numpy as np
import pytest

from partitope.base.interruptible import interruptible
from partitope.models import PartitionPolytope
from partitope.solvers import evenest


@contextmanager
def interrupt_in(seconds: float):
    """Ctrl-C after this time, unless the block has ended by then: no signal is left for another test."""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def test_an_interrupt_is_heard_and_the_call_is_asked_to_end():
    ended, event = [], threading.Event()
    with interrupt_in(0.2), pytest.raises(KeyboardInterrupt):
        interruptible(lambda: ended.append(event.wait(60.0)), event.set)
    assert ended == [True]
    assert interruptible(lambda: 7) == 7


def test_a_call_that_does_not_end_is_left_alone():
    event = threading.Event()
    with interrupt_in(0.2), pytest.raises(KeyboardInterrupt):
        interruptible(lambda: event.wait(60.0))
    assert interruptible(threading.get_ident) != threading.get_ident()  # by another thread, without waiting for it
    event.set()


def test_errors_and_calls_of_other_threads_go_through():
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 // 0)
    here = []
    other = threading.Thread(target=lambda: here.append(interruptible(threading.current_thread)))
    other.start()
    other.join()
    assert here == [other]


def test_highs_hears_an_interrupt():
    weights = np.clip(np.random.default_rng(0).lognormal(0, 2, 60), 0, 8)
    with interrupt_in(1.0), pytest.raises(KeyboardInterrupt):  # minutes without
        evenest(PartitionPolytope(60, weights=weights, n_clusters=9))
