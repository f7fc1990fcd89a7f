"""Only clusters within reach.

A mask says which point may go to which cluster: no customer is served from more than 4.3 away. What remains is still
one linear program with a certificate.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import solve

rng = np.random.default_rng(3)
X, depots = rng.uniform(0, 10, (120, 2)), np.array([[2.0, 2.0], [7.0, 3.0], [5.0, 8.0]])
near = np.linalg.norm(X[:, None] - depots, axis=2) <= 4.3
even = PartitionPolytope(120, 36, 44, n_clusters=3)
reachable = even.allow(near | ~near.any(axis=1, keepdims=True))  # who is near none may go anywhere

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharex=True, sharey=True)
for ax, polytope, name in [(axes[0], even, "sizes alone"), (axes[1], reachable, "sizes and reach")]:
    solution = solve(AssignmentModel.lsa(X, depots, polytope))
    for i, marker in enumerate("osv"):
        own = solution.labels == i
        ax.plot(
            *np.stack([X[own], np.tile(depots[i], (own.sum(), 1))], axis=2).transpose(1, 2, 0), color="0.85", lw=0.6
        )
        ax.scatter(*X[own].T, marker=marker, s=18, zorder=2)
    far = ~near[np.arange(120), solution.labels] & near.any(axis=1)
    ax.scatter(*X[far].T, s=90, facecolors="none", edgecolors="black", zorder=3)
    ax.set(title=f"{name}: {far.sum()} customers out of reach", aspect="equal")
    print(f"{name}: sizes {np.bincount(solution.labels).tolist()}, verified {solution.verify().verified}")
plt.show()
