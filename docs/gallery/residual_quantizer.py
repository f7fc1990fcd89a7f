"""Codes of vectors.

A residual quantizer describes a vector by the cluster at a first level, the cluster of what is left at a second, and so
on. Clusters are equally large, so every code word is used as often.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.cluster import ResidualQuantizer

rng = np.random.default_rng(0)
X = (rng.normal(size=(1500, 8)) @ rng.normal(size=(8, 8))).astype(np.float32)
model = ResidualQuantizer(levels=4, k=16, random_state=0).fit(X)
codes = model.encode(X)
print("first vector:", codes[0].tolist(), "in", codes.itemsize * codes.shape[1], "bytes instead of", X[0].nbytes)
print("code words of the first level are used", np.unique(np.bincount(model.codes_[:, 0])).tolist(), "times")

figure, ax = plt.subplots(figsize=(5.5, 3.2), layout="constrained")
spread = X.var(axis=0).sum()
ax.bar(range(5), np.r_[1.0, model.errors_ / spread], color="#9CC3E5", edgecolor="#1F4E79")
ax.set(xlabel="levels", ylabel="squared error, part of the spread")
plt.show()
