"""What a command ends with."""

from enum import IntEnum


class ExitCode(IntEnum):
    """Codes of the command line, for scripts."""

    DONE = 0
    FAULT = 1  # of partitope itself; PARTITOPE_DEBUG=1 shows where
    REFUSED = 2  # the input cannot be used; nothing was written
    PARTLY = 3  # done, but not all that was asked for, such as a bound that is broken: the first line says what
    INTERRUPTED = 130  # from the keyboard
