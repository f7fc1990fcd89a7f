"""Is there any diagram for given labels?

`is_separable` looks for sites and prices whose cells hold the clusters. Where there are none it returns an exchange of
shares that no site can tell apart, which is the proof.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.solvers import is_separable

rng = np.random.default_rng(0)
X = rng.uniform(-2, 2, (60, 2))
cases = {"three sectors": np.arctan2(X[:, 1], X[:, 0]) // 2.1 + 2, "a ring": np.hypot(*X.T) > 1.2}
figure, axes = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
for ax, (name, cluster) in zip(axes, cases.items(), strict=True):
    labels = np.unique(cluster, return_inverse=True)[1]
    answer = is_separable(X, labels)
    if answer.separable:
        answer.diagram.plot(ax, X=X, labels=labels)
    for i, marker in enumerate("osv"[: 0 if answer.separable else 3]):
        ax.scatter(*X[labels == i].T, marker=marker)
    points = sorted({move.point for move in answer.exchange})
    ax.scatter(*X[points].T, s=140, facecolors="none", edgecolors="black")
    ax.set(title=f"{name}: {'separable' if answer.separable else 'no diagram'}", aspect="equal")
    print(f"{name}: margin {answer.margin:.3f}, points of the exchange {points}")
plt.show()
