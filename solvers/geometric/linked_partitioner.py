"""The geometric iteration under must-links and cannot-links.

As in `partitope.solvers.geometric`, with step (1) replaced by an assignment that respects links
(`partitope.solvers.assignment.linked`). With the exact assignment the objective never gets worse, for the same reason
as without links; with the heuristic a step that would make it worse ends the run.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.deadline import Deadline
from ...base.errors import InvalidInputError
from ...models.links import Links
from ...models.polytope import PartitionPolytope
from ..partition import Partition
from ..partitioner import Needs
from .bounded_k_means import best_alternation, partition_of
from .linked_problem import LinkedProblem
from .partitioner import GeometricPartitioner
from .problem import mean_of_rows


class LinkedPartitioner(GeometricPartitioner):
    """Partition points under size bounds, must-links and cannot-links.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of clusters k.
    must_link, cannot_link : iterable of (int, int), optional
        Pairs of rows of X that have to be, or must not be, in the same cluster.
    lower, upper : (k,) array_like or int, optional
        Bounds on the cluster sizes.
    objective : {"csa", "lsa"}, default "csa"
        As in `GeometricPartitioner`.
    assignment : {"mip", "heuristic"}, default "mip"
        How every step is solved; see `solve_linked`.
    n_init : int, default 1
        Number of starts; the best is kept, the first on ties.
    init : {"k-means++", "random"} or (k, d) array_like, default "k-means++"
        Starting sites.
    max_iter : int, default 300
        Assignment steps in one start.
    time_limit : float, optional
        Seconds for all starts together; the best clustering found by then is kept, with status TIME_LIMIT.
    random_state : int, RandomState or None
        Seed of the starts.

    Attributes
    ----------
    labels_ : (n,) ndarray of int64
        Cluster of every training point.
    partition_ : Partition
        As in `GeometricPartitioner`; without a certificate, because links leave the assignment polytope.
    sites_ : (k, d) ndarray
        The last sites.

    Raises
    ------
    ContradictoryLinksError
        When links and bounds admit no clustering.
    InvalidInputError
        When a parameter has an unknown value or a link names no row.
    InfeasibleBoundsError
        When no clustering satisfies the bounds.
    CapabilityError
        When weights meet the heuristic.
    NotOptimalError
        When no clustering was found within ``time_limit``.

    Notes
    -----
    Ends in a local optimum. A step is a MIP ("mip") or a few assignment programs ("heuristic"). Clusters need not
    be cells of a power diagram any more; `predict` uses the cells of the last sites and size prices.

    References
    ----------
    Wagstaff, Cardie, Rogers and Schroedl (2001), Constrained k-means clustering with background knowledge.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.solvers import LinkedPartitioner
    >>> X = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> labels = LinkedPartitioner(2, must_link=[(0, 3)], objective="lsa", random_state=0).fit_predict(X)
    >>> bool(labels[0] == labels[3])
    True
    """

    needs: ClassVar[Needs] = Needs(sample_weight=True)
    variants: ClassVar[dict[str, dict[str, Any]]] = {}

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        must_link: Any = None,
        cannot_link: Any = None,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        objective: Literal["csa", "lsa"] = "csa",
        assignment: Literal["mip", "heuristic"] = "mip",
        n_init: int = 1,
        init: str | ArrayLike = "k-means++",
        max_iter: int = 300,
        time_limit: float | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(
            n_clusters, lower=lower, upper=upper, objective=objective, n_init=n_init, init=init, max_iter=max_iter,
            random_state=random_state,
        )  # fmt: skip
        self.must_link = must_link
        self.cannot_link = cannot_link
        self.assignment = assignment
        self.time_limit = time_limit

    def _partition(
        self,
        X: NDArray[np.float64],
        y: NDArray | None,
        covariates: Any,
        polytope: PartitionPolytope,
        random_state: np.random.RandomState,
    ) -> Partition:
        self._check_parameters(X)
        if self.assignment not in ("mip", "heuristic"):
            raise InvalidInputError(f"assignment={self.assignment!r} is not known: choose 'mip' or 'heuristic'")
        links = Links(
            len(X),
            () if self.must_link is None else self.must_link,
            () if self.cannot_link is None else self.cannot_link,
        )
        deadline = Deadline(self.time_limit)
        origin = mean_of_rows(X, polytope.weights)
        problem = LinkedProblem(X, origin, polytope, self.objective, links, self.assignment, deadline)
        run = best_alternation(
            problem, random_state, init=self.init, n_init=self.n_init, max_iter=self.max_iter, deadline=deadline
        )
        return self._learnt(partition_of(problem, run), problem, run)
