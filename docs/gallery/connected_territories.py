"""Connected territories on both sides of a river.

Edges join neighbouring places; the river has two bridges. Both maps have five territories whose populations are equal
within 5 %. The left map uses distances alone, and one place is cut off from its territory by the river. On the right,
the edges connect every territory. The titles show the sum of squares.
"""

import numpy as np
from matplotlib import pyplot as plt
from scipy.spatial import Delaunay

from partitope.cluster import BalancedKMeans
from partitope.models import PartitionPolytope

rng = np.random.default_rng(3)
X, people = rng.uniform(0, 10, (90, 2)), rng.integers(1, 20, 90).astype(float)
corners = Delaunay(X).simplices
edges = np.unique(np.sort(np.vstack([corners[:, :2], corners[:, 1:], corners[:, ::2]]), axis=1), axis=0)
edges = edges[np.linalg.norm(X[edges[:, 0]] - X[edges[:, 1]], axis=1) < 3.0]
north = X[:, 1] > 5 + np.sin(X[:, 0])
over = np.flatnonzero(north[edges[:, 0]] != north[edges[:, 1]])
middle = X[edges[over]].mean(axis=1)[:, 0]
bridges = over[[np.abs(middle - 1.5).argmin(), np.abs(middle - 8.5).argmin()]]
edges = np.delete(edges, np.setdiff1d(over, bridges), axis=0)

mean = people.sum() / 5
town = PartitionPolytope(90, 0.95 * mean, 1.05 * mean, people, n_clusters=5)
figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained", sharex=True, sharey=True)
for ax, polytope, name in [(axes[0], town, "in pieces"), (axes[1], town.connected(edges), "connected")]:
    model = BalancedKMeans(5, random_state=0).fit(X, polytope=polytope)
    x = np.linspace(0, 10, 100)
    ax.plot(x, 5 + np.sin(x), color="0.85", linewidth=8, zorder=0)
    for u, v in edges[np.diff(model.labels_[edges])[:, 0] == 0]:  # within a territory
        ax.plot(*X[[u, v]].T, color="0.3", linewidth=1.2, zorder=1)
    for cluster, marker in enumerate("osDv^"):
        ax.plot(*X[model.labels_ == cluster].T, marker, markersize=6, linestyle="none")
    ax.set_title(f"{name}: {model.inertia_:.0f}")
    print(name, "populations:", model.partition_.sizes.tolist())
plt.show()
