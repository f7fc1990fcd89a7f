"""Alternative clusterings of other authors.

Eight ways to find a clustering that differs from a known one, each behind the same interface. The bars say how much
each agrees with the known and with the hidden grouping; COALA, at its usual weight, stays with the known one.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.solvers import ADFT, CCIB, COALA, KCC, KDAC, RPCA, OrthogonalProjection, RegGB
from partitope.stats import partition_agreement

rng = np.random.default_rng(0)
known, hidden = np.arange(80) % 2, np.arange(80) // 40
X = np.column_stack([9.0 * known, 4.0 * hidden]) + rng.normal(size=(80, 2)) * 0.4
rows = []
for strategy in (ADFT, CCIB, COALA, KCC, KDAC, OrthogonalProjection, RPCA, RegGB):
    labels = strategy(2).set_params(random_state=0).fit(X, covariates=known).labels_
    rows.append([partition_agreement(labels, groups).adjusted_rand for groups in (known, hidden)])
    print(f"{strategy.__name__:22} known {rows[-1][0]:5.2f}  hidden {rows[-1][1]:5.2f}")

figure, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
places = np.arange(len(rows))
for shift, column, name in [(-0.2, 0, "known grouping"), (0.2, 1, "hidden grouping")]:
    heights = np.array(rows)[:, column]
    ax.bar(places + shift, heights, width=0.38, label=name, hatch="//" if column else "", edgecolor="white")
names = ["ADFT", "CCIB", "COALA", "KCC", "KDAC", "Orthogonal\nProjection", "RPCA", "RegGB"]
ax.set(xticks=places, ylabel="adjusted Rand index")
ax.set_xticklabels(names, fontsize=8)
ax.legend(ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
plt.show()
