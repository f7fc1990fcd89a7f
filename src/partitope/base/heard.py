"""Messages of a long run, told while it runs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class _Teller(logging.Handler):
    """Passes every message on."""

    def __init__(self, tell: Callable[[str], object]) -> None:
        super().__init__()
        self.tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        self.tell(record.getMessage())


@contextmanager
def heard(name: str, level: int, tell: Callable[[str], object]) -> Iterator[None]:
    """Call ``tell`` with every message of the logger ``name`` from this level on, while the block runs."""
    logger, teller = logging.getLogger(name), _Teller(tell)
    before, propagate = logger.level, logger.propagate
    logger.propagate = propagate and logger.isEnabledFor(level)  # others hear no more than they asked for
    logger.addHandler(teller)
    logger.setLevel(min(level, logger.getEffectiveLevel()))
    try:
        yield
    finally:
        logger.removeHandler(teller)
        logger.setLevel(before)
        logger.propagate = propagate
