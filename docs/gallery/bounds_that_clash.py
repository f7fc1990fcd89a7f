"""Bounds that no clustering satisfies.

The error message names the bounds in conflict and the smallest repair. The picture shows which pairs of a common lower
and a common upper bound are feasible for 150 points in 4 clusters: a rectangle with one corner at n/k.
"""

from matplotlib import pyplot as plt

from partitope.models import InfeasibleBoundsError, PartitionPolytope

figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
for lower in range(0, 61, 4):
    for upper in range(lower, 151, 6):
        try:
            PartitionPolytope(150, lower, upper, n_clusters=4).check()
            ax.plot(lower, upper, "s", color="#0072B2")
        except InfeasibleBoundsError as error:
            ax.plot(lower, upper, "x", color="0.6")
            if (lower, upper) == (40, 58):
                print(error)
ax.set(xlabel="common lower bound", ylabel="common upper bound", title="squares: some clustering exists")
plt.show()
