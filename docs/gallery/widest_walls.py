"""Walls that keep their distance.

The prices of a solver put a wall on some point. Of all prices that keep the clustering, `max_margin` takes those whose
walls stay as far from every point as possible.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import AssignmentModel, PartitionPolytope, PowerDiagram
from partitope.solvers import solve

rng = np.random.default_rng(5)
X, sites = rng.normal(size=(24, 2)) * [2.0, 1.2], np.array([[-2.0, 0.0], [0.5, 1.0], [1.5, -1.0]])
solution = solve(AssignmentModel.lsa(X, sites, PartitionPolytope(24, 8, 8, n_clusters=3)))
tight = PowerDiagram(sites, solution.prices, kind="lsa")
wide = PowerDiagram.max_margin(X, solution.labels, sites, kind="lsa")

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharex=True, sharey=True)
for ax, diagram, name in [(axes[0], tight, "prices of the solver"), (axes[1], wide, "widest margin")]:
    diagram.plot(ax, X=X, labels=solution.labels, sites=True, size=40)
    distance = abs(diagram.margin(X, solution.labels).min())
    ax.set_title(f"{name}: nearest point at {distance:.2f}")
    print(f"{name}: {distance:.4f}")
plt.show()
