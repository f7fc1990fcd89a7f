"""The dual is a function of one price.

Two clusters must have equal sizes. Every difference of their prices gives an upper bound on the score of all
assignments. The smallest upper bound is the optimum, and the price at which it is attained moves the boundary to the
right place.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import solve

x = np.sort(np.random.default_rng(3).gamma(1.5, 2.0, 30))[:, None]
sites = np.array([[1.0], [6.0]])
model = AssignmentModel.lsa(x, sites, PartitionPolytope(30, 15, 15, n_clusters=2))
solution = solve(model)

scores = model.scores.dense()
prices = np.linspace(-20, 50, 400)
dual = [15 * price + np.maximum(scores[:, 0] - price, scores[:, 1]).sum() for price in prices]
best = solution.prices[0] - solution.prices[1]
print(f"optimum {solution.objective:.3f} at a price difference of {best:.3f}")
figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(prices, dual, label="dual value: an upper bound for every price")
ax.axhline(solution.objective, color="black", linestyle="--", label="value of the best assignment")
ax.plot(best, solution.objective, "o", color="#D55E00", label="price of the solver")
ax.set(xlabel="price of cluster 0 less that of cluster 1", ylabel="value")
ax.legend()
plt.show()
