"""Bounds that make values precise.

The smallest lower bound for which the confidence interval of a cluster's value is narrow enough, before anything is
clustered.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.stats import suggest_bounds

wanted = np.array([0.03, 0.04, 0.05, 0.075, 0.1, 0.15])
suggested = [suggest_bounds(2000, 4, precision=precision) for precision in wanted]
for precision, bounds in zip(wanted, suggested, strict=True):
    print(f"within {precision:.3f}: at least {bounds.lower} rows a cluster, at most {bounds.most_clusters} clusters")

figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
ax.plot(wanted, [bounds.lower for bounds in suggested], "o-", color="#0072B2")
ax.axhline(500, color="black", linestyle=":", label="n/k")
ax.set(xlabel="half-width of the 95 % interval of a value", ylabel="least size of a cluster")
ax.legend()
plt.show()
