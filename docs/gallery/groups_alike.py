"""Groups that are as alike as possible.

A hundred and twenty students are divided into six classes. Dealt at random, the classes differ in age and score; after
exchanges their means and standard deviations agree. Each dot is the mean of a class, each bar its standard deviation.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.solvers import AlikePartitioner

rng = np.random.default_rng(3)
score = rng.normal(60, 12, 120)
dealt = rng.permutation(np.arange(120) % 6)
model = AlikePartitioner(6, random_state=0).fit(np.column_stack([score, rng.normal(15, 1, 120)]))
figure, axes = plt.subplots(1, 2, figsize=(7, 3.2), sharey=True, layout="constrained")
for ax, labels, title in zip(axes, (dealt, model.labels_), ("dealt at random", "as alike as possible")):
    parts = [score[labels == i] for i in range(6)]
    ax.errorbar(range(1, 7), [part.mean() for part in parts], [part.std() for part in parts], fmt="o", capsize=4)
    ax.axhline(score.mean(), color="0.7", zorder=0)
    ax.set(xlabel="class", title=title)
axes[0].set_ylabel("score: mean and standard deviation")
print(f"share of the variance between classes: {model.partition_.objective:.1e}")
plt.show()
