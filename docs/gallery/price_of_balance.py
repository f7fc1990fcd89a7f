"""The price of balance.

For fixed sites, the left picture shows the exact minimum cost as a function of the smallest allowed cluster size, with
all breakpoints. The right picture shows what one more point in every cluster costs; it is constant between breakpoints.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import bounds_path

rng = np.random.default_rng(0)
X = np.vstack([rng.normal(centre, 1.1, (size, 2)) for centre, size in [((2, 7), 90), ((7, 7), 40), ((6, 2), 20)]])
sites = [[2.0, 7.0], [7.0, 7.0], [6.0, 2.0]]
path = bounds_path(AssignmentModel.lsa(X, sites, PartitionPolytope(len(X), n_clusters=3)), "lower")
print(f"free up to {path.free_until:.0f} points; at 50 points the cost is {path(50.0) / path(0.0):.2f} times the least")

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
axes[0].plot(path.parameter, path.value, color="#0072B2", marker="o", markersize=3)
axes[1].step(path.parameter[:-1], path.slopes, where="post", color="#D55E00")
for ax, name in zip(axes, ("sum of squares about the sites", "cost of one point more in every cluster")):
    ax.set(xlabel="least size of every cluster", ylabel=name)
plt.show()
