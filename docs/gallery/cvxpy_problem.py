"""Take the program to CVXPY.

`to_cvxpy` gives a problem with the variable `assign`. A convex term of your own makes it another problem: here a
quadratic penalty on unequal sizes takes the place of hard bounds.
"""

import cvxpy as cp
import numpy as np
from matplotlib import pyplot as plt

from partitope.models import AssignmentModel, PartitionPolytope

rng = np.random.default_rng(0)
X = np.vstack([rng.normal((0, 0), 1.0, (30, 2)), rng.normal((4, 0), 1.0, (10, 2))])
model = AssignmentModel.lsa(X, [[0.0, 0.0], [4.0, 0.0]], PartitionPolytope(40, n_clusters=2))
problem = model.to_cvxpy()
(assign,) = problem.variables()
sizes, penalties = cp.sum(assign, axis=0), np.linspace(0.0, 1.0, 11)
found = []
for penalty in penalties:
    value = problem.objective.expr - penalty * cp.sum_squares(sizes - 20)
    cp.Problem(cp.Maximize(value), problem.constraints).solve(solver="CLARABEL")
    found.append(sizes.value.copy())
print("sizes without penalty", found[0].round(2), "and at the end", found[-1].round(2))

figure, ax = plt.subplots(figsize=(5.5, 3.2), layout="constrained")
for i, marker in enumerate("os"):
    ax.plot(penalties, np.array(found)[:, i], marker=marker, label=f"cluster {i}")
ax.set(xlabel="penalty on (size - 20)²", ylabel="points")
ax.legend()
plt.show()
