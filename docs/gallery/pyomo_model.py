"""Take the program to Pyomo.

`to_pyomo` gives the unsolved program with named constraints, to which more can be added. Here points 0 and 1 are kept
apart; any solver that Pyomo knows can go on from there.
"""

import numpy as np
import pyomo.environ as pyo
from matplotlib import pyplot as plt

from partitope.models import AssignmentModel, PartitionPolytope

X = np.random.default_rng(0).normal(size=(20, 2))
program = AssignmentModel.lsa(X, X[:2] * 2, PartitionPolytope(20, 8, 12, n_clusters=2)).to_pyomo()
program.apart = pyo.Constraint([0, 1], rule=lambda m, i: m.assign[0, i] + m.assign[1, i] <= 1)
print([part.name for part in program.component_objects(pyo.Constraint)])
pyo.SolverFactory("appsi_highs").solve(program)
shares = np.array([[pyo.value(program.assign[j, i]) for i in (0, 1)] for j in range(20)])
print(f"value {pyo.value(program.total_score):.4f}, sizes {shares.sum(axis=0).round(6).tolist()}")

figure, ax = plt.subplots(figsize=(5.5, 3.8), layout="constrained")
for i, marker in enumerate("os"):
    ax.scatter(*X[shares.argmax(axis=1) == i].T, marker=marker, s=40)
ax.plot(*X[:2].T, ":", color="black", label="apart")
ax.legend()
ax.set_aspect("equal")
plt.show()
