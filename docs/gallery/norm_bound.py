"""How large can the norms of cluster sums be?

A mixed-integer program over a net of directions bounds norm maximisation from above. More directions, a narrower
interval.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import NormMaximizationMIP, PartitionPolytope
from partitope.solvers import norm_mip_bound

X = np.random.default_rng(8).normal(size=(12, 2))
X -= X.mean(axis=0)
polytope, counts = PartitionPolytope(12, 5, 7, n_clusters=2), [4, 8, 16, 32]
bounds = [norm_mip_bound(NormMaximizationMIP(X, polytope, count)) for count in counts]
for count, bound in zip(counts, bounds, strict=True):
    print(f"{count:2} directions: {bound.lower:.4f} to {bound.upper:.4f}")

figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.fill_between(counts, [b.lower for b in bounds], [b.upper for b in bounds], color="#9CC3E5")
ax.plot(counts, [b.lower for b in bounds], "o-", color="#1F4E79", label="a clustering that was found")
ax.plot(counts, [b.upper for b in bounds], "s--", color="#D55E00", label="no clustering is above")
ax.set(xlabel="directions", ylabel="sum of the norms of cluster sums")
ax.legend()
plt.show()
