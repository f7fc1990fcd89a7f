"""Pairs that belong together, and pairs that do not.

Must-links and cannot-links are added to the size bounds. The last assignments are small mixed-integer programs, and
their solution has a certificate.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.solvers import GeometricPartitioner

rng = np.random.default_rng(2)
X = np.vstack([rng.normal(centre, 0.8, (20, 2)) for centre in [(0, 0), (4, 0), (2, 3)]])
must, cannot = [(0, 25), (5, 45)], [(20, 21), (40, 41), (2, 3)]
model = GeometricPartitioner(
    3, lower=18, upper=22, objective="lsa", must_link=must, cannot_link=cannot, n_init=5, random_state=0
).fit(X)
print("sizes", model.partition_.sizes.tolist())

ax = model.partition_.plot()
for pairs, style, name in [(must, "-", "together"), (cannot, ":", "apart")]:
    lines = ax.plot(*X[pairs].T, style, color="black")
    lines[0].set_label(name)
ax.legend()
plt.show()
