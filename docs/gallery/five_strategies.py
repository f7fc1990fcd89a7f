"""One table, five strategies.

The measuring device shifts the first feature, the hidden group the second, and the class depends on the group. Least
squares separates the devices. CAC separates the classes inside each cluster. PKM recodes the features by what they say
about the class, so only the second one matters. KCC gets the device and finds what it does not explain: the groups.
KCSSL does the same with five labels per group.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.solvers import CAC, KCC, KCSSL, PKM, GeometricPartitioner

rng = np.random.default_rng(0)
n = 240
device, group = rng.integers(0, 2, n), rng.integers(0, 2, n)
y = (rng.random(n) < np.where(group == 1, 0.85, 0.15)).astype(int)
X = np.column_stack([4.0 * device + rng.normal(0, 0.6, n), 1.8 * group + rng.normal(0, 0.45, n)])
few = np.full(n, -1)
for value in (0, 1):
    few[rng.choice(np.flatnonzero(group == value), 5, replace=False)] = value
bounds = {"n_clusters": 2, "lower": 90, "upper": 150, "random_state": 0}
found = {
    "the group we look for": group,
    "least squares": GeometricPartitioner(n_init=10, **bounds).fit(X).labels_,
    "CAC, told the class": CAC(alpha=6.0, **bounds).fit(X, y).labels_,
    "PKM, told the class": PKM(n_init=10, **bounds).fit(X, y).labels_,
    "KCC, told the device": KCC(n_init=20, **bounds).fit(X, covariates=device).labels_,
    "KCSSL, told device and ten labels": KCSSL(**bounds).fit(X, few, covariates=device).labels_,
}

figure, axes = plt.subplots(2, 3, figsize=(10, 5.6), layout="constrained", sharex=True, sharey=True)
for ax, (name, labels) in zip(axes.ravel(), found.items(), strict=True):
    for value, marker in enumerate("os"):
        ax.scatter(*X[labels == value].T, s=14, marker=marker, edgecolors="0.2", linewidths=0.4)
    ax.set_title(name, fontsize=10)
plt.show()
