"""Balanced k-means instead of k-means.

The call is that of scikit-learn's `KMeans`, with one more argument: `balance=0.1` allows every cluster size to be up to
10 % above or below n/k.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from partitope.cluster import BalancedKMeans

X, _ = make_blobs([400, 150, 100, 60, 40], random_state=3)
free = KMeans(5, n_init=10, random_state=0).fit(X)
balanced = BalancedKMeans(5, balance=0.1, random_state=0).fit(X)
print(f"sum of squares {free.inertia_:.0f} without balance, {balanced.inertia_:.0f} with it")

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", width_ratios=[3, 2])
balanced.partition_.plot(X, ax=axes[0])
for shift, model, name in [(-0.2, free, "KMeans"), (0.2, balanced, "BalancedKMeans")]:
    sizes = np.sort(np.bincount(model.labels_))
    axes[1].bar(np.arange(5) + shift, sizes, width=0.38, label=name, hatch="" if shift < 0 else "//", edgecolor="white")
axes[1].set(xlabel="cluster, by size", ylabel="points")
axes[1].legend()
plt.show()
