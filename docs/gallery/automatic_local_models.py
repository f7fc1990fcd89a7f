"""Local models that choose themselves.

`LocalModelSearch` picks cells, bounds, basis and penalty out of fold. Where one line is enough it keeps one cell.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import make_moons

from partitope.classifiers import LocalModelSearch

rng = np.random.default_rng(0)
plain = rng.normal(size=(240, 2))
sloped = rng.random(240) < 1 / (1 + np.exp(-3 * (plain[:, 0] - plain[:, 1])))
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for ax, (X, y) in zip(axes, [make_moons(240, noise=0.2, random_state=0), (plain, sloped)], strict=True):
    search = LocalModelSearch(n_starts=1).fit(X, y)
    cells = search.best_candidate_.n_clusters
    xx, yy = np.meshgrid(*(np.linspace(low, high, 90) for low, high in zip(X.min(axis=0), X.max(axis=0), strict=True)))
    where = search.predict(np.c_[xx.ravel(), yy.ravel()]).reshape(xx.shape).astype(float)
    ax.contourf(xx, yy, where, levels=[-0.5, 0.5, 1.5], colors=["#FBE3D3", "#D9E8F5"])
    for c, marker in enumerate("os"):
        ax.scatter(*X[y == c].T, marker=marker, s=12)
    ax.set(title=f"{cells} cell{'s' * (cells > 1)}", aspect="equal")
    print(f"{cells} cells, basis {search.best_candidate_.basis}")
plt.show()
