"""The lifted picture.

Points are on a line. Every site has a paraboloid above the line, and the site's price lifts it. A point belongs to the
site whose paraboloid is lowest there; boundaries are where two paraboloids cross. Dashed curves show price zero.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import AssignmentModel, PartitionPolytope, PowerDiagram
from partitope.models.plots.lifted import plot_lifted
from partitope.solvers import solve

x = np.sort(np.random.default_rng(2).normal(2.0, 1.5, 60))[:, None]
sites = np.array([[0.5], [2.5], [5.0]])
solution = solve(AssignmentModel.lsa(x, sites, PartitionPolytope(60, 18, 22, n_clusters=3)))
print("prices", solution.prices.round(2).tolist())

figure, ax = plt.subplots(figsize=(7.5, 4), layout="constrained")
diagram = PowerDiagram(sites, solution.prices, kind="lsa")
plot_lifted(diagram, ax, start=[-2.0], end=[7.0], X=x, labels=solution.labels)
ax.set_xlabel("distance along the line")
plt.show()
