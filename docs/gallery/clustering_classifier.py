"""Classify by the cells of clusters.

Rows are encoded by averages of the class, clustered within size bounds, and every cell votes with its share of the
class. No cell is too small to vote.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from partitope.classifiers import ClusteringClassifier
from partitope.solvers import GeometricPartitioner

X, y = load_breast_cancer(return_X_y=True)
train, test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
model = ClusteringClassifier(GeometricPartitioner(8, lower=30, objective="csa"), n_starts=3, random_state=0).fit(
    train, y_train
)
print(f"accuracy on {len(test)} other rows: {model.score(test, y_test):.3f}")

values = model.cluster_values_[model.best_]
share, order = values.values[:, 1], values.values[:, 1].argsort()
figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.bar(range(8), share[order], color="#9CC3E5", edgecolor="#1F4E79")
for place, i in enumerate(order):
    ax.text(place, share[i] + 0.02, f"{int(values.counts[i].sum())} rows", ha="center", fontsize=8)
ax.set(xlabel="cell, by share", ylabel="share of benign tumours", ylim=(0, 1.12), xticks=np.arange(8))
plt.show()
