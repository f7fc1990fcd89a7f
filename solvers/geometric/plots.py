"""A strip of small pictures: the steps of a run side by side, one power diagram each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...base.checks import as_entries, instance_of
from ...base.errors import InvalidInputError
from ..partition import Partition

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_iterations(
    partitions: Sequence[Partition], X: ArrayLike, axes: Sequence[Axes] | None = None, **options: Any
) -> Sequence[Axes]:
    """Draw partitions of the same points side by side, each with its cells and objective.

    Parameters
    ----------
    partitions : sequence of Partition
        For example of one start stopped after 1, 2, 3, ... steps by ``max_iter``.
    X : (n, d) array_like
        Points, d >= 2.
    axes : sequence of matplotlib Axes, optional
        One a partition; a new row of axes when None.
    **options
        Passed to `PowerDiagram.plot`.

    Returns
    -------
    sequence of matplotlib Axes

    Raises
    ------
    InvalidInputError
        When there is no partition, one is of another kind or has no power diagram, or the number of axes differs.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.solvers import GeometricPartitioner
    >>> from partitope.solvers.geometric.plots import plot_iterations
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> runs = [GeometricPartitioner(3, max_iter=t, random_state=0).fit(X).partition_ for t in (1, 2, 3)]
    >>> len(plot_iterations(runs, X))
    3
    """
    steps, _ = as_entries(partitions, "partitions")
    if not steps:
        raise InvalidInputError("partitions is empty: pass at least one")
    for step in steps:
        instance_of(step, "an entry of partitions", Partition)
    if axes is None:
        from matplotlib import pyplot as plt

        width = 2.7 * len(steps)
        _, grid = plt.subplots(1, len(steps), figsize=(width, 2.9), squeeze=False, layout="constrained")
        axes = list(grid[0])
    panels = list(np.ravel(np.asarray(axes, dtype=object)))
    if len(panels) != len(steps):
        raise InvalidInputError(f"axes has {len(panels)} entries, expected {len(steps)}: one a partition")
    for panel, partition in zip(panels, steps):
        partition.plot(X, ax=panel, **options)
        panel.set_title(f"step {partition.n_iter}: {partition.objective:.5g}", fontsize=9)
        panel.set_xticks([])
        panel.set_yticks([])
    return panels
