"""A polytope of more dimensions, projected.

Three clusters of seven points in the plane: six sums of which four are free, seen along the two directions in which
the clusterings vary most.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import PartitionPolytope
from partitope.models.plots.polytope import plot_polytope

X = np.random.default_rng(3).normal(size=(7, 2))
polytope = PartitionPolytope(7, 2, 3, n_clusters=3)
print(polytope.count(), "clusterings")
figure, ax = plt.subplots(figsize=(6, 4.2), layout="constrained")
plot_polytope(X, polytope, ax)
ax.set_aspect("equal")
plt.show()
