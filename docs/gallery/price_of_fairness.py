"""The price of fairness.

Territories have equal numbers of customers, and the percentage of a group must be nearly the same in all of them. The
pictures show two such divisions (filled marks are the group) and by how much the sum of squares grows.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import GeometricPartitioner, bounds_path

rng, k = np.random.default_rng(0), 3
X = np.vstack([rng.normal(centre, 1.1, (size, 2)) for centre, size in [((2, 7), 90), ((7, 7), 40), ((6, 2), 20)]])
group = X[:, 0] + rng.normal(size=150) > np.median(X[:, 0])
balanced = PartitionPolytope(150, 48, 52, n_clusters=k)
run = GeometricPartitioner(k, objective="lsa", n_init=5, random_state=0).fit(X, polytope=balanced)
equal = balanced.share(group, group.mean(), group.mean(), name="group")
path = bounds_path(AssignmentModel.lsa(X, run.cluster_centers_, equal), "group", np.linspace(0.0, 0.6, 25))

figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
for ax, place in [(axes[0], -1), (axes[1], 2)]:
    labels = path.solutions[place].labels
    for i, marker in enumerate("osv"):
        ax.scatter(*X[(labels == i) & ~group].T, s=14, marker=marker, facecolors="none", edgecolors=f"C{i}")
        ax.scatter(*X[(labels == i) & group].T, s=18, marker=marker, color=f"C{i}")
    ax.set(title=f"shares within {100 * path.slack[place]:.0f} points", aspect="equal")
axes[2].plot(100 * path.slack, 100 * path.price / path.value[-1], marker="o", markersize=3)
axes[2].set(xlabel="shares may differ by ... points", ylabel="sum of squares grows by ... %")
plt.show()
