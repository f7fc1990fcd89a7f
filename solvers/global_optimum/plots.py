"""The interval around a global optimum over time, as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...base.checks import instance_of
from ...base.errors import InvalidInputError
from ...output.style import axes_of
from ..partition import Partition

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_interval(partition: Partition, ax: Axes | None = None) -> Axes:
    """Draw the best value and the proved bound of a search for a global optimum over time.

    Parameters
    ----------
    partition : Partition
        From `solve_global`, where a tree was searched.
    ax : matplotlib Axes, optional
        Where to draw; the current axes when None.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InvalidInputError
        When the partition's history holds no bounds, or an argument is of another kind.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.models import PartitionPolytope
    >>> from partitope.solvers import solve_global
    >>> from partitope.solvers.global_optimum.plots import plot_interval
    >>> X = np.random.default_rng(0).normal(size=(40, 2))
    >>> best = solve_global(X, PartitionPolytope(40, 8, 12, n_clusters=4), gap=1e-2, time_limit=20)
    >>> plot_interval(best).get_xlabel()
    'seconds'
    """
    instance_of(partition, "partition", Partition)
    if "bound" not in partition.history:
        raise InvalidInputError("partition has no bounds over time: pass one from solve_global that searched a tree")
    axes = axes_of(ax)
    seconds, history = partition.history["seconds"], partition.history
    bound = np.where(history["bound"] > 0, history["bound"], np.nan)
    for values, label in [(history["objective"], "best clustering"), (bound, "bound")]:
        axes.step(seconds, values, where="post", marker="o", markersize=3.5, label=label)
    axes.ticklabel_format(axis="y", useOffset=False)
    axes.set_xlabel("seconds")
    axes.set_ylabel("sum of squares")
    axes.legend()
    return axes
