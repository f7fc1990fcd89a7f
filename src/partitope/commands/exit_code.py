"""What a command ends with."""

from enum import IntEnum


class ExitCode(IntEnum):
    """Codes of the command line, for scripts."""

    DONE = 0
    FAULT = 1  # of partitope itself; PARTITOPE_DEBUG=1 shows where
    REFUSED = 2  # the input cannot be used; nothing was written
    BROKEN = 3  # done, but rows that cannot be divided break a bound (`partitope cluster`): the first line says which
    INTERRUPTED = 130  # from the keyboard
