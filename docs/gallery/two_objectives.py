"""Cluster sums or least squares?

Both objectives for the same points. Sums weigh clusters by how far out they lie, so their cells meet near the middle;
least squares asks for compact clusters.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.solvers import GeometricPartitioner

rng = np.random.default_rng(2)
X = np.vstack([rng.normal(centre, 0.7, (60, 2)) for centre in [(-3, 0), (0, 0), (3, 0)]])
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained", sharex=True, sharey=True)
for ax, objective, name in [(axes[0], "csa", "norms of cluster sums"), (axes[1], "lsa", "least squares")]:
    model = GeometricPartitioner(3, lower=50, upper=70, objective=objective, n_init=20, random_state=0).fit(X)
    model.partition_.plot(X, ax=ax)
    ax.set_title(name)
    print(f"{name}: {model.partition_.objective:.2f}, {model.partition_.proof.name.lower()}")
plt.show()
