"""The errors of partitope: each message names the argument, what came, what was expected, what to do."""

from __future__ import annotations

import re

LONGEST = 2000  # Characters of a message at most; the middle of a longer one is left out.


_NUMPY = re.compile(r"\bnp\.(?:\w+\(([^()]*)\)|(True|False)_)|\barray\((\[[^()]*\])(?:, dtype=\w+)?\)")


def plain(message: str) -> str:
    """A message without NumPy's names around numbers: ``np.float64(5.0)`` is 5.0, ``array([1.])`` is [1.]."""
    if "np." not in message and "array(" not in message:
        return message
    return _NUMPY.sub(lambda found: next(text for text in found.groups() if text is not None), message)


def one_line(error: BaseException | str) -> str:
    """The message of an error as one line; its type if it is empty."""
    return " ".join(str(error).split()) or type(error).__name__


class PartitopeError(Exception):
    """Base class of every error that partitope raises on purpose; its message is one line, whatever it quotes."""

    def __str__(self) -> str:
        message = plain(super().__str__())
        line = " ".join(message.split()) if "\n" in message else message
        return line if len(line) <= LONGEST else f"{line[: LONGEST // 2]} ... {line[-LONGEST // 2 :]}"


class InfeasibleBoundsError(PartitopeError, ValueError):
    """No clustering satisfies the size bounds; the message states the smallest repair."""


class InvalidInputError(PartitopeError, ValueError):
    """An argument or a table cannot be used as it came."""


class CapabilityError(PartitopeError, ValueError):
    """A backend or strategy was asked for something it does not declare; the message names who could."""


class MissingDependencyError(PartitopeError, ImportError):
    """An optional package that the chosen backend or strategy needs is not installed."""


class BrokenBoundsWarning(UserWarning):
    """The labels of a fit break a bound, or leave a cluster empty; the message names cluster, amount and unit."""


class NotOptimalError(PartitopeError, RuntimeError):
    """Optimality was required and is not proved."""
