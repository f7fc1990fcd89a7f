"""Depots and their customers, undivided.

Customers have different demands, a depot serves at most 260 units, and streets run along the axes. Left: four depots.
Right: the number of depots is chosen too, and each one has an opening cost. The titles show the total and the proved
gap to the minimum.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.solvers import MedoidPartitioner

rng = np.random.default_rng(2)
X = rng.uniform(0, 10, (60, 2))
demand = rng.integers(4, 25, 60)
figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharex=True, sharey=True)
for ax, n_clusters, cost, name in [(axes[0], 4, None, "four depots"), (axes[1], None, 12.0, "a depot costs 12")]:
    model = MedoidPartitioner(n_clusters, upper=260, metric="cityblock", cost=cost, random_state=0)
    partition = model.fit(X, sample_weight=demand).partition_
    for cluster, (depot, marker) in enumerate(zip(model.cluster_centers_, "osDv^P*Xp<>h")):
        own = X[partition.labels == cluster]
        for customer in own:  # along the streets
            ax.step(*zip(depot, customer), color="0.8", zorder=0)
        ax.plot(*own.T, f"C{cluster % 10}{marker}", markersize=5)
        ax.plot(*depot, f"C{cluster % 10}{marker}", markersize=12, markeredgecolor="black")
    ax.set_title(f"{name}: {partition.objective:.1f}, gap {100 * partition.bound.gap:.2g} %")
    print(name, partition.sizes.tolist(), partition.claim)
plt.show()
