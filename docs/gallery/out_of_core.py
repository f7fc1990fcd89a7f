"""Points that stay on the disk.

A memory map is read where it lies: the fit takes float32 rows from the file, block by block, and holds labels, prices
and a sample beside them.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.cluster import BalancedKMeans

rng = np.random.default_rng(0)
rows = rng.normal(size=(30_000, 2)) * rng.choice([0.5, 1.5], (30_000, 1)) + rng.integers(0, 3, (30_000, 2)) * 4.0
np.save("points.npy", rows.astype(np.float32))
X = np.load("points.npy", mmap_mode="r")
model = BalancedKMeans(9, balance=0.05, n_init=1, random_state=0).fit(X)
print(type(X).__name__, X.dtype, "sizes", model.partition_.sizes.tolist())
print("verified:", model.partition_.certificate.verified)

shown = rng.choice(len(X), 1500, replace=False)
figure, ax = plt.subplots(figsize=(5.5, 4.5), layout="constrained")
model.partition_.power_diagram.plot(ax, X=X[shown], labels=model.labels_[shown], size=6, numbers=False)
ax.set_title("a twentieth of the points")
plt.show()
