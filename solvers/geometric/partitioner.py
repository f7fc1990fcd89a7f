"""Clustering by norm maximisation, and its least-squares counterpart, over the partition polytope.

    CSA   maximise  sum_i |s_i|                          s_i = sum_j w_j xi_ij x_j, X centred
    LSA   minimise  sum_i sum_j w_j xi_ij |x_j - c_i|^2  c_i = s_i / kappa_i

Both alternate two exact steps until the objective stops improving:

    (1)  xi  <- an optimal vertex of the assignment program for the sites a      (a linear program)
    (2)  a_i <- s_i / |s_i|   (CSA)     or     a_i <- s_i / kappa_i   (LSA)

A cluster whose sum (CSA) or size (LSA) is zero keeps its site. With unit sites the CSA sequence never decreases
(dissertation, Algorithm 5 and Theorem 4.3.2; Example 4.3.5 shows that it can without them); the LSA sequence is
k-means with size bounds (Bradley, Bennett and Demiriz 2000) and never increases.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import check_positive, check_weight, one_of
from ...base.deadline import Deadline
from ...base.errors import CapabilityError, InfeasibleBoundsError, NotOptimalError
from ...models.objectives.objectives import SENSES, Sense
from ...models.polytope.kinds import KINDS
from ...models.polytope.links import ContradictoryLinksError, Links
from ...models.polytope.polytope import PartitionPolytope
from ...models.scores.scores import is_sparse
from ..assignment.statements_in_conflict import statements_in_conflict
from ..partition import Partition
from ..partitioner import Needs, Partitioner, Points, Random, Target
from .alternation import Alternation, alternate
from .best_alternation import best_alternation, divided_anew, partition_of, rounded
from .block_problem import BlockFlowProblem
from .block_weights import BlockWeightedProblem
from .dask_blocks import DaskBlocks, checked_dask_array, is_dask_array
from .problem import GeometricProblem, Objective, SiteProblem
from .sparse_problem import SparseProblem
from .whole_problem import WholeProblem, block_means, demanding_whole_points


@dataclass(eq=False, repr=False)
class GeometricPartitioner(Partitioner):
    """Partition points by exact assignment steps over the bounded-shape partition polytope.

    `partitope.cluster.BalancedKMeans` is this class with the words of scikit-learn's KMeans; here are the other
    objective, must-links and cannot-links, and the choice of the solver.

    Parameters
    ----------
    objective : {"lsa", "csa"}, default "lsa"
        Minimise the within-cluster sum of squares, or maximise the norms of the cluster sums of the centred points.
    n_init : int, default 1
        Number of starts; the best is kept, the first on ties. Sites that are given are one start.
    init : {"k-means++", "random", "sphere"} or (k, d) array_like, default "k-means++"
        Starting sites: rows of X spread out, rows of X at random, directions drawn uniformly from the unit sphere (CSA
        only; the starts of the dissertation, section 6.1), or given.
    backend : str, default "transport"
        Name in `partitope.solvers.BACKENDS`.
    max_iter : int, default 300
        Assignment steps in one start.
    tol : float, default 0.0
        A start also ends where the squared movement of all its sites is at most this times the mean variance of a
        column (LSA), or this (CSA); 0 goes on until no step improves the objective.
    n_jobs : int, optional
        Starts run at the same time (joblib); the result does not depend on it.
    whole : bool, default True
        Whether every point is in one cluster, within all bounds. With weights or side constraints the last steps are
        mixed-integer programs, solved to within 1e-4 of the objective or after a few nodes of their search tree;
        ``partition_.certificate`` states by how much at most another assignment is better. Where none was found that
        keeps the bounds, divided points are put where they break them least, and a warning says by how much. False
        leaves points divided, at most k - 1 with weights and as many as there are bounds and side constraints with a
        polytope, and lists their shares in ``partition_.splits``; a Dask array always does.
    must_link, cannot_link : iterable of (int, int), optional
        Pairs of rows of X that have to be, or must not be, in the same cluster.
    time_limit : float, optional
        Seconds for all starts together; the best clustering found by then is kept, with status TIME_LIMIT.

    Attributes
    ----------
    partition_ : Partition
        ``objective`` is sum_i |s_i| (CSA, larger is better) or the sum of squares (LSA, smaller is better);
        ``history["objective"]`` its trace; ``certificate`` proves the last assignment optimal for its sites;
        ``power_diagram`` holds the max-margin prices.
    sites_ : (k, d) ndarray
        The last sites: unit directions about the mean of X (CSA) or centres (LSA).
    cluster_centers_ : (k, d) ndarray
        Means of the clusters, in the floating type of X; of an empty cluster its site (CSA: from the mean of X).
    inertia_ : float
        Sum of the (weighted) squared distances of the points to the means of their clusters, whatever the objective.
    n_iter_ : int
        Assignment steps of the start that was kept.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Raises
    ------
    InvalidInputError
        When a parameter has an unknown value, or a link names no row.
    InfeasibleBoundsError
        When no clustering satisfies the bounds; ContradictoryLinksError when none satisfies the links with them.
    CapabilityError
        When a Dask array meets a backend other than the default, links, masks or side constraints, or a polytope with
        masks or side constraints a backend without them.
    NotOptimalError
        When the backend returns no assignment, or no clustering that respects the links was found in time.

    Notes
    -----
    Where 20 clusters or more have 24 points each or fewer on average, neighbouring clusters are divided anew many times
    once an alternation of least squares has converged, and an alternation follows: a local search that takes most of
    the time there, and ends 5 to 18 % lower. The last assignment step is exact and certified, and so are those before
    it, except that a start on many points begins with steps whose sizes are near the bounds only, until the objective
    changes little; ``n_iter_`` counts them, ``history`` does not. The iteration ends in a local optimum of an NP-hard
    problem.
    A C-contiguous array or memory map of float32 or float64 is never copied; of a Dask array only sums, candidates and
    a sample leave the workers, and ``labels_`` is a Dask array. Weights are held by the client.
    One step costs one solve of the assignment program, O(n k d) for the scores and little more with
    ``backend="transport"``. Where a weighted point is split, sums and sizes count its shares, and its label
    is its largest share.
    ``fit(X, polytope=...)`` takes several size dimensions, masks, shares and custom rows. Cells are then those
    of a power diagram of the points and the attributes that rows charge for, and `predict` needs these attributes of
    new points as ``covariates`` (`partitope.solvers.cells.WithAttributes`). Training points that a mask or a custom
    row keeps out of a cluster may be outside the cell of their label; split points are on boundaries.
    Links are statements of the polytope (``polytope.together(pairs).apart(pairs)``) and make all points whole: the
    starts alternate with divided points, the last steps are mixed-integer programs, and the certificate states the gap
    of the last one. Clusters need not be cells of a power diagram then; `predict` uses the cells of the last sites and
    prices. A polytope whose clusters are ``connected`` is searched among connected clusterings from the labels of the
    relaxation on; the certificate states the gap to the best assignment at the last sites, connected or not.

    References
    ----------
    Dissertation cited in the README, chapter 4, Algorithms 5-7. Wagstaff, Cardie, Rogers and Schroedl (2001),
    Constrained k-means clustering with background knowledge, for links.

    Examples
    --------
    >>> from partitope.solvers import GeometricPartitioner
    >>> X = [[0.0, 0.0], [0.1, 0.0], [5.0, 5.0], [5.1, 5.0]]
    >>> GeometricPartitioner(2, lower=2, upper=2, random_state=0).fit(X).partition_.sizes
    array([2, 2])
    >>> labels = GeometricPartitioner(2, must_link=[(0, 3)], random_state=0).fit_predict([[0.0], [1.0], [10.0], [11.0]])
    >>> bool(labels[0] == labels[3])
    True
    """

    needs: ClassVar[Needs] = Needs(sample_weight=True, sparse=True, supports=frozenset(KINDS), start=True)
    variants: ClassVar[dict[str, dict[str, object]]] = {
        "geometric-csa": {"objective": "csa"},
        "geometric-lsa": {"objective": "lsa"},
    }

    n_clusters: int = 8
    _: KW_ONLY
    objective: Literal["lsa", "csa"] = "lsa"
    n_init: int = 1
    init: str | ArrayLike = "k-means++"
    backend: str = "transport"
    max_iter: int = 300
    tol: float = 0.0
    n_jobs: int | None = None
    whole: bool = True
    must_link: Any = None
    cannot_link: Any = None
    time_limit: float | None = None

    @property
    def objective_sense(self) -> Sense:  # type: ignore[override]
        """Whether a larger or a smaller `Partition.objective` is better."""
        return SENSES[self.objective]

    def _partition(
        self, X: Points, y: Target, covariates: ArrayLike | None, polytope: PartitionPolytope, random_state: Random,
        start: NDArray[np.int64] | None = None,
    ) -> Partition:  # fmt: skip
        self._check_parameters()
        deadline = Deadline(self.time_limit)
        # 1. what is asked: whole points and links are statements of the polytope, and so need whole assignments
        stated = self._stated(X, polytope, deadline)
        strict = polytope.is_discrete or bool(stated.statements)
        # 2. the alternation on the linear relaxation, in half of the time where whole assignments have to follow
        problem = self._problem(X, stated)
        run = self._alternated(problem, stated, random_state, deadline.share(0.5) if strict else deadline)
        # 3. whole assignments from its sites, where points were divided or the statements ask for them
        if strict or (stated.is_discrete and run.step.splits):
            problem, run = self._in_whole_points(X, stated, problem, run, deadline, strict, start)
        # 4. what is still divided is put where it breaks bounds least
        partition, statistics = partition_of(problem, run), run.step.statistics
        if isinstance(problem, GeometricProblem) and stated.is_discrete and partition.splits:
            partition, statistics = rounded(problem, run, partition)
        self.sites_ = partition.require_cells().diagram.sites[:, : X.shape[1]]
        self.inertia_, centres = statistics.improve("lsa", run.sites)
        self.cluster_centers_ = (centres + problem.origin).astype(X.dtype)
        return partition

    def _stated(self, X: Any, polytope: PartitionPolytope, deadline: Deadline) -> PartitionPolytope:
        """The polytope with whole points and links, after all checks that need no search."""
        stated = demanding_whole_points(polytope) if self.whole and not is_dask_array(X) else polytope
        pairs = (() if given is None else given for given in (self.must_link, self.cannot_link))
        links = Links(polytope.n_points, *pairs)
        if not links:
            return stated
        stated = stated.with_links(links)
        try:
            stated.check()
        except ContradictoryLinksError:
            raise statements_in_conflict(stated, deadline) from None
        return stated

    def _problem(self, X: Any, stated: PartitionPolytope) -> SiteProblem[Any]:
        """The linear relaxation of what is stated."""
        linear = stated.contracted.relaxed if stated.is_discrete else stated
        return problem_of(block_means(X, stated), linear, self.objective, self.backend)

    def _alternated(
        self, problem: SiteProblem, stated: PartitionPolytope, random_state: Random, deadline: Deadline
    ) -> Alternation:
        """The best of the starts, and where there are many small clusters what follows when these are divided anew."""
        unit = problem.column_variance() if self.tol > 0 and self.objective == "lsa" else 1.0
        try:
            run = best_alternation(
                problem, random_state, init=self.init, n_init=self.n_init, max_iter=self.max_iter, tol=self.tol * unit,
                n_jobs=self.n_jobs, deadline=deadline,
            )  # fmt: skip
        except InfeasibleBoundsError:
            if not stated.relaxes_statements:
                raise
            raise statements_in_conflict(stated, deadline) from None
        if isinstance(problem, GeometricProblem) and problem.has_many_small_clusters and not run.step.splits:
            return divided_anew(problem, run, random_state, self.max_iter, deadline)
        return run

    def _in_whole_points(
        self, X: Any, stated: PartitionPolytope, problem: SiteProblem, run: Alternation, deadline: Deadline,
        strict: bool, start: NDArray[np.int64] | None,
    ) -> tuple[SiteProblem, Alternation]:  # fmt: skip
        """The problem in whole points and its alternation from the sites of the relaxation's; these themselves where no
        whole assignment was found, unless ``strict``."""
        solver = "highs" if self.backend == "highs" else "transport"
        whole = WholeProblem(X, problem.origin, stated, self.objective, deadline, run.value, solver, start)
        _, following = problem.update(run.step, run.sites)
        if stated.blocks is None:
            whole, following = whole.connected(run.step.solution.require_labels(), following, self.n_init)
        try:
            return whole, alternate(whole, following, self.max_iter, deadline)
        except (InfeasibleBoundsError, NotOptimalError):
            if strict:
                raise
            return problem, run

    def _validate_points(self, X: ArrayLike, *, reset: bool = True) -> Any:
        if reset and is_dask_array(X) and (self.must_link is not None or self.cannot_link is not None):
            raise CapabilityError("a Dask array does not go with links: use rows in memory")
        if not is_dask_array(X):
            return super()._validate_points(X, reset=reset)
        if str(self.backend) != "transport":
            raise CapabilityError(f"backend {self.backend!r} has no row passes for a Dask array: use 'transport'")
        return checked_dask_array(self, X, reset=reset)

    def _check_parameters(self) -> None:
        one_of(self.objective, "objective", ("csa", "lsa"))
        check_positive(self, "n_init", "max_iter")
        check_weight("tol", self.tol)


def problem_of(X: Any, polytope: PartitionPolytope, objective: Objective, backend: str = "transport") -> SiteProblem:
    """The problem of points wherever they are: in memory or on disk, sparse, or in a Dask array."""
    if not is_dask_array(X):
        return (SparseProblem if is_sparse(X) else GeometricProblem).of(X, polytope, objective, backend)
    if not polytope.is_plain:
        raise CapabilityError(
            "a Dask array goes with bounds on sizes and with weights, not with masks, shares or side constraints: pass "
            "rows in memory"
        )
    kind = BlockFlowProblem if polytope.weights is None else BlockWeightedProblem
    return kind(DaskBlocks(X), polytope, objective)
