"""What one place more would gain.

`sensitivity` gives the derivative of the optimum on both sides of every bound, and how far each holds.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import sensitivity, solve

rng = np.random.default_rng(0)
X = np.vstack([rng.normal(centre, 1.1, (size, 2)) for centre, size in [((2, 7), 90), ((7, 7), 40), ((6, 2), 20)]])
polytope = PartitionPolytope(150, lower=[40, 40, 40], upper=[60, 60, 60])
table = sensitivity(solve(AssignmentModel.lsa(X, [[2, 7], [7, 7], [6, 2]], polytope))).table
print(table.round(3).to_string(index=False))

felt = table[table["derivative"] != 0]
names = [f"{row.bound} bound of cluster {row.cluster}, {row.side}" for row in felt.itertuples()]
figure, ax = plt.subplots(figsize=(7, 2.6), layout="constrained")
ax.barh(names, felt["derivative"], color="#9CC3E5", edgecolor="#1F4E79")
ax.axvline(0, color="black", linewidth=0.8)
ax.set_xlabel("change of the optimum for one point more")
ax.invert_yaxis()
plt.show()
