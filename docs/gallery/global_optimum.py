"""A bound on the global optimum.

`solve_global` returns the best clustering found and an interval that contains the optimum of all clusterings. Where the
interval is narrow enough, the proof is called global.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import PartitionPolytope
from partitope.solvers import solve_global
from partitope.solvers.global_optimum.plots import plot_interval

X = np.random.default_rng(0).normal(size=(40, 2))
partition = solve_global(X, PartitionPolytope(40, 8, 12, n_clusters=4), gap=1e-3, time_limit=20)
print(partition.bound)
print(partition.proof.name.lower(), "-", partition.claim)

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
partition.plot(X, ax=axes[0])
plot_interval(partition, ax=axes[1])
plt.show()
