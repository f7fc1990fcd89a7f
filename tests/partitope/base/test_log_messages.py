"""Messages of a long run: told while they are listened to, and handed on to nobody who did not ask for them."""

from __future__ import annotations

import logging

from partitope.base.log_messages import heard


def test_others_hear_what_they_would_have_heard_anyway(caplog):
    logger, told = logging.getLogger("partitope.heard_in_a_test"), []
    logger.setLevel(logging.WARNING)
    with heard("partitope.heard_in_a_test", logging.INFO, told.append):
        logger.getChild("part").info("a step")
        logger.warning("a warning")
    logger.info("after it")
    assert told == ["a step", "a warning"]
    assert caplog.messages == ["a warning"]
    assert (logger.level, logger.propagate, logger.handlers) == (logging.WARNING, True, [])
