"""Checks of single values: numbers, names, seeds, paths, counts. Other values are refused (InvalidInputError)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidInputError, plain


def whole_number(value: object, name: str, least: int = 1, most: int = 2**63 - 1) -> int:
    """An integer from ``least`` to ``most``; a name such as "--starts" is an option of the command line."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= most:
        which = f"of at least {least}" if most == 2**63 - 1 else f"from {least} to {most}"
        raise InvalidInputError(f"{said(name, value)} is not usable: pass an integer {which}")
    return int(value)


def said(name: str, value: object) -> str:
    """An argument as its user wrote it: ``name=value``, or an option of the command line and its value."""
    return f"{name}{' ' if name.startswith('--') else '='}{plain(repr(value))}"


def in_interval(value: float, name: str, low: float, high: float, *, closed: bool = False) -> float:
    """A number strictly between ``low`` and ``high``, or with its ends if ``closed``."""
    number = as_number(value)
    if not (low <= number <= high if closed else low < number < high):
        if high < np.inf:
            where = f"in [{low:g}, {high:g}]" if closed else f"in ({low:g}, {high:g})"
        else:
            where = f"of at least {low:g}" if closed else f"above {low:g}"
        raise InvalidInputError(f"{name}={value!r} is not usable: pass a number {where}")
    return number


def number_or_nan(value: object, name: str) -> float:
    """A number of any size, or NaN where it is a float."""
    return value if isinstance(value, float) else single_number(value, name, finite=False)


def single_number(value: object, name: str, *, finite: bool = True) -> float:
    """A number, not NaN; infinite only where ``finite`` is False."""
    number = as_number(value)
    if np.isnan(number) or (finite and np.isinf(number)):
        raise InvalidInputError(f"{name}={value!r} is not usable: pass a {'finite ' if finite else ''}number")
    return number


def as_number(value: Any) -> float:
    """A single number as float; NaN for all that is none, such as a text or an array of several."""
    if isinstance(value, str | bytes) or not hasattr(type(value), "__float__"):
        return float("nan")
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


def check_weight(name: str, value: object) -> None:
    """Refuse a weight that is not a finite number of at least 0."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value < np.inf:
        raise InvalidInputError(f"{name}={value!r} is not usable: pass a finite number of at least 0")


def one_of(value: object, name: str, choices: tuple[object, ...]) -> None:
    """Refuse a value that is not among ``choices``."""
    if not any(value is choice or (np.isscalar(value) and value == choice) for choice in choices):
        raise InvalidInputError(f"{name}={value!r} is not known: choose one of {', '.join(repr(c) for c in choices)}")


def instance_of(value: object, name: str, kind: type, advice: str = "") -> None:
    """Refuse what is not a ``kind``; ``advice`` says what to pass instead."""
    if not isinstance(value, kind):
        raise InvalidInputError(
            f"{name} is {_kind_of(value)}, expected {_article(kind.__name__)}{': ' if advice else ''}{advice}"
        )


def check_part(part: object, name: str, method: str = "fit") -> None:
    """Refuse what lacks a method that the owner calls; None, which asks for no such part, passes."""
    if part is not None and not callable(getattr(part, method, None)):
        raise InvalidInputError(f"{name}={part!r} is not usable: pass an estimator with the method {method}, or None")


def check_progress(progress: object, arguments: str) -> None:
    """Refuse what is called after pieces of work, with these ``arguments``, and cannot be; None passes."""
    if progress is not None and not callable(progress):
        raise InvalidInputError(f"progress={progress!r} is not usable: pass a function of {arguments}, or None")


def as_path(value: str | Path, name: str = "path") -> Path:
    """A path of a file or a folder."""
    try:
        return Path(value)
    except TypeError:
        raise InvalidInputError(f"{name} is {_kind_of(value)}: pass the name of a file as a text or a Path") from None


def random_generator(seed: Any, name: str = "random_state") -> np.random.Generator:
    """NumPy's generator from a seed, a generator, or None."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"{name}={seed!r} is not usable: pass an integer of at least 0, a numpy Generator, or None"
        ) from None


def n_processes(n_jobs: object, name: str = "n_jobs") -> int | None:
    """A number of processes, -1 for all cores, -2 for all but one and so on, or None for one."""
    if n_jobs is None:
        return None
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs == 0:
        raise InvalidInputError(
            f"{said(name, n_jobs)} is not usable: pass 1, 2, ..., -1 for all cores, or leave it out for one"
        )
    return int(n_jobs)


def check_positive(owner: object, *names: str) -> None:
    """Refuse attributes of ``owner`` that are not integers of at least 1."""
    for name in names:
        whole_number(getattr(owner, name), name)


def check_clusters(n_clusters: int, n_points: int, fewest: int = 2) -> None:
    """Refuse fewer points than ``fewest``, and more clusters than points."""
    if n_points < fewest:
        raise InvalidInputError(f"n_samples={n_points} is too few: dependence is measured between at least two points")
    if n_clusters > n_points:
        raise InvalidInputError(
            f"n_clusters={n_clusters} exceeds n_samples={n_points}: ask for at most one cluster per point"
        )


def _kind_of(value: object) -> str:
    """What a value is, for a message: its type, and the value itself where that says more."""
    says_more = value is None or isinstance(value, bool | int | float | str)
    return repr(value) if says_more else _article(type(value).__name__)


def _article(noun: str) -> str:
    return f"{'an' if noun[:1] in 'AEIOaeio' or noun == 'ndarray' else 'a'} {noun}"
