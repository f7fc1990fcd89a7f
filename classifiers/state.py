"""Fitted state as plain data: what every ``to_dict`` and ``from_dict`` shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..base.columns import without_nesting
from ..base.errors import InvalidInputError
from ..solvers.embedding import reads_state, stored_array


def check_format(state: Any, name: str, *versions: int) -> None:
    """Raise InvalidInputError unless the state names this format in one of these versions."""
    if not isinstance(state, Mapping) or state.get("format") != name:
        found = state.get("format") if isinstance(state, Mapping) else type(state).__name__
        raise InvalidInputError(f"the state is {found!r}, expected {name!r}: pass what to_dict returned")
    if state.get("version") not in versions or isinstance(state["version"], bool):
        known = " and ".join(map(str, versions))
        raise InvalidInputError(
            f"{name} state has version {state.get('version')!r}, this release reads {known}: fit the model again"
        )


def plain_labels(labels: NDArray) -> list[Any]:
    """Class labels as JSON values: texts, whole numbers, floats or booleans."""
    plain = [label.item() if isinstance(label, np.generic) else label for label in labels]
    for label in plain:
        if not isinstance(label, str | int | float | bool):
            raise InvalidInputError(f"class {label!r} is a {type(label).__name__}: expected texts or numbers")
    return plain


def check_labels(labels: Any) -> NDArray:
    """Class labels from `plain_labels`: at least two, all different, of one type, in sorted order.

    Raises
    ------
    InvalidInputError
        When they are none.
    """
    kinds = {bool if isinstance(v, bool) else str if isinstance(v, str) else type(v) for v in labels}
    classes = np.array(labels)
    known = kinds <= {str} or kinds <= {bool} or kinds <= {int, float}
    if not isinstance(labels, list) or not known or classes.dtype.kind not in "Ubif" or len(labels) < 2:
        raise InvalidInputError(f"classes {labels!r} are not usable: expected at least two texts or numbers")
    if not np.array_equal(np.unique(classes), classes):
        raise InvalidInputError(f"classes {labels!r} are not usable: expected different ones in sorted order")
    return classes


def stored_whole(state: Mapping[str, Any], name: str) -> int:
    """A whole number of at least 0 from a state; InvalidInputError when it is none."""
    value = state[name]
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InvalidInputError(f"{name}={value!r} is not usable: expected a whole number of at least 0")
    return value


def stored_text(state: Mapping[str, Any], name: str) -> str | None:
    """A text, or None, from a state; InvalidInputError when it is neither."""
    value = state[name]
    if value is not None and not isinstance(value, str):
        raise InvalidInputError(f"{name}={value!r} is not usable: expected a text")
    return value


def checked_names(names: Any, name: str) -> list[str]:
    """A list of different texts; InvalidInputError when it is none."""
    if not isinstance(names, list) or not all(isinstance(entry, str) for entry in names):
        raise InvalidInputError(f"{name}={names!r} is not usable: expected a list of texts")
    if len(set(names)) < len(names):
        twice = next(entry for entry in names if names.count(entry) > 1)
        raise InvalidInputError(f"{name} hold {twice!r} twice: expected different names")
    return names


def stored_numbers(value: Any, name: str, *shape: int | None) -> NDArray[np.float64]:
    """Finite numbers of a shape from lists of numbers, texts and truth values being none; None is any length.

    Raises
    ------
    InvalidInputError
        When they are none, of another shape, or so large that their squares are infinite.
    """
    array = stored_array(value, name)
    fits = array.ndim == len(shape) and all(want in (None, have) for want, have in zip(shape, array.shape))
    if not fits:
        wanted = ", ".join("n" if want is None else str(want) for want in shape)
        raise InvalidInputError(f"{name} of shape {array.shape} must be finite numbers of shape ({wanted})")
    return array


def stored_places(value: Any, name: str, count: int) -> NDArray[np.int64]:
    """Increasing whole numbers from 0 to ``count`` - 1 from a state; InvalidInputError when they are none."""
    array = stored_numbers(value, name, None)
    if (array % 1 != 0).any() or not np.isin(array, np.arange(count)).all() or not (np.diff(array) > 0).all():
        raise InvalidInputError(f"{name}={str(value)[:40]} must be increasing places among {count}")
    return array.astype(np.int64)


def rows_digest(X: Any) -> str:
    """A digest of the rows of a table or an array that does not depend on their order; not collision-proof."""
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X)
    nested = [f for f, dtype in enumerate(frame.dtypes) if pd.api.types.is_object_dtype(dtype)]
    for f in nested:  # lists and the like have no hash
        plain = [without_nesting(entry) for entry in frame.iloc[:, f]]
        frame = frame.copy(deep=False)
        frame.isetitem(f, np.array(plain, dtype=object))
    hashed = pd.util.hash_pandas_object(frame, index=False).to_numpy(np.uint64)
    return f"{len(frame)}-{int(hashed.sum(dtype=np.uint64)):016x}"


def feature_names(estimator: Any) -> list[str] | None:
    """Names of the columns that a fitted estimator has seen, as texts; None where they had none."""
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def set_feature_names(estimator: Any, names: list[str] | None) -> None:
    """Give an estimator the names that `feature_names` has written; InvalidInputError when they are none."""
    if names is not None:
        estimator.feature_names_in_ = np.array(checked_names(names, "feature_names"), dtype=object)


class FromState:
    """Base of classifiers that predict as before when they are made again from what their ``to_dict`` returned."""

    def _read_state(self, state: Mapping[str, Any]) -> None:
        """Set the parameters and the fitted attributes of a new object; InvalidInputError when they do not fit."""
        raise NotImplementedError

    @classmethod
    @reads_state
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """Fitted object from `to_dict`: it gives what the one that was stored gave.

        Raises
        ------
        InvalidInputError
            When the state is not one of this class and version, or is damaged.
        """
        made = cls()
        made._read_state(state)
        return made
