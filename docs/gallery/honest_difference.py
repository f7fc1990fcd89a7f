"""Do two clusters differ, or were they made to?

Rows without any clusters, clustered and tested on the same rows: the naive p-value is tiny every time, the selective
one is uniform.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.solvers.geometric.recorded import recorded_k_means

naive, selective = [], []
for seed in range(60):
    X = np.random.default_rng(seed).normal(size=(40, 2))
    test = recorded_k_means(X, 2, lower=15, upper=25, random_state=0).test((0, 1), covariance=1.0)
    naive.append(test.naive_pvalue)
    selective.append(test.pvalue)
print(
    f"rejected at 5 %: naive {np.mean(np.array(naive) < 0.05):.0%}, selective {np.mean(np.array(selective) < 0.05):.0%}"
)

figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
for values, style, name in [(naive, "--", "naive"), (selective, "-", "selective")]:
    ax.step(np.sort(values), np.linspace(0, 1, 60), style, label=name)
ax.plot([0, 1], [0, 1], color="0.7", linewidth=0.8)
ax.set(xlabel="p-value", ylabel="share of data sets at or below", aspect="equal")
ax.legend(loc="lower right")
plt.show()
