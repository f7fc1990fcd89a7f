"""Store a model, predict elsewhere.

A fitted classifier as a JSON file without code in it. What comes back predicts the same, on a machine that never saw
the training rows.
"""

from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import make_moons

from partitope.classifiers import ClusteringClassifier
from partitope.solvers import GeometricPartitioner
from partitope.workflows.model_files import load_model, save_model

X, y = make_moons(300, noise=0.2, random_state=0)
partitioner = GeometricPartitioner(12, lower=15, objective="lsa")
model = ClusteringClassifier(partitioner, n_starts=3, encoder=None, random_state=0).fit(X, y)
save_model(model, "model.json")
again = load_model("model.json")
xx, yy = np.meshgrid(np.linspace(-1.6, 2.6, 160), np.linspace(-1.1, 1.6, 110))
grid = np.c_[xx.ravel(), yy.ravel()]
print(
    f"{Path('model.json').stat().st_size // 1000} kB; same answers:", (model.predict(grid) == again.predict(grid)).all()
)

figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
filled = ax.contourf(xx, yy, again.predict_proba(grid)[:, 1].reshape(xx.shape), levels=10, cmap="RdBu", alpha=0.7)
for c, marker in enumerate("os"):
    ax.scatter(*X[y == c].T, marker=marker, s=12, color="0.15" if c else "white", edgecolors="0.15", linewidths=0.6)
figure.colorbar(filled, label="share of the second class")
ax.set_aspect("equal")
plt.show()
