"""Few labels, and a covariate that must not drive them.

Six of 120 points have labels. KCSSL spreads them along what the covariate does not explain; plain label spreading
follows the covariate.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.semi_supervised import LabelSpreading

from partitope.solvers import KCSSL

rng = np.random.default_rng(0)
group, hidden = np.arange(120) % 3, np.arange(120) // 60
X = rng.normal(size=(120, 2)) * 0.5 + np.column_stack([5.0 * group, 2.2 * hidden])
y = np.full(120, -1)
y[[0, 1, 2, 60, 61, 62]] = hidden[[0, 1, 2, 60, 61, 62]]
y[[1, 62]] = -1
found = {"label spreading": LabelSpreading(kernel="knn", n_neighbors=15).fit(X, y).transduction_,
         "KCSSL": KCSSL(2).fit(X, y, covariates=group).transduction_}  # fmt: skip
figure, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained", sharey=True)
for ax, (name, labels) in zip(axes, found.items(), strict=True):
    for i, marker in enumerate("os"):
        ax.scatter(*X[labels == i].T, marker=marker, s=18)
    ax.scatter(*X[y >= 0].T, s=120, facecolors="none", edgecolors="black", linewidths=1.5)
    ax.set(title=f"{name}: {np.mean(labels == hidden):.0%} right", aspect="equal")
    print(f"{name}: {np.mean(labels == hidden):.0%} right")
plt.show()
