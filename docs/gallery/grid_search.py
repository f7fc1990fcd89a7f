"""A grid search over clusters and bounds.

Shares mean the same in every fold. The search runs over the number of clusters and the least size of a classifier
that votes in cells.
"""

from matplotlib import pyplot as plt
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV

from partitope.classifiers import ClusteringClassifier
from partitope.solvers import GeometricPartitioner

X, y = make_moons(400, noise=0.25, random_state=0)
classifier = ClusteringClassifier(GeometricPartitioner(objective="lsa"), n_starts=2, encoder=None, random_state=0)
grid = {"partitioner__n_clusters": [2, 4, 8, 16], "partitioner__lower": [0.0, 0.02, 0.05]}
search = GridSearchCV(classifier, grid, cv=3).fit(X, y)
print(search.best_params_, f"accuracy {search.best_score_:.3f}")

figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
scores = search.cv_results_["mean_test_score"].reshape(3, 4)
for lower, line, marker in zip(grid["partitioner__lower"], scores, "os^", strict=True):
    ax.plot(grid["partitioner__n_clusters"], line, marker=marker, label=f"at least {lower:.0%} of the rows")
ax.set(xlabel="clusters", ylabel="accuracy, three folds", xscale="log", xticks=[2, 4, 8, 16])
ax.set_xticklabels(["2", "4", "8", "16"])
ax.minorticks_off()
ax.legend()
plt.show()
