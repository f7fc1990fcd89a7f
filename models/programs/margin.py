"""Prices of the largest margin as a linear program; its dual is a cycle of least ratio.

Sets        clusters i, l = 0..k-1
Data        gaps w_il = min of gamma_i(x) - gamma_l(x) over the points x of cluster i, gradients g_i of the scores
Variables   prices mu_i, margin eps

    max  eps
    (1)  mu_i - mu_l + eps |g_i - g_l| <= w_il      for clusters i != l, where i has points
    (2)  sum_i mu_i = 0

eps is the smallest distance of a point to a boundary of its cell. The dual is

    min  sum_il w_il f_il       f a circulation of the clusters, f >= 0, with sum_il |g_i - g_l| f_il = 1

so that one cycle with the smallest w(cycle) / |g|(cycle) solves it. `max_margin_prices` finds that cycle directly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import instance_of
from ...base.one_line import OneLine
from ..diagram.max_margin_prices import pairwise_distance
from ..diagram.power_diagram import PowerDiagram
from ..formats.arrays import Block, BlockRows
from .program import Program


@dataclass(frozen=True, eq=False, repr=False)
class MarginProgram(OneLine):
    """The program as numbers for a solver of linear programs.

    Parameters
    ----------
    gaps, distances : (k, k) ndarray
        w, infinite in the rows of clusters without points, and |g_i - g_l|.

    Notes
    -----
    The optimum is positive exactly if some prices put all points strictly inside the cells of their clusters.

    Examples
    --------
    >>> from partitope.models import MarginProgram, PowerDiagram
    >>> diagram = PowerDiagram([[0.0], [4.0]], [0.0, 0.0], "lsa")
    >>> program = MarginProgram.of(diagram, [[0.0], [1.0], [4.0]], [0, 0, 1]).program
    >>> [block.name for block in program.columns], program.matrix.shape
    (['price', 'margin'], (3, 3))
    """

    gaps: NDArray[np.float64]
    distances: NDArray[np.float64]

    @classmethod
    def of(cls, diagram: PowerDiagram, X: ArrayLike, labels: ArrayLike) -> MarginProgram:
        """The program for the sites of a diagram, whatever its prices, and a clustering (n,) of points (n, d).

        Raises
        ------
        InvalidInputError
            When points or labels do not fit the diagram.
        """
        instance_of(diagram, "diagram", PowerDiagram)
        return cls(diagram.exchange_gaps(X, labels), pairwise_distance(diagram.gradients))

    @property
    def program(self) -> Program:
        """(1) and (2): columns ``price`` (k,) and ``margin``, rows ``wall`` for pairs of clusters, and ``level``."""
        import scipy.sparse as sp

        k = len(self.gaps)
        i, l = np.nonzero(np.isfinite(self.gaps) & ~np.eye(k, dtype=bool))
        walls = np.arange(i.size)
        entries = np.concatenate([np.ones(i.size), -np.ones(i.size), self.distances[i, l]])
        where = (np.tile(walls, 3), np.concatenate([i, l, np.full(i.size, k)]))
        pairs = sp.csr_array((entries, where), shape=(i.size, k + 1))
        level = sp.csr_array(np.append(np.ones(k), 0.0)[None])
        free = np.full(k + 1, np.inf)
        rows: list[BlockRows] = [(Block("wall", np.column_stack([i, l])), pairs, -np.inf, self.gaps[i, l])]
        rows.append((Block.grid("level", 1), level, 0.0, 0.0))
        return Program.of_blocks(
            np.eye(k + 1)[-1], rows, lower=-free, upper=free, maximise=True,
            columns=(Block.grid("price", k), Block.grid("margin", 1)), name="margin",
        )  # fmt: skip
