"""Take the program to Pyomo.

`to_pyomo` returns the unsolved program with named constraints, and you can add more. Here points 0 and 1 are kept
apart. Any solver that Pyomo supports can solve the program, and `read_back` proves its answer.
"""

import numpy as np
import pyomo.environ as pyo
from matplotlib import pyplot as plt

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import read_back

X = np.random.default_rng(0).normal(size=(20, 2))
model = AssignmentModel.lsa(X, X[:2] * 2, PartitionPolytope(20, 8, 12, n_clusters=2))
program = model.to_pyomo()
program.apart = pyo.Constraint([0, 1], rule=lambda m, i: m.assign[0, i] + m.assign[1, i] <= 1)
print([part.name for part in program.component_objects(pyo.Constraint)])
pyo.SolverFactory("appsi_highs").solve(program)
solution = read_back(model, program)
print(f"value {solution.objective:.4f}, proved {solution.verify().verified}, prices of {list(solution.named_prices)}")

ax = solution.plot()
ax.plot(*X[:2].T, ":", color="black", label="apart")
ax.legend()
plt.show()
