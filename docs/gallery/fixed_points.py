"""Points whose cluster is known.

`fix` keeps given points in given clusters. The others arrange themselves around them, and the objective says what that
costs.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import PartitionPolytope
from partitope.solvers import GeometricPartitioner

rng = np.random.default_rng(0)
X = np.vstack([rng.normal(centre, 1.1, (size, 2)) for centre, size in [((2, 7), 90), ((7, 7), 40), ((6, 2), 20)]])
known, cluster = [0, 1, 2, 100, 101, 140], [0, 1, 2, 1, 2, 0]
free = PartitionPolytope(150, 45, 55, n_clusters=3)
fixed = free.fix(known, cluster)
figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharex=True, sharey=True)
for ax, polytope, name in [(axes[0], free, "free"), (axes[1], fixed, "six points fixed")]:
    model = GeometricPartitioner(3, objective="lsa", n_init=5, random_state=0).fit(X, polytope=polytope)
    model.partition_.plot(X, ax=ax)
    ax.scatter(*X[known].T, s=140, facecolors="none", edgecolors="black", linewidths=1.5)
    ax.set_title(f"{name}: sum of squares {model.partition_.objective:.0f}")
print("labels of the fixed points:", model.labels_[known].tolist())
plt.show()
