"""Two hundred clusters of twenty points.

Every cluster has exactly as many points as the others, so cells are small where points are dense. The assignment is
certified, as with three clusters.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.cluster import BalancedKMeans

rng = np.random.default_rng(0)
X = np.vstack([rng.normal((0, 0), 1.0, (2500, 2)), rng.uniform(-4, 4, (1500, 2))])
model = BalancedKMeans(200, balance=0, n_init=1, max_iter=15, random_state=0).fit(X)
print("sizes", np.unique(model.partition_.sizes).tolist(), "verified:", model.partition_.certificate.verified)
figure, ax = plt.subplots(figsize=(5.5, 5.2), layout="constrained")
model.partition_.power_diagram.plot(ax, box=(-4, 4, -4, 4), numbers=False)
ax.scatter(*X.T, s=1, color="black", linewidths=0)
plt.show()
