"""A proof that anybody can check.

An assignment and its prices prove that each is optimal. `verify` recomputes both objective values from the data. The
picture shows what every point loses compared with its best cluster at these prices: zero, so no point would be better
off in another cluster.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import solve

rng = np.random.default_rng(0)
X, sites = rng.normal(size=(60, 2)) * [2.0, 1.0], np.array([[-1.0, 0.0], [1.0, 0.0], [2.5, 0.5]])
solution = solve(AssignmentModel.lsa(X, sites, PartitionPolytope(60, lower=18, upper=22, n_clusters=3)))
proof = solution.verify()
squares = ((X[:, None] - sites) ** 2).sum(axis=2)
lifted = squares + solution.prices
bound = lifted.min(axis=1).sum() - np.where(solution.prices > 0, 22, 18) @ solution.prices
print(f"sum of squares {solution.cost:.9f}, bound by the prices {bound:.9f}, verified: {proof.verified}")
alone, priced = (table[np.arange(60), solution.labels] - table.min(axis=1) for table in (squares, lifted))
print(f"largest loss at the prices {priced.max():.1e}, without them {alone.max():.2f}")
figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.bar(range(60), alone, color="#9CC3E5", edgecolor="#1F4E79", label="without prices")
ax.plot(range(60), priced, "k.", label="at the prices")
ax.set(xlabel="point", ylabel="loss against the best cluster")
ax.legend()
plt.show()
