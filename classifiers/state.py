"""Fitted state as plain data: what every ``to_dict`` and ``from_dict`` shares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..base.errors import InvalidInputError
from ..base.moved import former_names

__getattr__ = former_names(__name__)


def check_format(state: Any, name: str, *versions: int) -> None:
    """Raise InvalidInputError unless the state names this format in one of these versions."""
    if not isinstance(state, Mapping) or state.get("format") != name:
        found = state.get("format") if isinstance(state, Mapping) else type(state).__name__
        raise InvalidInputError(f"the state is {found!r}, expected {name!r}: pass what to_dict returned")
    if state.get("version") not in versions:
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


def feature_names(estimator: Any) -> list[str] | None:
    """Names of the columns that a fitted estimator has seen, as texts; None where they had none."""
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def set_feature_names(estimator: Any, names: list[str] | None) -> None:
    """Give an estimator the names that `feature_names` has written."""
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)


def reads_state(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a ``from_dict``: a damaged state raises InvalidInputError that says what is wrong with it."""

    @wraps(function)
    def guarded(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except InvalidInputError:
            raise
        except KeyError as error:
            raise InvalidInputError(f"the state lacks the entry {error}: pass what to_dict returned") from error
        except (TypeError, ValueError, IndexError, AttributeError) as error:
            raise InvalidInputError(f"the state is damaged ({error}): pass what to_dict returned") from error

    return guarded


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
