"""No tolerance at all.

Floating point numbers are rational numbers, so a clustering can be checked without any rounding. Two points trade
places at a loss that shrinks; the certificate in floats forgives losses below its tolerance, `optimal_exactly`
forgives nothing.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import AssignmentModel, PartitionPolytope, check_assignment
from partitope.models.certificates.exact import optimal_exactly
from partitope.solvers import solve

scores = np.zeros((40, 2))
scores[2:, 0] = np.repeat([4.0, -4.0], 19)
losses, decided = 10.0 ** -np.arange(3, 17, 2), []
for loss in losses:
    scores[:2, 0] = 3.0 + loss, 3.0  # one place in cluster 0 is left, and point 0 has the better claim to it
    model = AssignmentModel(PartitionPolytope(40, 20, 20, n_clusters=2), scores)
    solution = solve(model)
    swapped = solution.labels.copy()
    swapped[[0, 1]] = swapped[[1, 0]]
    floats = check_assignment(model, swapped, solution.prices).verified
    decided.append((floats, optimal_exactly(model, swapped), optimal_exactly(model, solution.labels)))
    print(f"loss {loss:.0e}: floats accept {floats}, fractions accept {decided[-1][1]}")

figure, ax = plt.subplots(figsize=(7, 2.4), layout="constrained")
ax.imshow(np.array(decided).T, cmap="Blues", vmin=-0.4, vmax=2, aspect="auto")
for (column, row), yes in np.ndenumerate(np.array(decided)):
    ax.text(column, row, "accepted" if yes else "refused", ha="center", va="center", fontsize=8)
ax.set(xticks=range(len(losses)), xticklabels=[f"{loss:.0e}" for loss in losses], xlabel="loss of the exchange")
ax.set(yticks=range(3), yticklabels=["exchanged, floats", "exchanged, fractions", "optimum, fractions"])
plt.show()
