"""Bounds that no clustering satisfies.

The error message names the bounds in conflict and the smallest repair. The picture shows which pairs of a common lower
and a common upper bound are feasible for 150 points in 4 clusters: a rectangle with one corner at n/k.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import InfeasibleBoundsError, PartitionPolytope


def feasible(lower, upper):
    """Whether some clustering has all sizes between the two."""
    try:
        PartitionPolytope(150, lower, upper, n_clusters=4).check()
    except InfeasibleBoundsError:
        return False
    return True


try:
    PartitionPolytope(150, 40, 60, n_clusters=4).check()
except InfeasibleBoundsError as error:
    print(error)
lowers, uppers = np.arange(0, 61, 2), np.arange(0, 151, 3)
grid = [[lower <= upper and feasible(lower, upper) for lower in lowers] for upper in uppers]
figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
ax.pcolormesh(lowers, uppers, np.array(grid), cmap="Blues", vmax=2, shading="nearest")
ax.plot(37.5, 37.5, "ko")
ax.annotate("n/k", (37.5, 37.5), xytext=(6, -12), textcoords="offset points")
ax.set(xlabel="common lower bound", ylabel="common upper bound", title="blue: some clustering exists")
plt.show()
