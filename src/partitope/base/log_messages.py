"""Messages of a long run, told while it runs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class _Teller(logging.Handler):
    """Tells every message, and hands on those that others would have heard without it."""

    def __init__(self, tell: Callable[[str], object], logger: logging.Logger) -> None:
        super().__init__()
        self.tell, self.usual = tell, logger.getEffectiveLevel()
        self.others = logger.parent if logger.propagate else None

    def emit(self, record: logging.LogRecord) -> None:
        self.tell(record.getMessage())
        if self.others is not None and record.levelno >= self.usual:
            self.others.callHandlers(record)


@contextmanager
def heard(name: str, level: int, tell: Callable[[str], object]) -> Iterator[None]:
    """Call ``tell`` with every message of the logger ``name`` from this level on, while the block runs."""
    logger = logging.getLogger(name)
    teller, before, propagate = _Teller(tell, logger), logger.level, logger.propagate
    logger.addHandler(teller)
    logger.setLevel(min(level, logger.getEffectiveLevel()))
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(teller)
        logger.setLevel(before)
        logger.propagate = propagate
