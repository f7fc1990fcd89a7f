"""A bound moves the boundaries.

The groups have 90, 40 and 20 points. Left: no size bounds. Right: 45 to 55 points in every cluster. The boundaries
between cells move until the sizes are within the bounds, and they remain straight. Cells also classify points that were
not in the fit (star).
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.solvers import GeometricPartitioner

rng = np.random.default_rng(0)
X = np.vstack([rng.normal(centre, 1.1, (size, 2)) for centre, size in [((2, 7), 90), ((7, 7), 40), ((6, 2), 20)]])
new = [[4.0, 4.0]]

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharex=True, sharey=True)
for ax, (lower, upper) in zip(axes, [(0, 150), (45, 55)], strict=True):
    model = GeometricPartitioner(3, lower=lower, upper=upper, objective="lsa", n_init=5, random_state=0).fit(X)
    model.partition_.plot(X, ax=ax)
    ax.plot(*new[0], "k*", markersize=12)
    ax.set_title(f"{lower} to {upper} points: sizes {model.partition_.sizes.tolist()}")
    print("cluster of the new point:", *model.predict(new))
plt.show()
