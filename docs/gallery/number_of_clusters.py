"""How many clusters?

The largest number of clusters is suggested whose cells in one half of the rows predict those of the other half.
"""

from matplotlib import pyplot as plt
from sklearn.datasets import make_blobs

from partitope.cluster import suggest_clusters

X, _ = make_blobs([60, 50, 40, 30], centers=[[0, 0], [6, 0], [0, 6], [6, 6]], random_state=2)
suggestion = suggest_clusters(X, range(2, 8), lower="8%", n_splits=6)
print(suggestion.sentence)
suggestion.plot()
plt.show()
