"""Clusters that a known grouping does not explain.

Laboratories differ, but that is known. KCC clusters what is left once the covariate is accounted for; plain k-means
finds the laboratories again.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.solvers import KCC
from partitope.solvers.geometric.k_means import KMeansReference
from partitope.stats import partition_agreement

rng = np.random.default_rng(0)
laboratory, kind = np.arange(150) % 3, np.arange(150) % 2
X = rng.normal(size=(150, 2)) * 0.4 + np.column_stack([6.0 * laboratory, 2.0 * kind])
found = {"k-means": KMeansReference(2, random_state=0).fit(X).labels_,
         "KCC": KCC(2, random_state=0).fit(X, covariates=laboratory).labels_}  # fmt: skip
figure, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained", sharey=True)
for ax, (name, labels) in zip(axes, found.items(), strict=True):
    for i, marker in enumerate("os"):
        ax.scatter(*X[labels == i].T, marker=marker, s=18)
    score = partition_agreement(labels, kind).adjusted_rand
    ax.set(title=f"{name}: agreement with the hidden groups {score:.2f}", aspect="equal")
    print(f"{name}: adjusted Rand index {score:.2f}")
plt.show()
