"""Template of a strategy: copy this file, rename the class, replace the method.

The head of the file states the objective, and what is exact and what heuristic. Here:

    minimise  sum_i |x_i - s_{l(i)}|^2   over labels l within the size bounds, for fixed sites s_1, ..., s_k       (1)

The sites are k points far from each other (heuristic); the labels are an optimum of (1) for them (exact).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partitope.models import AssignmentModel, PartitionPolytope, PowerDiagram
from partitope.solvers import Partition, Partitioner, solve
from partitope.solvers.partitioner import Needs


# A decorator, ``@STRATEGIES.register("farthest-first")``, adds the class when its module is imported. A package does
# without: its pyproject.toml says
#
#     [project.entry-points."partitope.strategies"]
#     farthest-first = "my_package.my_module:FarthestFirst"
#
# Then ``partitope compare --method farthest-first`` works, and a test file of three lines runs the whole suite:
#
#     from my_package.my_module import FarthestFirst
#     from partitope.testing import strategy_suite
#     TestMine = strategy_suite(FarthestFirst)
@dataclass(eq=False, repr=False, kw_only=True)  # parameters of your own are fields: ``tolerance: float = 1e-3``
class FarthestFirst(Partitioner):
    """Least-squares clustering around sites that are far from each other.

    Attributes
    ----------
    partition_ : Partition
        ``objective`` is (1), smaller is better.

    Notes
    -----
    The labels are optimal for the sites, with a certificate; the sites are a heuristic. O(n k d) and one assignment.

    References
    ----------
    Gonzalez (1985), Clustering to minimize the maximum intercluster distance, Theoretical Computer Science 38.
    """

    # Declare honestly: what is declared is tested, what is not is refused before `_partition` is called.
    needs: ClassVar[Needs] = Needs(sample_weight=True)
    objective_sense: ClassVar[Literal["max", "min"]] = "min"

    def _partition(
        self,
        X: NDArray[np.float64],
        y: NDArray | None,
        covariates: ArrayLike | None,
        polytope: PartitionPolytope,
        rng: np.random.RandomState,
    ) -> Partition:
        # The input is validated and the bounds are feasible; every random number comes from `rng`.
        sites = _far_apart(X, polytope.n_clusters, int(rng.randint(len(X))))
        solution = solve(AssignmentModel.lsa(X, sites, polytope))
        labels = solution.require_labels()
        assert solution.prices is not None  # the engine always has prices; backends that were stopped may have none
        weights = np.ones(len(X)) if polytope.weights is None else polytope.weights
        objective = float((weights * ((X - sites[labels]) ** 2).sum(axis=1)).sum())
        return Partition(
            labels=labels,
            sizes=polytope.sizes(labels),
            objective=objective,
            certificate=solution.verify(),  # only what was re-checked: `Partition.proof` is made from it
            power_diagram=PowerDiagram(sites, solution.prices, "lsa"),  # the cells that `predict` uses
            n_iter=1,
            splits=solution.splits,
        )


def _far_apart(X: NDArray[np.float64], k: int, first: int) -> NDArray[np.float64]:
    """Sites (k, d): a first point, then again and again the point farthest from all sites so far."""
    chosen = [first]
    distance = np.full(len(X), np.inf)
    for _ in range(k - 1):
        distance = np.minimum(distance, ((X - X[chosen[-1]]) ** 2).sum(axis=1))
        chosen.append(int(distance.argmax()))
    return np.array(X[chosen], dtype=np.float64)
