"""Groups that are as alike as possible (anticlustering): the mirror image of clustering on the same polytope.

With centred rows y_j, standardised by column, sums s_g and sizes m_g of the groups, and distances D_jl,

    variance     min  sum_g |s_g|^2 / m_g                    the variance between the groups
    k-plus       the same with the centred squares of the columns, too: means and spreads (Papenberg 2023)
    diversity    max  sum_g sum_{j < l in g} D_jl            maximally diverse grouping
    dispersion   max  min_g min_{j < l in g} D_jl            the least distance within a group

over the clusterings of a polytope in whole points. Norm maximisation seeks the vertices of the clustering body; here
the norm is minimised, and only whole points keep it from zero, the even share.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from ...base.checks import as_array, finite_rows, instance_of, one_of
from ...base.deadline import Deadline
from ...base.errors import InvalidInputError
from ...base.status import Status
from ...models.objectives.bound import Bound
from ...models.objectives.objectives import Sense
from ...models.polytope.kinds import LINEAR
from ...models.polytope.links import Links
from ...models.polytope.polytope import PartitionPolytope
from ...models.polytope.rows import size_rows
from ..assignment.evenest import evenest
from ..microaggregation.partitioner import standardised
from ..partition import Partition
from ..partitioner import Needs, Partitioner, Points, Random, Target
from ..supports import require
from .bounds import bound_of
from .dispersion import most_dispersed
from .search import distances, searched, spread_columns

CRITERIA = ("kplus", "variance", "diversity", "dispersion")


def alike(
    X: ArrayLike,
    polytope: PartitionPolytope,
    criterion: Literal["kplus", "variance", "diversity", "dispersion"] = "kplus",
    *,
    time_limit: float | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> Partition:
    """The most alike groups of the rows of X that a search finds among the clusterings of a polytope.

    Parameters
    ----------
    X : (n, d) array_like
        Finite numbers. For "diversity" and "dispersion" a symmetric (n, n) matrix with a zero diagonal holds distances;
        of other rows they are Euclidean, between standardised columns.
    polytope : PartitionPolytope
        What the groups keep, in whole points: sizes, masks, groups together or apart, shares and further rows.
    criterion : {"kplus", "variance", "diversity", "dispersion"}, default "kplus"
        What is alike: means and spreads, means, or (large) distances within the groups, their sum or the least.
    time_limit : float, optional
        Seconds. Without it the search does a fixed number of rounds, and its result depends on the seed alone.
    random_state : int, RandomState or None
        Seed of the first groups and of the search.

    Returns
    -------
    Partition
        ``objective`` is the share of the variance that is between the groups ("kplus", "variance": smaller is
        better), the sum of the distances within them or the least of these (larger is better). ``bound`` is a proved
        interval around the best value, None where nothing is proved.

    Raises
    ------
    InvalidInputError
        When X holds no finite rows of the polytope's points, or the criterion is unknown.
    InfeasibleBoundsError
        When no clustering keeps the polytope's statements.
    CapabilityError
        When clusters are connected or may stay closed, or the polytope holds constraints of one's own.
    NotOptimalError
        When no groups that keep the statements are found in time.

    Notes
    -----
    NP-hard. Heuristic; exact where ``partition.proof`` is GLOBAL: where all groups are few enough to be listed, and
    dispersion. A descent takes O(n q d) per pass with q = 25 partners for a row (all of them up to 2000 rows), and a
    round for diversity O(n^2).

    References
    ----------
    Spaeth (1986), Anticlustering: maximizing the variance criterion. Papenberg (2023), K-plus anticlustering. Lai and
    Hao (2016), Iterated maxima search for the maximally diverse grouping problem.

    Examples
    --------
    >>> from partitope.models import PartitionPolytope
    >>> from partitope.solvers import alike
    >>> pairs = PartitionPolytope(4, 2, 2, n_clusters=2)
    >>> groups = alike([[1.0], [2.0], [3.0], [4.0]], pairs, "variance", random_state=0)
    >>> bool(groups.labels[0] == groups.labels[3]), groups.objective, str(groups.proof)
    (True, 0.0, 'global')
    """
    instance_of(polytope, "polytope", PartitionPolytope)
    one_of(criterion, "criterion", CRITERIA)
    rows = finite_rows(X)
    if len(rows) != polytope.n_points:
        raise InvalidInputError(f"X has {len(rows)} rows, expected the {polytope.n_points} points of the polytope")
    require(polytope, "alike")
    polytope.check()
    deadline, whole = Deadline(time_limit), polytope.whole()
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
    bound: Bound | None
    if criterion == "dispersion":
        labels, value, bound = most_dispersed(distances(rows), whole, deadline)
    else:
        far = criterion == "diversity"
        table = distances(rows) if far else spread_columns(rows) if criterion == "kplus" else standardised(rows)
        labels, value = searched(table, whole, far, deadline, rng)
        labels, value, bound = bound_of(table, whole, far, labels, value, deadline)
    closed = bound is not None and bound.encloses(value)
    status = Status.OPTIMAL if closed else Status.CONVERGED if deadline.allows() else Status.TIME_LIMIT
    return Partition(labels=labels, sizes=polytope.sizes(labels), objective=value, bound=bound, status=status,
                     n_iter=1, sense="min" if criterion in CRITERIA[:2] else "max")  # fmt: skip


@dataclass(eq=False, repr=False)
class AlikePartitioner(Partitioner):
    """Divide the rows into groups that are as alike as possible: students, plates, folds, arms of a trial.

    Without bounds the groups are as even as whole rows, and what has to be together, allow.

    Parameters
    ----------
    criterion : {"kplus", "variance", "diversity", "dispersion"}, default "kplus"
        What is alike, as in `partitope.solvers.alike`: means and spreads of all columns; their means; the sum of the
        distances within the groups, or the least of them, which are made large.
    must_link, cannot_link : iterable of (int, int), optional
        Pairs of rows that have to be, or must not be, in the same group.
    categories : (n,) or (n, c) array_like, optional
        Columns of categories: every group gets its share of each, rounded down or up to whole rows.
    time_limit : float, optional
        Seconds; results then depend on the machine.

    Attributes
    ----------
    partition_ : Partition
        As `partitope.solvers.alike` returns it.

    Raises
    ------
    InvalidInputError
        When a parameter has an unknown value, or categories are not one per row.
    InfeasibleBoundsError
        When no groups keep the bounds, links and categories.
    CapabilityError
        When the polytope asks for connected or closed clusters, or holds constraints of one's own.
    NotOptimalError
        When no groups that keep them are found in time.

    Notes
    -----
    Heuristic; see `partitope.solvers.alike` for what is proved, the complexity and the sources.

    Examples
    --------
    >>> from partitope.solvers import AlikePartitioner
    >>> X = [[1.0], [2.0], [9.0], [10.0], [5.0], [6.0]]
    >>> round(AlikePartitioner(3, criterion="variance", random_state=0).fit(X).partition_.objective, 9)
    0.0
    """

    needs: ClassVar[Needs] = Needs(supports=LINEAR | {"groups"}, predicts=False)
    variants: ClassVar[dict[str, dict[str, Any]]] = {}

    _: KW_ONLY
    criterion: Literal["kplus", "variance", "diversity", "dispersion"] = "kplus"
    must_link: Any = None
    cannot_link: Any = None
    categories: Any = None
    time_limit: float | None = None

    @property
    def objective_sense(self) -> Sense:  # type: ignore[override]
        """Whether a larger or a smaller `Partition.objective` is better."""
        return "min" if self.criterion in CRITERIA[:2] else "max"

    @property
    def predict(self) -> Any:
        """Not available: groups that are alike have no cells for new points."""
        raise AttributeError("groups that are alike have no cells for new points: use labels_")

    def _partition(self, X: Points, y: Target, covariates: Any, polytope: PartitionPolytope, rng: Random) -> Partition:
        one_of(self.criterion, "criterion", CRITERIA)
        pairs = (() if given is None else given for given in (self.must_link, self.cannot_link))
        links = Links(polytope.n_points, *pairs)
        polytope = polytope.with_links(links) if links else polytope
        polytope = even_groups(polytope, self.categories, self.time_limit)
        return alike(X, polytope, self.criterion, time_limit=self.time_limit, random_state=rng)


def even_groups(
    polytope: PartitionPolytope, categories: Any = None, time_limit: float | None = None
) -> PartitionPolytope:
    """The polytope with sizes as even as can be where it has no bounds, and categories (n,), (n, c) shared out."""
    n, k = polytope.n_points, polytope.n_clusters
    if not polytope.lower.any() and bool((polytope.upper >= polytope.total).all()):
        if polytope.blocks is not None or polytope.weights is not None:
            polytope, _ = evenest(polytope, polytope.names[0], time_limit)
        else:
            polytope = replace(polytope, lower=np.full(k, n // k), upper=np.full(k, -(-n // k)))
    columns: NDArray[Any] = np.empty((n, 0)) if categories is None else as_array(categories, "categories")
    columns = columns[:, None] if columns.ndim == 1 else columns
    if columns.ndim != 2 or len(columns) != n:
        raise InvalidInputError(f"categories has shape {columns.shape}, expected one row for each of the {n} rows of X")
    further = list(polytope.further)
    for c in range(columns.shape[1]):
        for level in dict.fromkeys(columns[:, c].tolist()):
            members = (columns[:, c] == level).astype(np.float64)
            part = members.sum() / polytope.total
            sides = np.floor(part * polytope.lower + 1e-9), np.ceil(part * polytope.upper - 1e-9)
            further.append(size_rows(f"categories[{c}][{level}]", members, *sides))
    return replace(polytope, further=tuple(further))
