"""Connected territories within size bounds: compact about medoids or means, or with few edges between them."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ...base.checks import check_positive, instance_of, one_of
from ...base.deadline import Deadline
from ...base.errors import InfeasibleBoundsError, InvalidInputError
from ...base.outlines import Outlines
from ...base.record import Record
from ...models.objectives.bound import Bound
from ...models.objectives.objectives import Sense
from ...models.plots.shown import Sample
from ...models.polytope.kinds import CONNECTED
from ...models.polytope.polytope import PartitionPolytope
from ..partition import Partition
from ..partitioner import Needs, Partitioner, Points, Random, Target
from .objectives import Medoids, program_of
from .search import TerritorySearch


@dataclass(eq=False, repr=False)
class ConnectedPartitioner(Partitioner):
    """Divide the points into clusters that are connected in a graph, within bounds on their sizes.

    ``fit(X, polytope=polytope.connected(edges))`` takes the graph, one or several weights, bounds that may differ by
    cluster, points that are fixed in clusters or not allowed there, shares of groups, points that stay together or
    apart, and rows and constraints of your own. The first weight is that of the points in "squares". No cluster is
    empty, whatever the lower bound: proofs speak of exactly ``n_clusters`` territories.

    Parameters
    ----------
    objective : {"medoids", "squares", "cut"}, default "medoids"
        What is minimised. "medoids": the sum of what it costs to serve every point from the best point of its cluster;
        X (n, n) holds the cost of serving row j from column i, such as population times squared distance (moment of
        inertia). "squares": the weighted sum of squared distances to the means of the clusters. "cut": the sum of
        the weights of the edges between clusters, their number without weights; X (n, d) only starts the search.
    n_init : int, default 10
        Number of starts. After each, pairs of neighbouring clusters of the best answer are divided anew.
    time_limit : float, optional
        Seconds. Without it, a proof about medoids ends after 2500 nodes of a tree or 50 trees (many minutes), with
        the bound proved by then. With it, starts go on until something is found, and to its end where the objective has
        no proof for many points.

    Attributes
    ----------
    medoids_ : (k,) ndarray of int64
        The best point of every cluster, for "medoids".
    partition_ : Partition
        ``bound`` is a proved interval around the optimum, None where nothing is proved. Its ``proof`` is "enumeration"
        where all connected clusters within the bounds are few enough to be listed; otherwise "Lagrangian relaxation" or
        "branch and bound (HiGHS)" for "medoids", and "sdp dual" for the other objectives: the semidefinite relaxation
        of clusters that need not be connected, for up to 1000 points, or those that the time limit allows.

    Raises
    ------
    InvalidInputError
        When a parameter has an unknown value, no graph is given, or a weight that is to be cut is negative, not finite,
        or differs between the two directions of its edge.
    InfeasibleBoundsError
        When there is no such clustering, with the reason.
    CapabilityError
        When the polytope has clusters that may stay closed, or a constraint without rows and cuts.
    NotOptimalError
        When none was found in time.

    Notes
    -----
    Heuristic, and exact where ``partition_.proof`` is GLOBAL, up to a relative gap of 1e-7. Every answer is connected
    and within all bounds. NP-hard. A local search costs O(n) moves a temperature, each of them a search through two
    clusters; clusters of at most 62 points are listed, up to 200 000 of them.

    References
    ----------
    Hess, Weaver, Siegfeldt, Whelan and Zitlau (1965), Nonpartisan political redistricting by computer, Operations
    Research 13; Validi, Buchanan and Lykhovyd (2022), Imposing contiguity constraints in political districting models,
    Operations Research 70; Garfinkel and Nemhauser (1970), Optimal political districting by implicit enumeration
    techniques, Management Science 16.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.models import PartitionPolytope
    >>> from partitope.solvers import ConnectedPartitioner
    >>> town = PartitionPolytope(4, 2, 2, n_clusters=2).connected([[0, 1], [1, 2], [2, 3], [3, 0]])
    >>> model = ConnectedPartitioner(2, objective="squares", random_state=0)
    >>> partition = model.fit(np.array([[0.0], [1.0], [9.0], [4.0]]), polytope=town).partition_
    >>> partition.labels.tolist(), partition.objective, str(partition.proof)
    ([0, 0, 1, 1], 13.0, 'global')
    """

    needs: ClassVar[Needs] = Needs(sample_weight=True, supports=CONNECTED, predicts=False)
    objective_sense: ClassVar[Sense] = "min"
    variants: ClassVar[dict[str, Record]] = {}

    _: KW_ONLY
    objective: Literal["medoids", "squares", "cut"] = "medoids"
    n_init: int = 10
    time_limit: float | None = None

    def divide(self, areas: Any, weights: str | None = None, column: str = "cluster") -> Any:
        """Divide the areas of a map, where a common border makes neighbours, into territories.

        Bounds are those of the estimator, such as ``balance=0.01``. Distances are between the middles of the areas, in
        kilometres of degrees, which all numbers within 360 and 90 are taken for where no reference system says else.
        Sets the attributes of a fit; ``partition_.plot()`` draws the map.

        Parameters
        ----------
        areas : GeoDataFrame, or FeatureCollection of GeoJSON as a dict
            Polygons, one area per row or feature. A dict needs no further package.
        weights : str, optional
            Column, or property, whose sums in the territories are bounded, such as the population. By default every
            area counts 1.
        column : str, default "cluster"
            Name of the new column.

        Returns
        -------
        GeoDataFrame or dict
            A copy of the areas with their clusters.

        Raises
        ------
        InvalidInputError
            When there are no polygons, the column of weights is missing or holds something else than numbers from 0
            to 1e100 (texts such as '12', too), all of them are 0, or ``column`` exists already.

        Notes
        -----
        Raises, proves and costs what `fit` does. Parts of outlines are common within 1e-5 of the map's longer side.

        Examples
        --------
        >>> from partitope.solvers import ConnectedPartitioner
        >>> def square(x, people):
        ...     ring = [[x, 0], [x + 1, 0], [x + 1, 1], [x, 1], [x, 0]]
        ...     shape = {"type": "Polygon", "coordinates": [ring]}
        ...     return {"type": "Feature", "properties": {"people": people}, "geometry": shape}
        >>> areas = {"type": "FeatureCollection", "features": [square(x, 5 + x) for x in range(4)]}
        >>> divided = ConnectedPartitioner(2, balance=0.2, random_state=0).divide(areas, "people")
        >>> [area["properties"]["cluster"] for area in divided["features"]]
        [0, 0, 1, 1]
        """
        for text, name in (("" if weights is None else weights, "weights"), (column, "column")):
            instance_of(text, name, str, "pass the name of a column, or property")
        outlines = Outlines.of(areas)
        known = outlines.properties[0]
        if column in known or (weights is not None and weights not in known):
            what = f"column={column!r} is already" if column in known else f"weights={weights!r} is not"
            raise InvalidInputError(f"{what} one of the properties {', '.join(map(str, known))}: name another")
        points, n = outlines.points, len(outlines.rings)
        named = None if weights is None else _weights([own[weights] for own in outlines.properties], weights)
        polytope = self._bounded(n, None, named).connected(outlines.borders)
        if self.objective == "medoids":
            points = polytope.point_weights[:, None] * ((points[:, None] - points) ** 2).sum(axis=2)
        free = clone(self).set_params(lower=None, upper=None, balance=None).fit(points, polytope=polytope)
        for name in (name for name in vars(free) if name.endswith("_")):
            setattr(self, name, getattr(free, name))
        sample = Sample(outlines.middles, 1, outlines.axes, polytope.lower, polytope.upper, outlines.rings)
        self.partition_ = replace(self.partition_, sample=sample)
        if not isinstance(areas, dict):
            return areas.assign(**{column: self.labels_})
        features = [{**area, "properties": {**(area.get("properties") or {}), column: int(label)}}
                    for area, label in zip(areas["features"], self.labels_)]  # fmt: skip
        return {**areas, "features": features}

    def _partition(self, X: Points, y: Target, covariates: Any, polytope: PartitionPolytope, rng: Random) -> Partition:
        one_of(self.objective, "objective", ("medoids", "squares", "cut"))
        check_positive(self, "n_init")
        self._check(X, polytope)
        program = program_of(self.objective, X.astype(np.float64), polytope)
        search = TerritorySearch(program, polytope, Deadline(self.time_limit))
        status = search.run(self.n_init, rng)
        found: NDArray[np.int64] | None = search.labels
        assert found is not None
        if isinstance(program, Medoids):
            self.medoids_ = program.sites(found)
        labels = found[search.place]
        proved = np.isfinite(search.bound)
        return Partition(
            labels=labels, sizes=polytope.sizes(labels), objective=search.value,
            history={"objective": np.array(search.history)}, n_iter=len(search.history), status=status,
            bound=Bound(min(search.bound, search.value), search.value, search.proof) if proved else None,
            gap_tolerance=search.tolerance,
        )  # fmt: skip

    def _check(self, X: Points, polytope: PartitionPolytope) -> None:
        """Refuse anything but a graph and a matrix of costs."""
        if polytope.connection is None:
            raise InvalidInputError("no graph was given: pass polytope=polytope.connected(edges)")
        graph = polytope.connection
        wrong = np.flatnonzero(~((graph.weights >= 0) & (graph.weights < np.inf)))
        if self.objective == "cut" and wrong.size:
            u, v = graph.edges[wrong[0]].tolist()
            weight = graph.weights[wrong[0]]
            found = "several weights, or an empty one" if np.isnan(weight) else f"the weight {weight:g}"
            raise InvalidInputError(
                f"the edge of points {u} and {v} has {found}: expected one finite number of at least 0"
            )
        if self.objective == "medoids" and X.shape[0] != X.shape[1]:
            raise InvalidInputError(f"X has shape {X.shape}, expected a square matrix of costs for objective='medoids'")
        left, k = polytope.block_points.size, polytope.n_clusters
        if left < k:
            raise InfeasibleBoundsError(f"points together leave {left} groups for {k} clusters: ask for at most {left}")


def _weights(values: list[Any], name: str) -> NDArray[np.float64]:
    """A property (n,) as weights, not all of them 0."""
    fits = [isinstance(value, int | float | np.number) and bool(0 <= value <= 1e100) for value in values]
    if not all(fits) or not any(values):
        found = f"{values[fits.index(False)]!r} in area {fits.index(False)}" if not all(fits) else "0 in all areas"
        raise InvalidInputError(f"weights={name!r} is {found}, expected numbers from 0 to 1e100, not all 0: mend them")
    return np.array(values, dtype=np.float64)
