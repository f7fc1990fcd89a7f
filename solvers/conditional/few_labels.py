"""Strategies that label all points from few labels: one cluster per class, and given labels stay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...base.checks import distinct
from ...base.errors import InvalidInputError
from ...models.objectives.objectives import Sense
from ..partitioner import Partitioner


@dataclass(eq=False, repr=False, kw_only=True)
class FewLabels(Partitioner):
    """A strategy that labels all points from few labels.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of classes; must agree with the labels.
    lower, upper : (k,) array_like or int, optional
        Bounds on the sizes of the classes, labelled rows included.
    max_iter : int, default 1000
        Steps of the search for scores at most.

    Attributes
    ----------
    labels_ : (n,) ndarray of int64
        Cluster of every training point; labelled rows keep theirs.
    classes_ : (k,) ndarray
        Classes in y; cluster i is class ``classes_[i]``.
    transduction_ : (n,) ndarray
        The labels as classes.
    """

    objective_sense: ClassVar[Sense] = "max"

    max_iter: int = 1000


def partial_labels(y: NDArray, n_clusters: int) -> tuple[NDArray, NDArray[np.int64]]:
    """Classes (k,) and given clusters (n,), -1 where unlabelled."""
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise InvalidInputError(
            f"y is NaN in row {int(np.flatnonzero(~np.isfinite(y))[0])}: mark unlabelled rows by -1"
        )
    unlabelled = np.array([v == -1 for v in y.tolist()], dtype=bool)
    if unlabelled.all():
        raise InvalidInputError("y holds no label (all rows are -1): label some rows of each class, or use KCC")
    classes, codes = distinct(y[~unlabelled], "y")
    if len(classes) < 2:
        raise InvalidInputError(f"y holds one label only ({classes[0]}): label rows of at least two classes")
    if len(classes) != n_clusters:
        raise InvalidInputError(f"n_clusters={n_clusters}, but y holds {len(classes)} classes: make them agree")
    given = np.full(len(y), -1)
    given[~unlabelled] = codes
    return classes, given
