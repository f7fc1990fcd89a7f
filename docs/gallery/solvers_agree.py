"""The same program, five solvers.

Every backend solves the same model, and independent code checks its answer. Objective values are compared, not labels:
backends may break ties differently, and optimal prices need not be unique.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import solve

X = np.random.default_rng(0).normal(size=(60, 2))
model = AssignmentModel.lsa(X, X[:3], PartitionPolytope(60, 18, 22, n_clusters=3))
backends = ["transport", "highs", "scipy", "networkx", "cvxpy"]
answers = [solve(model, backend=name) for name in backends]
for name, answer in zip(backends, answers, strict=True):
    print(f"{name:10} {answer.objective:.9f}  verified {answer.verify().verified}")

figure, ax = plt.subplots(figsize=(6, 3), layout="constrained")
prices = np.array([answer.prices for answer in answers])
for i, marker in enumerate("osv"):
    ax.plot(range(5), prices[:, i], linestyle="", marker=marker, label=f"cluster {i}")
ax.axhline(0, color="0.7", linewidth=0.8)
ax.set(xticks=range(5), xticklabels=backends, ylabel="price")
ax.legend(ncols=3)
plt.show()
