"""Would other rows give the same clusters?

Bootstrap samples are clustered and compared with the clustering of all rows, cluster by cluster. Three groups are
there; the fourth cluster cuts one of them where it happens to.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.cluster import BalancedKMeans
from partitope.stats import partition_stability

rng = np.random.default_rng(0)
X = np.vstack([rng.normal(centre, 0.8, (40, 2)) for centre in [(0, 0), (5, 0), (2, 5)]])
figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained", sharey=True)
for ax, k in zip(axes, (3, 4), strict=True):

    def cluster(rows, seed, k=k):
        """What `partition_stability` calls: rows and a seed in, a function that labels rows out."""
        return BalancedKMeans(k, lower="10%", n_init=2, random_state=seed).fit(rows).predict

    outcome = partition_stability(cluster, X, 20)
    ax.boxplot(outcome.cluster_recovery, showfliers=False)
    ax.set(title=f"k = {k}: mean agreement {outcome.mean_agreement:.2f}", xlabel="cluster")
    print(f"k = {k}: mean agreement {outcome.mean_agreement:.2f}")
axes[0].set(ylabel="Jaccard coefficient with the sample", ylim=(0, 1.05))
plt.show()
