"""The cluster of a new point.

A fitted model has cells, so it classifies points that were not in the fit. `decision_function` orders the clusters for
every point; the difference to the second cluster shows how near the next cell is.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.solvers import GeometricPartitioner

rng = np.random.default_rng(0)
X = np.vstack([rng.normal(centre, 1.1, (size, 2)) for centre, size in [((2, 7), 90), ((7, 7), 40), ((6, 2), 20)]])
model = GeometricPartitioner(3, lower=45, upper=55, objective="lsa", n_init=5, random_state=0).fit(X)
new = np.array([[4.0, 4.0], [8.0, 5.0], [1.0, 9.0]])
scores = model.partition_.power_diagram.decision_function(new)
for point, first, order in zip(new, model.predict(new), scores.argsort(axis=1)[:, ::-1], strict=True):
    print(f"{point}: cluster {first}, then {order[1]}")

ax = model.partition_.plot(X)
ax.scatter(*new.T, marker="*", s=160, color="black", zorder=5)
ax.set_title("stars: points that were not there at the fit")
plt.show()
