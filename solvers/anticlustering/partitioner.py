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

from ...base.checks import as_array, one_of
from ...base.deadline import Deadline
from ...base.errors import InvalidInputError
from ...base.status import Status
from ...models.objectives.objectives import Sense
from ...models.polytope.kinds import LINEAR
from ...models.polytope.links import Links
from ...models.polytope.polytope import PartitionPolytope
from ...models.polytope.rows import size_rows
from ..assignment.evenest import evenest
from ..microaggregation.partitioner import standardised
from ..partition import Partition
from ..partitioner import Needs, Partitioner, Points, Random, Target
from .bounds import bound_of
from .dispersion import most_dispersed
from .search import distances, searched, spread_columns

CRITERIA = ("kplus", "variance", "diversity", "dispersion")


@dataclass(eq=False, repr=False)
class AlikePartitioner(Partitioner):
    """Divide the rows into groups that are as alike as possible: students, plates, folds, arms of a trial.

    Without bounds the groups are as even as whole rows, and what has to be together, allow.

    Parameters
    ----------
    criterion : {"kplus", "variance", "diversity", "dispersion"}, default "kplus"
        What is alike: means and spreads of all columns; their means; the sum of the distances within the groups, or
        the least of them, which are made large. For these two a symmetric (n, n) matrix X with a zero diagonal holds
        distances; of other rows they are Euclidean, between standardised columns.
    must_link, cannot_link : iterable of (int, int), optional
        Pairs of rows that have to be, or must not be, in the same group.
    categories : (n,) or (n, c) array_like, optional
        Columns of categories: every group gets its share of each, rounded down or up to whole rows.
    time_limit : float, optional
        Seconds; results then depend on the machine. Without it the search does a fixed number of rounds.

    Attributes
    ----------
    partition_ : Partition
        ``objective`` is the share of the variance that is between the groups ("kplus", "variance": smaller is
        better), the sum of the distances within them or the least of these (larger is better). ``bound`` is a proved
        interval around the best value, None where nothing is proved.

    Raises
    ------
    InvalidInputError
        When a parameter has an unknown value, or categories are not one per row.
    InfeasibleBoundsError
        When no groups keep the bounds, links and categories.
    CapabilityError
        If the polytope requires connected or optional clusters, or has custom constraints.
    NotOptimalError
        When no groups that keep them are found in time.

    Notes
    -----
    NP-hard. Heuristic; exact where ``partition_.proof`` is GLOBAL: where all groups are few enough to be listed, and
    dispersion. A descent takes O(n q d) per pass with q = 25 partners for a row (all of them up to 2000 rows), and a
    round for diversity O(n^2).

    References
    ----------
    Spaeth (1986), Anticlustering: maximizing the variance criterion. Papenberg (2023), K-plus anticlustering. Lai and
    Hao (2016), Iterated maxima search for the maximally diverse grouping problem.

    Examples
    --------
    >>> from partitope.solvers import AlikePartitioner
    >>> X = [[1.0], [2.0], [9.0], [10.0], [5.0], [6.0]]
    >>> round(AlikePartitioner(3, criterion="variance", random_state=0).fit(X).partition_.objective, 9)
    0.0
    """

    needs: ClassVar[Needs] = Needs(supports=LINEAR | {"groups"}, predicts=False)
    variants: ClassVar[dict[str, dict[str, object]]] = {}

    _: KW_ONLY
    criterion: Literal["kplus", "variance", "diversity", "dispersion"] = "kplus"
    must_link: ArrayLike | None = None
    cannot_link: ArrayLike | None = None
    categories: ArrayLike | None = None
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
        deadline, whole, random = Deadline(self.time_limit), polytope.whole(), np.random.default_rng(rng.randint(2**31))
        rows, bound = X.astype(np.float64), None
        if self.criterion == "dispersion":
            labels, value, bound = most_dispersed(distances(rows), whole, deadline)
        else:
            far = self.criterion == "diversity"
            made: dict[str, Any] = {"kplus": spread_columns, "variance": standardised, "diversity": distances}
            table = made[self.criterion](rows)
            labels, value = searched(table, whole, far, deadline, random)
            labels, value, bound = bound_of(table, whole, far, labels, value, deadline)
        closed = bound is not None and bound.encloses(value)
        status = Status.OPTIMAL if closed else Status.CONVERGED if deadline.allows() else Status.TIME_LIMIT
        return Partition(labels=labels, sizes=polytope.sizes(labels), objective=value, bound=bound, status=status,
                         n_iter=1)  # fmt: skip


def even_groups(
    polytope: PartitionPolytope, categories: Any = None, time_limit: float | None = None
) -> PartitionPolytope:
    """The polytope with sizes as even as can be where it has no bounds, and categories (n,), (n, c) shared out."""
    n, k = polytope.n_points, polytope.n_clusters
    if not polytope.lower.any() and bool((polytope.upper >= polytope.total).all()):
        if polytope.blocks is not None or polytope.weights is not None:
            polytope, *_ = evenest(polytope, polytope.names[0], time_limit)
        else:
            polytope = replace(polytope, lower=np.full(k, n // k), upper=np.full(k, -(-n // k)))
    columns: NDArray = np.empty((n, 0)) if categories is None else as_array(categories, "categories")
    columns = columns[:, None] if columns.ndim == 1 else columns
    if columns.ndim != 2 or len(columns) != n:
        raise InvalidInputError(f"categories has shape {columns.shape}, expected one row for each of the {n} rows of X")
    for c in range(columns.shape[1]):
        for level in dict.fromkeys(columns[:, c].tolist()):
            members = (columns[:, c] == level).astype(np.float64)
            part = members.sum() / polytope.total
            sides = np.floor(part * polytope.lower + 1e-9), np.ceil(part * polytope.upper - 1e-9)
            polytope = polytope.with_constraint(size_rows(f"categories[{c}][{level}]", members, *sides))
    return polytope
