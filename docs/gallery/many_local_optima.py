"""Many starts, many results.

Forty runs from random starts end in different local optima; each is certified as optimal for its sites. The lower bound
of `solve_global` shows how far the best of them can be from the optimum.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import PartitionPolytope
from partitope.solvers import GeometricPartitioner, solve_global

X = np.random.default_rng(12).uniform(size=(45, 2))
model = GeometricPartitioner(4, lower=10, upper=13, objective="lsa", init="random", n_init=1)
ends = [model.set_params(random_state=seed).fit(X).partition_.objective for seed in range(40)]
bound = solve_global(X, PartitionPolytope(45, 10, 13, n_clusters=4), gap=0.02, time_limit=5.0).bound
print(f"{len(set(np.round(ends, 6)))} different ends, {min(ends):.4f} to {max(ends):.4f}")

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.hist(ends, bins=20, color="#9CC3E5", edgecolor="#1F4E79")
ax.axvspan(bound.lower, bound.upper, color="#F4C7A8", label="the optimum is in this interval")
ax.set(xlabel="sum of squares at the end of a run", ylabel="runs")
ax.legend()
plt.show()
