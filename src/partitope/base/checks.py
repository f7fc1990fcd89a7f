"""Checks of arguments, each written once: what does not fit is refused in one line that says what to pass instead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InvalidInputError
from .moved import former_names

__getattr__ = former_names(__name__)


def whole_number(value: Any, name: str, least: int = 1) -> int:
    """An integer of at least ``least``; a name such as "--starts" is an option of the command line.

    Raises
    ------
    InvalidInputError
        When it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value < 2**63:
        given = f"{name} {value}" if name.startswith("--") else f"{name}={value!r}"
        raise InvalidInputError(f"{given} is not usable: pass an integer of at least {least}")
    return int(value)


def instance_of(value: Any, name: str, kind: type, advice: str = "") -> None:
    """Refuse what is no ``kind``; ``advice`` says what to pass instead.

    Raises
    ------
    InvalidInputError
        When it is another thing.
    """
    if not isinstance(value, kind):
        raise InvalidInputError(
            f"{name} is {_kind_of(value)}, expected {_article(kind.__name__)}{': ' if advice else ''}{advice}"
        )


def as_path(value: Any, name: str = "path") -> Path:
    """A path of a file or a folder.

    Raises
    ------
    InvalidInputError
        When it is neither a text nor a path.
    """
    try:
        return Path(value)
    except TypeError:
        raise InvalidInputError(f"{name} is {_kind_of(value)}: pass the name of a file as a text or a Path") from None


def random_generator(seed: Any, name: str = "random_state") -> np.random.Generator:
    """NumPy's generator from a seed, a generator, or None.

    Raises
    ------
    InvalidInputError
        When it is none of these.
    """
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"{name}={seed!r} is not usable: pass an integer of at least 0, a numpy Generator, or None"
        ) from None


def n_processes(n_jobs: Any, name: str = "n_jobs") -> int | None:
    """A number of processes, -1 for all cores, -2 for all but one and so on, or None for one.

    Raises
    ------
    InvalidInputError
        When it is none.
    """
    if n_jobs is None:
        return None
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs == 0:
        given = f"{name} {n_jobs}" if name.startswith("--") else f"{name}={n_jobs!r}"
        raise InvalidInputError(f"{given} is not usable: pass 1, 2, ..., -1 for all cores, or leave it out for one")
    return int(n_jobs)


def check_positive(owner: Any, *names: str) -> None:
    """Refuse attributes of ``owner`` that are not integers of at least 1.

    Raises
    ------
    InvalidInputError
        When one is none.
    """
    for name in names:
        whole_number(getattr(owner, name), name)


def check_clusters(n_clusters: int, n_points: int, fewest: int = 2) -> None:
    """Refuse fewer points than ``fewest``, and more clusters than points.

    Raises
    ------
    InvalidInputError
        When there are too few points, or more clusters.
    """
    if n_points < fewest:
        raise InvalidInputError(f"n_samples={n_points} is too few: dependence is measured between at least two points")
    if n_clusters > n_points:
        raise InvalidInputError(
            f"n_clusters={n_clusters} exceeds n_samples={n_points}: ask for at most one cluster a point"
        )


def class_codes(y: ArrayLike, name: str = "y") -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The classes of y (n,) in sorted order, and the place of each entry's class among them.

    Raises
    ------
    InvalidInputError
        When it is no vector, its entries cannot be sorted, or all are of one class.
    """
    target = as_array(y, name)
    if target.ndim != 1 or not target.size:
        raise InvalidInputError(f"{name} has shape {target.shape}, expected (n,) with n >= 1: pass one class a row")
    classes, places = distinct(target, name)
    if len(classes) < 2:
        raise InvalidInputError(f"{name} holds one class only, '{classes[0]}': expected at least two")
    return classes, places


def distinct(values: NDArray[Any], name: str) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The different entries of an array in sorted order, and the place of each entry among them.

    Raises
    ------
    InvalidInputError
        When they cannot be sorted, as numbers beside texts, or None.
    """
    try:
        found, places = np.unique(values, return_inverse=True)
    except TypeError:
        raise InvalidInputError(
            f"{name} mixes values that cannot be sorted, as numbers beside texts: pass one type, without missing ones"
        ) from None
    return found, places.astype(np.int64)


def require_target(estimator: Any, y: Any) -> None:
    """Refuse a missing target, in the words that scikit-learn's own checks look for.

    Raises
    ------
    InvalidInputError
        When y is None.
    """
    if y is None:
        raise InvalidInputError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")


def class_target(estimator: Any, X: Any, y: ArrayLike | None) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """`class_codes` of the target of an estimator that learns from the rows X.

    Raises
    ------
    InvalidInputError
        When y is None, holds numbers that are no classes, is of one class, or is not as long as X.
    """
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import _check_y, check_consistent_length, column_or_1d

    require_target(estimator, y)
    target = _check_y(column_or_1d(y, warn=True), multi_output=False)
    check_consistent_length(X, target)
    check_classification_targets(target)
    return class_codes(target)


def as_array(values: ArrayLike, name: str) -> NDArray[Any]:
    """An array of what is given; a copy only if needed.

    Raises
    ------
    InvalidInputError
        When its rows are of different lengths.
    """
    try:
        return np.asarray(values)
    except (TypeError, ValueError):
        raise InvalidInputError(f"{name} holds rows of different lengths: pass an array") from None


def as_entries(value: Any, name: str) -> tuple[list[Any], bool]:
    """The entries of what may be one thing or a sequence, and whether it is a sequence.

    Raises
    ------
    InvalidInputError
        When it has more than one dimension.
    """
    array = as_array(value, name)
    if array.ndim > 1:
        raise InvalidInputError(f"{name} has shape {array.shape}: pass one value, or a sequence of values")
    return (list(value), True) if array.ndim else ([value], False)


def as_floats(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """An array of float64, of any shape; a copy only if needed.

    Raises
    ------
    InvalidInputError
        When an entry is no number, or rows are of different lengths.
    """
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInputError(f"{name} holds no numbers, or rows of different lengths: pass an array") from None


def finite_rows(
    X: ArrayLike, name: str = "X", n_rows: int | None = None, n_columns: int | None = None
) -> NDArray[np.float64]:
    """Finite numbers (n, d) as float64; ``n_rows`` and ``n_columns`` where n and d are known. A copy only if needed.

    Raises
    ------
    InvalidInputError
        When the shape is another one, or an entry is not finite.
    """
    points = as_floats(X, name)
    wanted = (n_rows, n_columns)
    fits = points.ndim == 2 and all(w is None or s == w for s, w in zip(points.shape, wanted))
    if not fits or not np.isfinite(points).all():
        n, d = ("n_points" if n_rows is None else n_rows), ("n_features" if n_columns is None else n_columns)
        held = f": row {_first_missing(points)} holds NaN or infinity" if fits else ""
        raise InvalidInputError(f"{name} has shape {points.shape}, expected a finite ({n}, {d}) array{held}")
    return points


def finite_vector(values: ArrayLike, name: str, n: int, of: str) -> NDArray[np.float64]:
    """A new float64 array of n finite numbers, one for each ``of`` what there are n.

    Raises
    ------
    InvalidInputError
        When the shape is another one, or a number is NaN or infinite.
    """
    array, expected = np.array(as_floats(values, name)), f"expected {n} finite numbers: one a {of}"
    if array.shape != (n,):
        raise InvalidInputError(f"{name} has shape {array.shape}, {expected}")
    if not np.isfinite(array).all():
        raise InvalidInputError(f"{name} is NaN or infinite at position {_first_missing(array)}, {expected}")
    return array


def zero_one(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """A vector (n,) of classes 0 and 1.

    Raises
    ------
    InvalidInputError
        When it is empty, not a vector, or holds anything but 0 and 1.
    """
    array = as_array(values, name)
    if array.ndim != 1 or not array.size:
        raise InvalidInputError(f"{name} has shape {array.shape}, expected (n,) with n >= 1")
    found = distinct(array[~_missing(array)], name)[0].tolist()
    if _missing(array).any() or not set(found) <= {0, 1}:
        shown = ", ".join(str(v) for v in found[:4]) + (", ..." if len(found) > 4 else "")
        missing = " and missing values" if _missing(array).any() else ""
        raise InvalidInputError(
            f"{name} holds {shown}{missing}, expected 0 and 1: encode the class, leave out unknown rows"
        )
    return array.astype(np.int64)


def cluster_numbers(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """A vector (n,) of cluster numbers of at least 0.

    Raises
    ------
    InvalidInputError
        When it is not a vector of integers of at least 0.
    """
    array = as_array(values, name)
    if array.ndim != 1:
        raise InvalidInputError(f"{name} has shape {array.shape}, expected (n,)")
    if not array.size:
        return array.astype(np.int64)
    if array.dtype.kind not in "iu" and not (array.dtype.kind == "f" and np.array_equal(array, np.round(array))):
        raise InvalidInputError(f"{name} holds {array.dtype} values, expected cluster numbers 0, 1, ...")
    if array.min() < 0:
        raise InvalidInputError(
            f"{name} holds {array.min()}, expected cluster numbers of at least 0: leave out such rows"
        )
    return array.astype(np.int64)


def checked_labels(labels: ArrayLike, n_points: int, n_clusters: int) -> NDArray[np.int64]:
    """Labels (n_points,) as integers, each of 0..n_clusters-1.

    Raises
    ------
    InvalidInputError
        When the length is wrong, a label is not a whole number, or it names no cluster.
    """
    y = as_array(labels, "labels")
    if y.shape != (n_points,):
        raise InvalidInputError(f"labels has shape {y.shape}, expected ({n_points},): pass one label a point")
    integer = y.dtype.kind in "biu"
    whole = y.astype(np.int64) if integer or (y.dtype.kind == "f" and np.isfinite(y).all()) else None
    if whole is None or (not integer and (whole != y).any()):
        raise InvalidInputError("labels must be whole numbers: number the clusters 0, 1, ...")
    if y.size and (whole.min() < 0 or whole.max() >= n_clusters):
        raise InvalidInputError(
            f"labels must be 0..{n_clusters - 1}, got {whole.min()} to {whole.max()}: name existing clusters"
        )
    return whole


def finite_numbers(values: ArrayLike, name: str, ndim: int = 1) -> NDArray[np.float64]:
    """Finite numbers as float64 of the given dimension.

    Raises
    ------
    InvalidInputError
        When the shape is another one, or a value is NaN or infinite.
    """
    array = as_floats(values, name)
    if array.ndim != ndim or not array.size:
        raise InvalidInputError(f"{name} has shape {array.shape}, expected {ndim} dimension(s), not empty")
    if not np.isfinite(array).all():
        where = _first_missing(array)
        raise InvalidInputError(f"{name} is NaN or infinite at position {where}: drop or fill such rows")
    return array


def covariance_matrix(values: ArrayLike, d: int, name: str) -> NDArray[np.float64]:
    """A covariance (d, d), given as such or as one variance of every coordinate.

    Raises
    ------
    InvalidInputError
        When it is not finite, symmetric and positive definite, or of another shape.
    """
    S = as_floats(values, name)
    S = finite_numbers(S, name, S.ndim)
    S = S * np.eye(d) if S.ndim == 0 else S
    if S.shape != (d, d) or not np.allclose(S, S.T) or not (np.linalg.eigvalsh(S) > 0).all():
        raise InvalidInputError(f"{name} must be a positive number or a ({d}, {d}) positive definite matrix")
    return S


def same_length(**arrays: NDArray) -> int:
    """The common length of named vectors.

    Raises
    ------
    InvalidInputError
        When one is a single value, or lengths differ.
    """
    for name, array in arrays.items():
        if not np.shape(array):
            raise InvalidInputError(f"{name} is a single value, expected (n,): pass one entry a row")
    lengths = {name: np.shape(array)[0] for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        text = ", ".join(f"{name}: {length}" for name, length in lengths.items())
        raise InvalidInputError(f"lengths differ ({text}): pass one entry a row")
    return next(iter(lengths.values()))


def in_interval(value: float, name: str, low: float, high: float, *, closed: bool = False) -> float:
    """A number strictly between ``low`` and ``high``, or with its ends if ``closed``.

    Raises
    ------
    InvalidInputError
        When it lies outside.
    """
    number = as_number(value)
    if not (low <= number <= high if closed else low < number < high):
        ends = f"in [{low:g}, {high:g}]" if closed else f"in ({low:g}, {high:g})"
        ends = ends if high < np.inf else f"of at least {low:g}" if closed else f"above {low:g}"
        raise InvalidInputError(f"{name}={value!r} is not usable: pass a number {ends}")
    return number


def as_number(value: Any) -> float:
    """A single number as float; NaN for all that is none, such as a text or an array of several."""
    if isinstance(value, str | bytes) or not hasattr(type(value), "__float__"):
        return float("nan")
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


def one_of(value: object, name: str, choices: tuple[object, ...]) -> None:
    """Refuse a value that is not among ``choices``.

    Raises
    ------
    InvalidInputError
        When it is not.
    """
    if not any(value is choice or (np.isscalar(value) and value == choice) for choice in choices):
        raise InvalidInputError(f"{name}={value!r} is not known: choose one of {', '.join(repr(c) for c in choices)}")


def check_weight(name: str, value: Any) -> None:
    """Refuse a weight that is not a finite number of at least 0.

    Raises
    ------
    InvalidInputError
        When it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value < np.inf:
        raise InvalidInputError(f"{name}={value!r} is not usable: pass a finite number of at least 0")


def check_exact(estimator: Any, n: int, what: str = "rows") -> None:
    """Refuse more rows, or what else is counted, than the method holds square matrices for.

    Raises
    ------
    InvalidInputError
        When there are more.
    """
    if n > estimator.max_exact:
        raise InvalidInputError(
            f"X has {n} {what}, max_exact={estimator.max_exact}: {type(estimator).__name__} holds square matrices; "
            "use KCC or raise max_exact"
        )


def _kind_of(value: Any) -> str:
    """What a value is, for a message: its type, and the value itself where that says more."""
    return (
        repr(value) if value is None or isinstance(value, bool | int | float | str) else _article(type(value).__name__)
    )


def _article(noun: str) -> str:
    return f"{'an' if noun[:1] in 'AEIOaeio' or noun == 'ndarray' else 'a'} {noun}"


def _first_missing(array: NDArray[np.float64]) -> int:
    """Row of the first entry that is NaN or infinite."""
    places = np.argwhere(~np.isfinite(array))
    return int(places[0][0]) if array.ndim else 0


def _missing(array: NDArray) -> NDArray[np.bool_]:
    return np.asarray(array != array)
