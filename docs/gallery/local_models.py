"""A linear model in every cell.

Clustering-aware classification (CAC) chooses clusters in which a straight line separates the classes. For the classes
of two moons, four clusters are enough.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression

from partitope.classifiers import LocalModelClassifier
from partitope.solvers import CAC

X, y = make_moons(300, noise=0.15, random_state=0)
test, y_test = make_moons(2000, noise=0.15, random_state=1)
one = LogisticRegression().fit(X, y)
four = LocalModelClassifier(CAC(4, alpha=0.3, random_state=0)).fit(X, y)
xx, yy = np.meshgrid(np.linspace(-1.6, 2.6, 160), np.linspace(-1.1, 1.6, 110))
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained", sharex=True, sharey=True)
for ax, model, name in [(axes[0], one, "one linear model"), (axes[1], four, "four cells")]:
    where = model.predict_proba(np.c_[xx.ravel(), yy.ravel()])[:, 1].reshape(xx.shape)
    ax.contourf(xx, yy, where, levels=10, cmap="RdBu", alpha=0.6, vmin=0, vmax=1)
    for c, marker in enumerate("os"):
        ax.scatter(*X[y == c].T, marker=marker, s=12, color="0.15" if c else "white", edgecolors="0.15", linewidths=0.6)
    ax.set(title=f"{name}: accuracy {model.score(test, y_test):.3f}", aspect="equal")
    print(f"{name}: {model.score(test, y_test):.3f} on 2000 other rows")
plt.show()
