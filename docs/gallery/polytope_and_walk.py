"""A partition polytope, and a walk on it.

Each dot is a clustering of ten points into two clusters of four to six points, drawn at the sum of the points in the
first cluster. Norm maximisation visits vertices of the polytope, from the square to the star.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import PartitionPolytope
from partitope.models.plots.polytope import plot_polytope
from partitope.solvers import GeometricPartitioner

X = np.random.default_rng(8).normal(size=(10, 2)) * [1.6, 1.0]
X -= X.mean(axis=0)
model = GeometricPartitioner(2, objective="csa", lower=4, upper=6, init=[[-0.1, 1.0], [0.1, -1.0]])
walk = [model.set_params(max_iter=steps).fit(X).labels_ for steps in range(1, 8)]
polytope = PartitionPolytope(10, 4, 6, n_clusters=2)
print(f"{polytope.count()} clusterings, {len(set(map(tuple, walk)))} of them on the walk")

figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
plot_polytope(X, polytope, ax, walk=walk)
ax.set_aspect("equal")
plt.show()
