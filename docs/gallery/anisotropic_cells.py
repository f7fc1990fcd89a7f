"""Cells that are stretched like their clusters.

Three elongated groups, with bounds of 50 to 70 points per cluster. Cells of squared distances have straight boundaries;
cells of squared Mahalanobis distances have conic sections as boundaries and follow the shape of the groups.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.solvers import AnisotropicPartitioner, GeometricPartitioner

rng = np.random.default_rng(6)
parts = []
for centre, spread, angle in [((0, 0), (3.2, 0.5), 0.5), ((1.5, 3.2), (3.0, 0.45), 0.1), ((6.2, 1.2), (0.5, 2.0), 0.0)]:
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    parts.append((rng.normal(size=(60, 2)) * spread) @ turn + centre)
X = np.vstack(parts)
figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharex=True, sharey=True)
for ax, strategy, name in [
    (axes[0], GeometricPartitioner(3, objective="lsa", lower=50, upper=70, n_init=10, random_state=0), "Euclidean"),
    (axes[1], AnisotropicPartitioner(3, lower=50, upper=70, n_init=10, random_state=0), "Mahalanobis"),
]:
    partition = strategy.fit(X).partition_
    partition.plot(X, ax=ax)
    ax.set_title(f"{name} distances: sizes {partition.sizes.tolist()}")
plt.show()
