"""An alternative clustering by must-links and cannot-links alone.

Links are drawn from the known clusters and handed to least-squares clustering that respects them exactly
(`GeometricPartitioner`):

    cannot-link   pairs of points of one known cluster, drawn at random                                           (1)
    must-link     pairs of a point and the nearest free point of another known cluster                            (2)

No point is in two links, so that two clusters or more always satisfy them. (2) is how points of different known
clusters come together at all; the rule is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from partitope.base.checks import check_positive
from partitope.base.errors import InvalidInputError
from partitope.models.objectives.objectives import Sense
from partitope.models.polytope.polytope import PartitionPolytope
from partitope.solvers import STRATEGIES, GeometricPartitioner
from partitope.solvers.partition import Partition
from partitope.solvers.partitioner import Needs, Partitioner, Points, Random, Target

from .exact import check_exact
from .levels import known_clusters


@STRATEGIES.register("must-cannot-link")
@dataclass(eq=False, repr=False, kw_only=True)
class MustCannotLink(Partitioner):
    """Least-squares clustering against a known clustering, by sampled must-links and cannot-links.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters k, at least 2.
    cannot, must : float, default 0.25
        Share of the points in links of each kind, at most 1 together.
    n_init : int, default 5
        Starts; the best is kept.
    max_exact : int, default 3000
        Largest number of rows that is accepted.
    random_state : int, RandomState or None
        Seed of the links and starts.

    Attributes
    ----------
    partition_ : Partition
        As in `GeometricPartitioner` with ``objective="lsa"``.
    cannot_link_, must_link_ : (m, 2) ndarray of int64
        The links.

    Raises
    ------
    InvalidInputError
        When a parameter is not usable, the covariates are no known clustering, or there are more than ``max_exact``
        rows.
    ContradictoryLinksError
        When links and bounds admit no clustering.

    Notes
    -----
    Ends in a local optimum. O(n^2) memory for (2).

    References
    ----------
    Wagstaff, Cardie, Rogers and Schroedl (2001), Constrained k-means clustering with background knowledge.

    Examples
    --------
    >>> from studies.methods import MustCannotLink
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> model = MustCannotLink(2, cannot=0.7, must=0.0, random_state=0).fit(X, covariates=[0, 0, 0, 1, 1, 1])
    >>> first, second = model.cannot_link_.T
    >>> bool((model.labels_[first] != model.labels_[second]).all())
    True
    """

    needs: ClassVar[Needs] = Needs(covariates="required", known_clustering=True, n_points=2)
    objective_sense: ClassVar[Sense] = "min"

    cannot: float = 0.25
    must: float = 0.25
    n_init: int = 5
    max_exact: int = 3000

    def _partition(self, X: Points, y: Target, covariates: Any, polytope: PartitionPolytope, rng: Random) -> Partition:
        check_positive(self, "n_init", "max_exact")
        check_shares(self.cannot, self.must)
        check_exact(self, len(X))
        D = np.asarray(X, dtype=np.float64)
        known = known_clusters(covariates, len(D), "MustCannotLink")
        cannot = 0.0 if self.n_clusters == 1 else float(self.cannot)
        self.cannot_link_, self.must_link_ = draw_links(D, known, cannot, float(self.must), rng)
        model = GeometricPartitioner(
            self.n_clusters, must_link=self.must_link_, cannot_link=self.cannot_link_, lower=polytope.lower,
            upper=polytope.upper, objective="lsa", n_init=self.n_init,
            random_state=int(rng.randint(np.iinfo(np.int32).max)),
        )  # fmt: skip
        return model.fit(D).partition_


def check_shares(cannot: Any, must: Any) -> None:
    """Refuse shares that are no numbers from 0 to 1, or more than 1 together."""
    for name, value in (("cannot", cannot), ("must", must)):
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 <= value <= 1:
            raise InvalidInputError(f"{name}={value!r} is not usable: pass a number from 0 to 1")
    if cannot + must > 1:
        raise InvalidInputError(f"cannot + must = {cannot + must:g} exceeds 1: no point is in two links, lower one")


def draw_links(
    X: NDArray[np.float64], known: NDArray[np.int64], cannot: float, must: float, rng: np.random.RandomState
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Disjoint cannot-links (a, 2) of (1) and must-links (b, 2) of (2), with the given shares of the points at most."""
    n = len(X)
    order = rng.permutation(n)
    free = np.ones(n, dtype=bool)
    pairs: list[tuple[int, int]] = []
    waiting: dict[int, int] = {}
    for point in order:
        if 2 * (len(pairs) + 1) > cannot * n:
            break
        other = waiting.pop(int(known[point]), None)
        if other is None:
            waiting[int(known[point])] = int(point)
        else:
            pairs.append((other, int(point)))
            free[[other, point]] = False
    links: list[tuple[int, int]] = []
    distances = cdist(X, X, "sqeuclidean")
    for point in order:
        if 2 * (len(links) + 1) > must * n:
            break
        candidates = np.flatnonzero(free & (known != known[point])) if free[point] else np.empty(0, dtype=np.int64)
        if candidates.size:
            nearest = int(candidates[distances[point, candidates].argmin()])
            links.append((int(point), nearest))
            free[[point, nearest]] = False
    empty = np.empty((0, 2), dtype=np.int64)
    return np.array(pairs, dtype=np.int64).reshape(-1, 2) if pairs else empty, np.array(links) if links else empty
