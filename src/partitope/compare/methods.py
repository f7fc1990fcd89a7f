"""What `compare` compares: strategies of the table, those of `SHOWN` unless others are asked for by name.

A strategy that is not among them, or comes from another package, has a row when it is named. A table that lacks what it
needs gets the refusal as the note of that row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..base.errors import InvalidInputError
from ..base.record import Record
from ..models.polytope.polytope import PartitionPolytope
from ..solvers import STRATEGIES, Partitioner
from ..solvers.geometric.k_means import KMeansReference
from ..solvers.partitioner import Needs

(REFERENCE,) = KMeansReference.variants
SHOWN = ("geometric", "cac", "pkm", "kcc", "kcssl", "k-means")


@dataclass(frozen=True)
class Method:
    """One row of a comparison."""

    name: str  # Name of the row.
    strategy: str  # Name in the table of strategies.
    partitioner: type[Partitioner]  # Class of the strategy.
    parameters: Record = field(default_factory=dict)  # Parameters of the row, besides the common ones.

    @property
    def needs(self) -> Needs:
        """What the strategy can take and must have."""
        return self.partitioner.needs

    def build(self, polytope: PartitionPolytope, covariates: Any = None) -> Partitioner:
        """An unfitted partitioner, with bounds if it takes any, told which covariates (a DataFrame) are numbers."""
        estimator: Partitioner = self.partitioner()
        common: Record = {"n_clusters": polytope.n_clusters}
        if "n_init" in estimator.get_params():
            common["n_init"] = 1  # the comparison repeats it: starts within starts would multiply
        if self.needs.bounds:
            common["lower"] = polytope.lower if polytope.lower.any() else None
            common["upper"] = polytope.upper if (polytope.upper < polytope.total).any() else None
        if covariates is not None and "covariate_type" in estimator.get_params():
            common["covariate_type"] = ["real" if kind.kind == "f" else "categorical" for kind in covariates.dtypes]
        return estimator.set_params(**common, **self.parameters)


def known_methods(every: bool = False) -> dict[str, Method]:
    """Rows of the available strategies, in table order."""
    kinds = STRATEGIES.loaded() if every else {name: STRATEGIES[name] for name in SHOWN}
    return {
        name: Method(name, strategy, kind, dict(parameters))
        for strategy, kind in kinds.items()
        for name, parameters in (kind.variants or {strategy: {}}).items()
    }


def choose_methods(names: Sequence[str] | None = None) -> list[Method]:
    """Methods by row name or by strategy name; None means those that a comparison shows unasked."""
    if not names:
        return list(known_methods().values())
    known = known_methods(every=True)
    chosen: dict[str, Method] = {}
    for name in names:
        strategy = "k-means" if name == "kmeans" else name
        match = [method for method in known.values() if strategy in (method.name, method.strategy)]
        if not match:
            raise InvalidInputError(f"method {name!r} is not known: choose among {', '.join([*known, 'kmeans'])}")
        chosen.update((method.name, method) for method in match)
    return list(chosen.values())
