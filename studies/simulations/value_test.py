"""Simulation of the cluster value test: how often it rejects, at the limit (level) and beyond it (power).

For a limit L and n test points, x ~ Bin(n, L + effect) is drawn again and again and H0: p <= L is tested as
`cluster_value_test` does. The upper test at U is the mirror image of the lower one at 1 - U. Beside the simulated
rate stands the exact one, the sum of binomial probabilities above the critical value (see `power`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partitope.base.checks import finite_numbers, in_interval, random_generator, whole_number
from partitope.base.errors import InvalidInputError
from partitope.stats.cluster_values.power import rejection_rate
from partitope.stats.cluster_values.steps import Method, pvalues, statistics

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

METHODS: tuple[Method, Method] = ("normal", "exact")
SIZES = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
LIMITS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.98, 0.99)


@dataclass(frozen=True, eq=False)
class ValueTestStudy:
    """Outcome of `simulate_value_test`.

    Attributes
    ----------
    table : pandas.DataFrame
        One row for each method, limit and number of test points, with the columns method, limit, p, n_test, rate (the
        simulated share of rejections), standard_error, and expected (the exact probability of a rejection).
    alpha, effect : float
        Level of the tests, and how far the true probability lies beyond the limit; 0 shows the level.
    n_simulations : int
        Draws behind each rate.
    """

    table: pd.DataFrame = field(repr=False)
    alpha: float
    effect: float
    n_simulations: int

    def plot(self) -> Figure:
        """Draw the simulated rates of both versions side by side over test points and limits.

        Returns
        -------
        matplotlib.figure.Figure
        """
        return _draw(self)


def simulate_value_test(
    n_test: Sequence[int] | ArrayLike = SIZES,
    limits: ArrayLike = LIMITS,
    *,
    effect: float = 0.0,
    alpha: float = 0.05,
    n_simulations: int = 20_000,
    random_state: int | None = 0,
) -> ValueTestStudy:
    """Simulate level or power of the normal and the exact version of `cluster_value_test`.

    Parameters
    ----------
    n_test : (a,) array_like of int
        Numbers of test points.
    limits : (b,) array_like
        Limits in (0, 1).
    effect : float
        True probability minus limit, cut at 1; 0 for the level, positive for power.
    alpha : float
        Nominal level.
    n_simulations : int
        Draws for each number and limit; both versions see the same draws.
    random_state : int or None
        Seed.

    Returns
    -------
    ValueTestStudy

    Raises
    ------
    InvalidInputError
        When sizes, limits or options are not usable.

    Notes
    -----
    O(a b n_simulations).

    Examples
    --------
    >>> from studies.simulations.value_test import simulate_value_test
    >>> simulate_value_test([20], [0.01], n_simulations=1000).table[["method", "expected"]].round(3)
       method  expected
    0  normal     0.182
    1   exact     0.017
    """
    sizes, bars = finite_numbers(n_test, "n_test"), finite_numbers(limits, "limits")
    in_interval(alpha, "alpha", 0.0, 1.0)
    in_interval(effect, "effect", 0.0, 1.0, closed=True)
    if (sizes < 1).any() or (sizes != np.round(sizes)).any():
        raise InvalidInputError(f"n_test={n_test!r} is not usable: pass integers of at least 1")
    if not ((bars > 0) & (bars < 1)).all():
        raise InvalidInputError(f"limits={limits!r} are not usable: pass numbers between 0 and 1")
    whole_number(n_simulations, "n_simulations")
    rng = random_generator(random_state)
    rows = []
    for limit in bars:
        p = min(limit + effect, 1.0)
        for n in sizes.astype(np.int64):
            counts = rng.binomial(n, p, n_simulations)
            for method in METHODS:
                rate = float(np.mean(_lower_pvalues(counts, n, limit, method) <= alpha))
                error = float(np.sqrt(rate * (1 - rate) / n_simulations))
                expected = float(rejection_rate("lower", n, limit, 1.0, p, alpha, method))
                rows.append((method, limit, p, int(n), rate, error, expected))
    import pandas as pd

    columns = ["method", "limit", "p", "n_test", "rate", "standard_error", "expected"]
    return ValueTestStudy(pd.DataFrame(rows, columns=columns), float(alpha), float(effect), int(n_simulations))


def _lower_pvalues(counts: NDArray[np.int64], n: np.int64, limit: float, method: Method) -> NDArray[np.float64]:
    """p-values of the draws, computed once for every count that occurs."""
    seen, place = np.unique(counts, return_inverse=True)
    trials = np.full(seen.size, n)
    both = np.full((seen.size, 2), limit)
    return pvalues(both, statistics(both, seen, trials), seen, trials, method)[place, 0]


def _draw(study: ValueTestStudy) -> Figure:
    """Simulated rejection rates of both versions over test points and limits; above the level in red."""
    import matplotlib.pyplot as plt
    from matplotlib.colors import TwoSlopeNorm

    figure, axes = plt.subplots(1, 2, figsize=(10.4, 4.8), layout="constrained", sharey=True)
    level = study.effect == 0.0
    top = max(0.2, 2 * study.alpha) if level else 1.0
    middle = study.alpha if level else 0.5
    shades = TwoSlopeNorm(middle, 0.0, top)
    for ax, method in zip(axes, ("normal", "exact")):
        part = study.table[study.table["method"] == method]
        grid = part.pivot(index="limit", columns="n_test", values="rate")
        image = ax.imshow(grid, cmap="RdBu_r" if level else "viridis", norm=shades, aspect="auto", origin="lower")
        for (i, j), rate in np.ndenumerate(grid.to_numpy()):
            light = np.dot(image.cmap(shades(rate))[:3], (0.3, 0.59, 0.11)) > 0.5
            ax.text(j, i, f"{100 * rate:.1f}", ha="center", va="center", fontsize=7, color="k" if light else "w")
        ax.set_xticks(np.arange(grid.shape[1]), [str(n) for n in grid.columns], rotation=45)
        ax.set_yticks(np.arange(grid.shape[0]), [f"{v:g}" for v in grid.index])
        ax.set_xlabel("test points")
        ax.set_title(f"{method} p-values", fontsize=10)
    axes[0].set_ylabel("lower limit, or 1 - upper limit")
    what = "level" if level else f"power at limit + {study.effect:g}"
    figure.suptitle(
        f"Simulated {what} in %, nominal {100 * study.alpha:g} %, {study.n_simulations} draws a cell", fontsize=10
    )
    figure.colorbar(image, ax=axes, label="share of rejections", extend="max" if level else "neither")
    return figure
