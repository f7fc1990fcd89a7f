"""Where the exact engine changes its ways. Every choice ends in the same optimum, after more or less time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """What decides how the engine solves a program, as in ``solve(model, options=Options(many_clusters=1000))``.

    Attributes
    ----------
    many_clusters : int, default 400
        From this many clusters on, first prices come from candidate lists of twelve clusters per point and the entropic
        dual over them, which cost less than scores of all clusters; below, from a sample of the points.
    members : int, default 2048
        Up to this many points per cluster, the cost of every exchange is kept exactly; with more, a heap of candidates.
    smallest_sample : int, default 1024
        Solving a sample of fewer points costs more than its prices save.
    sample_per_cluster : int, default 4
        Points of a sample per cluster; with fewer, its prices leave most points to move.
    most_per_point : float, default 3.0
        Clusters for which a point is a candidate, at most on average: a limit on memory.
    """

    many_clusters: int = 400
    members: int = 2048
    smallest_sample: int = 1024
    sample_per_cluster: int = 4
    most_per_point: float = 3.0


DEFAULT = Options()
