"""A constraint of your own.

Any linear row joins the program under a name, and gets a price: here two depots share one lorry, which carries at most
70 parcels for both together.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import solve

rng = np.random.default_rng(7)
X, depots = rng.uniform(0, 10, (100, 2)), np.array([[2.0, 3.0], [5.0, 4.0], [8.0, 8.0]])
parcels = rng.integers(1, 4, 100).astype(float)
polytope = PartitionPolytope(100, 20, 50, n_clusters=3)
lorry = np.column_stack([parcels, parcels, np.zeros(100)])  # one coefficient for every point and cluster
figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharex=True, sharey=True)
for ax, case in [(axes[0], polytope), (axes[1], polytope.add_rows("lorry", lorry, upper=70))]:
    solution = solve(AssignmentModel.lsa(X, depots, case))
    for i, marker in enumerate("osv"):
        own = solution.labels == i
        ax.scatter(*X[own].T, s=12 * parcels[own], marker=marker)
        ax.scatter(*depots[i], s=200, marker=marker, facecolors="none", edgecolors=f"C{i}", linewidths=2)
    prices = {name: price.round(2).tolist() for name, price in solution.named_prices.items()}
    print(f"parcels at the two depots {parcels[solution.labels < 2].sum():.0f}, prices {prices}")
    ax.set(title="with the lorry" if "lorry" in prices else "sizes alone", aspect="equal")
plt.show()
