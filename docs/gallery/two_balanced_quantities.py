"""Territories with two balanced quantities.

Left: equal numbers of customers in every territory. Right: equal revenue as well, both within 3 %. The area of a mark
is the revenue of the customer.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import PartitionPolytope
from partitope.solvers import GeometricPartitioner

rng, k = np.random.default_rng(0), 3
X = np.vstack([rng.normal(centre, 1.1, (size, 2)) for centre, size in [((2, 7), 90), ((7, 7), 40), ((6, 2), 20)]])
revenue = rng.gamma(1.5, 5.0, 150) * (1.0 + 2.0 * (X[:, 1] > 5.5))
weights = np.column_stack([np.ones(150), revenue])
even = np.tile(weights.sum(axis=0) / k, (k, 1))
both = PartitionPolytope(150, 0.97 * even, 1.03 * even, weights, names=["customers", "revenue"])
customers = PartitionPolytope(150, both.lower, both.upper)

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharex=True, sharey=True)
for ax, polytope, name in [(axes[0], customers, "customers"), (axes[1], both, "customers and revenue")]:
    labels = GeometricPartitioner(k, objective="lsa", n_init=5, random_state=0).fit(X, polytope=polytope).labels_
    for i, marker in enumerate("osv"):
        ax.scatter(*X[labels == i].T, s=3 + 2 * revenue[labels == i], marker=marker, alpha=0.7, linewidths=0)
    ax.set(title=f"balanced: {name}", aspect="equal")
    print(f"balanced: {name:22} revenue {np.bincount(labels, revenue).round().astype(int).tolist()}")
plt.show()
