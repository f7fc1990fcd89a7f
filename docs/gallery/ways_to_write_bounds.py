"""All ways to write a size bound.

A number of points, a share of the points, a percentage, the deviation from n/k, or one bound for each cluster. Lower
bounds of shares are rounded down and upper ones up.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.solvers import GeometricPartitioner

X = np.random.default_rng(1).normal(size=(200, 2)) * [2.0, 1.0]
ways = {
    "lower=48": {"lower": 48},
    "lower=0.22": {"lower": 0.22},
    'upper="26%"': {"upper": "26%"},
    "balance=0.1": {"balance": 0.1},
    "lower=[80, 10, 10, 10]": {"lower": [80, 10, 10, 10]},
}
figure, axes = plt.subplots(1, 5, figsize=(12, 2.8), layout="constrained", sharey=True)
for ax, (text, bounds) in zip(axes, ways.items(), strict=True):
    partition = GeometricPartitioner(4, objective="lsa", random_state=0, **bounds).fit(X).partition_
    ax.bar(range(4), partition.sizes, color="#9CC3E5", edgecolor="#1F4E79")
    ax.set(title=text, xlabel="cluster", xticks=range(4))
    print(f"{text:24} sizes {partition.sizes.tolist()}")
axes[0].set_ylabel("points")
plt.show()
