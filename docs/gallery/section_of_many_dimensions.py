"""Cells in many dimensions.

The section of thirteen-dimensional cells by the plane in which the points vary most. The points are projected onto it,
so some seem to lie in the wrong cell.
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from partitope.solvers import GeometricPartitioner

X = StandardScaler().fit_transform(load_wine().data)
model = GeometricPartitioner(3, objective="csa", lower=45, upper=75, n_init=10, random_state=0).fit(X)
print("sizes", model.partition_.sizes.tolist())
figure, ax = plt.subplots(figsize=(6.5, 4.3), layout="constrained")
model.partition_.power_diagram.plot(ax, X=X, labels=model.labels_, size=20)
plt.show()
