"""Clusters as ellipsoids within size bounds: least squares in a metric of each cluster's own.

    minimise  sum_i sum_j w_j xi_ij [ (x_j - c_i)' A_i (x_j - c_i) + r tr A_i ],   det A_i = 1,   xi in the polytope

Without det A_i = 1 the matrices would shrink to zero. r >= 0 is a variance that every point has in every direction
(`blur`): it keeps a cluster of few distinct points, or of points on a line, from being infinitely thin. The iteration
alternates two exact steps, neither of which makes the objective worse:

    (1)  xi <- an optimal vertex of the assignment program for c and A            (a linear program, affine in lift(x))
    (2)  c_i <- mean, S_i <- covariance + r I, A_i <- det(S_i)^(1/d) S_i^-1

(2) is the best choice, since tr(A S) >= d det(A S)^(1/d), and leaves the objective sum_i kappa_i d det(S_i)^(1/d). A
cluster without points keeps its centre and its matrix.

References
----------
Alpers, Brieden, Gritzmann, Lyckegaard and Poulsen (2015), Generalized balanced power diagrams for 3D representations
of polycrystals, *Philosophical Magazine* 95. Size-constrained Mahalanobis k-means with volumes fixed: Spath (1985),
*Cluster Dissection and Analysis*, "adaptive criteria".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from ...base.checks import check_positive, check_weight
from ...base.deadline import Deadline
from ...models.certificates.certificate import Split
from ...models.diagram.power_diagram import PowerDiagram
from ...models.objectives.objectives import Sense
from ...models.polytope.kinds import LINEAR
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ...models.scores.quadratic import QuadraticFunctions
from ..assignment.by_backend import chosen_backend
from ..assignment.open_cells import lifted_cells, with_largest_margins
from ..assignment.rounding import with_whole_points
from ..assignment.solve import solve
from ..backends import BACKENDS
from ..best_start import best_start
from ..cells import Cells
from ..partition import Partition
from ..partitioner import Needs, Partitioner, Points, Random, Target
from ..solution import AssignmentSolution
from ..transport.passes.rows import exchange_gaps, kernel_data
from .alternation import Alternation, alternate
from .moments import Moments, shape_matrices
from .problem import IMPROVEMENT, GeometricProblem, warm_prices

SINGULAR = 1e-12  # Least variance of the start in a direction, as a fraction of the columns' mean variance.


@dataclass(frozen=True, eq=False)
class Ellipsoids:
    """Centres (k, d), measured from the origin, and matrices (k, d, d) of determinant 1."""

    centres: NDArray[np.float64]
    matrices: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class EllipsoidStep:
    """One solved assignment and the moments of its clusters."""

    solution: AssignmentSolution
    moments: Moments


@dataclass(frozen=True, eq=False)
class EllipsoidProblem:
    """What is alternated: the points X (n, d), their mean, the polytope, and r of the module's formula."""

    X: NDArray[np.floating]
    origin: NDArray[np.float64]
    polytope: PartitionPolytope
    variance: float
    backend: str = "transport"
    monotone: ClassVar[bool] = True

    def model(self, sites: Ellipsoids) -> AssignmentModel:
        """The assignment program (1)."""
        penalties = self.variance * np.trace(sites.matrices, axis1=1, axis2=2)
        scores = QuadraticFunctions.of_cells(sites.centres, sites.matrices, self.origin, penalties)
        return AssignmentModel(self.polytope, scores.on(self.X))

    def assign(self, sites: Ellipsoids, before: EllipsoidStep | None) -> EllipsoidStep:
        """Step (1), from the prices of the step before."""
        name = chosen_backend(self.backend, self.polytope)
        solution = solve(
            self.model(sites),
            name,
            warm_start=warm_prices(name, None if before is None else before.solution),
            **BACKENDS[name].step_options,
        )
        labels = solution.require_labels()
        return EllipsoidStep(solution, self.moments(labels, solution.splits))

    def moments(self, labels: NDArray[np.int64], splits: Sequence[Split] = ()) -> Moments:
        """Moments of the clusters of labels (n,) and splits."""
        return Moments.of(self.X, self.origin, labels, self.polytope.n_clusters, self.polytope.weights, splits)

    def update(self, step: EllipsoidStep, sites: Ellipsoids) -> tuple[float, Ellipsoids]:
        """Step (2): the objective with the best centres and matrices, and these."""
        moments, d = step.moments, self.X.shape[1]
        kept = moments.sizes > 0
        spread = moments.covariances[kept] + self.variance * np.eye(d)
        centres, matrices = sites.centres.copy(), sites.matrices.copy()
        centres[kept], matrices[kept] = moments.means[kept], shape_matrices(spread)
        logs = np.linalg.slogdet(spread)[1]
        return float((moments.sizes[kept] * d * np.exp(logs / d)).sum()), Ellipsoids(centres, matrices)

    def better(self, new: float, old: float) -> bool:
        """Whether an objective is smaller by more than rounding."""
        return old - new > IMPROVEMENT * abs(old)

    def cells(self, sites: Ellipsoids, solution: AssignmentSolution) -> Cells:
        """The cells of the sites, with the prices of the largest margin."""
        scores = QuadraticFunctions.of_cells(sites.centres, sites.matrices, self.origin)
        labels, places = solution.require_labels(), sites.centres + self.origin
        n, k = len(labels), len(places)
        if not self.polytope.is_plain and solution.prices is not None:
            prices = solution.prices + self.variance * np.trace(sites.matrices, axis1=1, axis2=2)
            cells = lifted_cells(self.polytope, scores, places, "lsa", prices, solution.further_prices, sites.matrices)
            return with_largest_margins(cells, solution, curved=True)
        gaps = exchange_gaps(kernel_data(scores.on(self.X)), labels, np.ones(n), k)
        np.fill_diagonal(gaps, 0.0)
        return Cells(None, PowerDiagram.from_gaps(places, gaps, scores, "lsa", sites.matrices))


@dataclass(eq=False, repr=False)
class AnisotropicPartitioner(Partitioner):
    """Least-squares partition into ellipsoids within size bounds: every cluster has a metric of its own.

    Parameters
    ----------
    n_init : int, default 1
        Number of starts; the best is kept, the first on ties. Sites that are given are one start.
    init : {"k-means++", "random"} or (k, d) array_like, default "k-means++"
        Starting centres: rows of X spread out, rows of X at random, or given. The first matrices are all that of
        the covariance of the points, and distances of the draw are measured by it.
    blur : float, default 1e-6
        Variance that every point has in every direction, as a share of the mean variance of a column. It keeps
        clusters of fewer than d + 1 distinct points, or of points on a line, from becoming infinitely thin.
    backend : str, default "transport"
        Name in `partitope.solvers.BACKENDS`.
    max_iter : int, default 300
        Assignment steps in one start.
    whole : bool, default True
        Whether every point is in one cluster, within all bounds, with weights or a polytope: as for
        `GeometricPartitioner`, at the last centres and matrices.
    time_limit : float, optional
        Seconds for all starts together; the best clustering found by then is kept, with status TIME_LIMIT.

    Attributes
    ----------
    partition_ : Partition
        ``objective`` is the sum of squared Mahalanobis distances to the cluster means, for matrices of determinant 1
        and with the variance of ``blur``; ``history["objective"]`` its trace, which never increases; ``certificate``
        proves the last assignment optimal for its centres and matrices; ``power_diagram`` holds the cells, or
        ``embedded_cells`` where they depend on attributes of a polytope.
    cluster_centers_ : (k, d) ndarray
        Centres for which the last assignment is optimal.
    cluster_matrices_ : (k, d, d) ndarray
        Their matrices A_i, of determinant 1.
    n_iter_ : int
        Assignment steps of the start that was kept.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Raises
    ------
    InvalidInputError
        When a parameter has an unknown value.
    InfeasibleBoundsError
        When no clustering satisfies the bounds.
    CapabilityError
        When a polytope with masks or side constraints meets a backend without them.
    NotOptimalError
        When the backend returns no assignment.

    Notes
    -----
    Every assignment step is exact and the last one is certified; the iteration ends in a local optimum. Scores have
    d + d (d + 1) / 2 coordinates, so that a step costs O(n k d^2). Without size bounds a cluster may shrink to a thin
    one that costs nothing: give bounds.
    ``fit(X, polytope=...)`` takes several size dimensions, masks, shares and custom rows; ``partition_.prices``
    and ``splits`` are then as for `GeometricPartitioner`, and where rows charge for attributes `predict` needs these of
    new points as ``covariates``.
    Multiplying all coordinates by one number, moving or turning all points changes nothing but the unit.

    References
    ----------
    Alpers, Brieden, Gritzmann, Lyckegaard and Poulsen (2015), Generalized balanced power diagrams for 3D
    representations of polycrystals, *Philosophical Magazine* 95.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.solvers import AnisotropicPartitioner
    >>> t = np.linspace(-5, 5, 50)
    >>> X = np.concatenate([np.c_[t, 0.3 * np.sin(9 * t)], np.c_[t, 3 + 0.3 * np.cos(9 * t)]])
    >>> model = AnisotropicPartitioner(2, lower=50, upper=50, n_init=3, random_state=0).fit(X)
    >>> sorted(np.bincount(model.labels_[:50], minlength=2).tolist())
    [0, 50]
    """

    needs: ClassVar[Needs] = Needs(sample_weight=True, supports=LINEAR)
    objective_sense: ClassVar[Sense] = "min"

    n_clusters: int = 8
    _: KW_ONLY
    n_init: int = 1
    init: str | ArrayLike = "k-means++"
    blur: float = 1e-6
    backend: str = "transport"
    max_iter: int = 300
    whole: bool = True
    time_limit: float | None = None

    def _partition(
        self, X: Points, y: Target, covariates: Any, polytope: PartitionPolytope, random_state: Random
    ) -> Partition:
        check_positive(self, "n_init", "max_iter")
        check_weight("blur", self.blur)
        strict, polytope = polytope.is_discrete, polytope.relaxed if polytope.is_discrete else polytope
        deadline, start = Deadline(self.time_limit), GeometricProblem.of(X, polytope, "lsa")
        unit = start.column_variance() or 1.0
        problem = EllipsoidProblem(X, start.origin, polytope, self.blur * unit, self.backend)
        # all clusters begin with the matrix of all points, which stretches no direction of theirs
        everyone = Moments.of(X, start.origin, np.zeros(len(X), dtype=np.int64), 1, polytope.weights)
        whole = shape_matrices(everyone.covariances + max(self.blur, SINGULAR) * unit * np.eye(X.shape[1]))
        root, drawn = np.linalg.cholesky(whole[0]), isinstance(self.init, str)
        if drawn:  # distances of the draw are those of the first matrices
            turned: NDArray[np.floating] = np.subtract(X, start.origin, dtype=np.float64) @ root
            start = GeometricProblem.of(turned, polytope, "lsa")

        def run(seed: int) -> Alternation[Ellipsoids, EllipsoidStep, float]:
            centres = start.first_sites(self.init, check_random_state(seed))
            if drawn:
                centres = np.asarray(np.linalg.solve(root.T, (centres + start.origin).T).T)
            matrices = np.repeat(whole, len(centres), axis=0)
            return alternate(problem, Ellipsoids(centres, matrices), self.max_iter, deadline)

        # the best of the starts, and its points put whole, after which the moments are others
        starts = self.n_init if drawn else 1
        seeds = random_state.randint(np.iinfo(np.int32).max, size=starts)
        best = best_start(seeds, run, lambda new, old: problem.better(new.value, old.value), deadline)
        self.cluster_centers_ = (best.sites.centres + problem.origin).astype(X.dtype)
        self.cluster_matrices_ = best.sites.matrices
        partition = _partition_of(problem, best)
        if (self.whole or strict) and partition.splits:
            partition = with_whole_points(partition, best.step.solution, deadline)
            step = EllipsoidStep(best.step.solution, problem.moments(partition.labels))
            partition = replace(partition, objective=problem.update(step, best.sites)[0])
        return partition


def _partition_of(problem: EllipsoidProblem, run: Alternation[Ellipsoids, EllipsoidStep, float]) -> Partition:
    """The partition in which an alternation ended, with the cells and the proof of its last assignment."""
    solution = run.step.solution
    cells, known = problem.cells(run.sites, solution), solution.prices is not None
    lifted = cells.embedding is not None
    return Partition(
        labels=solution.require_labels(),
        sizes=run.step.moments.sizes,
        objective=run.value,
        history={"objective": np.array(run.history)},
        certificate=solution.verify() if known else None,
        power_diagram=None if lifted else cells.diagram,
        embedded_cells=cells if lifted else None,
        prices=solution.named_prices if known else {},
        n_iter=len(run.history),
        status=run.status,
        splits=solution.splits,
        sense="min",
    )
