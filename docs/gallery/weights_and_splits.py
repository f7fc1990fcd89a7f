"""Weights, and points that are divided.

With weights the bounds limit sums of weights. An optimal vertex of the linear program may divide points, at most k - 1
of them; a fit keeps points whole unless `whole=False`, and its certificate says what that costs at most.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.solvers import GeometricPartitioner

rng = np.random.default_rng(5)
X, weight = rng.normal(size=(80, 2)) * [2.0, 1.0], rng.gamma(1.5, 2.0, 80)
even = weight.sum() / 3
settings = {"lower": 0.999 * even, "upper": 1.001 * even, "objective": "lsa", "n_init": 5, "random_state": 0}
divided = GeometricPartitioner(3, whole=False, **settings).fit(X, sample_weight=weight).partition_
whole = GeometricPartitioner(3, **settings).fit(X, sample_weight=weight).partition_
for point, cluster, share in divided.splits:
    print(f"point {point}: {share:.1%} in cluster {cluster}")
print(f"whole points: {whole.certificate.verdict}, sizes {whole.sizes.round(2)} for {even:.2f}")

ax = divided.plot(X)
points = sorted({point for point, _, _ in divided.splits})
ax.scatter(*X[points].T, s=200, facecolors="none", edgecolors="black", linewidths=1.5)
ax.set_title("divided points, circled, lie on walls")
plt.show()
