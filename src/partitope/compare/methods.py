"""What `compare` compares: every strategy in the table, and k-means without bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import get_tags

from ..base.errors import InvalidInputError
from ..base.status import Status
from ..models.polytope import PartitionPolytope
from ..models.power_diagram import PowerDiagram
from ..solvers import STRATEGIES, Needs, Partition, Partitioner

REFERENCE = "kmeans (no bounds)"


@dataclass(frozen=True)
class Method:
    """One row of a comparison.

    Attributes
    ----------
    name : str
        Name of the row.
    strategy : str
        Name in the table of strategies, or "scikit-learn".
    partitioner : type
        Class of the strategy.
    parameters : dict
        What the row sets beside the common parameters.
    """

    name: str
    strategy: str
    partitioner: type[Partitioner]
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def needs(self) -> Needs:
        """What the strategy can take and must have."""
        return self.partitioner.needs

    @property
    def takes_tables(self) -> bool:
        """Whether the strategy reads mixed tables itself; others get the encoded rows."""
        return bool(get_tags(self.partitioner()).input_tags.categorical)

    def build(
        self, n_clusters: int, lower: ArrayLike | None, upper: ArrayLike | None, covariates: Any = None
    ) -> Partitioner:
        """An unfitted partitioner with these bounds, told which covariates (a DataFrame) are numbers."""
        estimator: Partitioner = self.partitioner()
        common: dict[str, Any] = {"n_clusters": n_clusters, "lower": lower, "upper": upper}
        if covariates is not None and "covariate_type" in estimator.get_params():
            common["covariate_type"] = ["real" if kind.kind == "f" else "categorical" for kind in covariates.dtypes]
        return estimator.set_params(**common, **self.parameters)


@dataclass(eq=False, repr=False)
class KMeansReference(Partitioner):
    """scikit-learn's k-means behind the interface of `Partitioner`: the unbounded reference.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of clusters k.
    lower, upper : array_like or int, optional
        Not honoured: kept to show which clusters of k-means violate them.
    max_iter : int, default 300
        Iterations of one start.
    random_state : int, RandomState or None
        Seed.

    Notes
    -----
    Heuristic: Lloyd's iteration from one k-means++ start. Its cells are the Voronoi cells of the centres, a
    power diagram with equal prices.
    """

    needs: ClassVar[Needs] = Needs(bounds=False)
    objective_sense = "min"

    n_clusters: int = 8
    _: KW_ONLY
    lower: ArrayLike | None = None
    upper: ArrayLike | None = None
    max_iter: int = 300
    random_state: int | np.random.RandomState | None = None

    def _partition(
        self,
        X: NDArray[np.float64],
        y: NDArray | None,
        covariates: Any,
        polytope: PartitionPolytope,
        random_state: np.random.RandomState,
    ) -> Partition:
        from sklearn.cluster import KMeans

        kmeans = KMeans(self.n_clusters, n_init=1, max_iter=self.max_iter, random_state=random_state).fit(X)
        labels = kmeans.labels_.astype(np.int64)
        stopped = Status.ITERATION_LIMIT if kmeans.n_iter_ >= self.max_iter else Status.CONVERGED
        diagram = PowerDiagram(kmeans.cluster_centers_, np.zeros(self.n_clusters), "lsa", X.mean(axis=0))
        return Partition(
            labels=labels,
            sizes=polytope.sizes(labels),
            objective=float(kmeans.inertia_),
            history={"objective": np.array([float(kmeans.inertia_)])},
            power_diagram=diagram,
            n_iter=int(kmeans.n_iter_),
            status=stopped,
        )


def sense_of(partitioner: Any) -> str:
    """ "max" or "min": which objective of the strategy is better."""
    return str(getattr(partitioner, "objective_sense", "max"))


def known_methods() -> dict[str, Method]:
    """Every row that can be shown, in table order: variants of the available strategies, then k-means."""
    found: dict[str, Method] = {}
    for strategy in STRATEGIES.available():
        kind = STRATEGIES[strategy]
        for name, parameters in (kind.variants or {strategy: {}}).items():
            found[name] = Method(name, strategy, kind, dict(parameters))
    found[REFERENCE] = Method(REFERENCE, "scikit-learn", KMeansReference)
    return found


def choose_methods(names: Sequence[str] | None = None) -> list[Method]:
    """Methods by row name or by strategy name; None means all.

    Raises
    ------
    InvalidInputError
        When a name is neither.
    """
    known = known_methods()
    if not names:
        return list(known.values())
    chosen: dict[str, Method] = {}
    for name in names:
        match = [
            m for m in known.values() if name in (m.name, m.strategy) or (name == "kmeans" and m.name == REFERENCE)
        ]
        if not match:
            raise InvalidInputError(f"method {name!r} is not known: choose among {', '.join([*known, 'kmeans'])}")
        chosen.update((method.name, method) for method in match)
    return list(chosen.values())
