"""Moves that improve a clustering.

If a clustering is not optimal for its sites, there is a cycle of moves that keeps all sizes and improves the objective.
The cycle proves that the clustering is not optimal; an optimal clustering has no such cycle.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import AssignmentModel, ExchangeGraph, PartitionPolytope
from partitope.solvers import solve

rng = np.random.default_rng(1)
X, sites = rng.normal(size=(18, 2)) * 1.5, np.array([[-1.5, 0.0], [1.5, 0.0], [0.0, 2.0]])
model = AssignmentModel.lsa(X, sites, PartitionPolytope(18, 6, 6, n_clusters=3))
labels = solve(model).labels
a, b, c = (np.flatnonzero(labels == i)[0] for i in range(3))
labels[[a, b, c]] = 1, 2, 0  # spoil it
cycle = ExchangeGraph.of(model, labels).negative_cycle()
for move in cycle.moves:
    print(f"point {move.point}: from cluster {move.source} to {move.target}")
better = cycle.apply(labels)
print(f"gain {cycle.gain:.3f}; afterwards a cycle: {ExchangeGraph.of(model, better).negative_cycle() is not None}")

figure, ax = plt.subplots(figsize=(5.5, 4.2), layout="constrained")
for i, marker in enumerate("osv"):
    ax.scatter(*X[labels == i].T, marker=marker, s=40)
    ax.scatter(*sites[i], marker=marker, s=160, c=f"C{i}")
for move in cycle.moves:
    ax.annotate("", sites[move.target], X[move.point], arrowprops={"arrowstyle": "->", "color": "black"})
ax.set(title="large marks: sites; arrows: the moves of the cycle", aspect="equal")
plt.show()
