"""Vertices and edges of a cluster-sum polytope.

Four points on a line, each alone in its cluster: the sums are the orders of 1, 2, 3, 4, the vertices of the
permutohedron. Along an edge two neighbouring values change places.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import ClusterSumPolytope, PartitionPolytope

sums = ClusterSumPolytope(np.arange(1.0, 5.0)[:, None], PartitionPolytope(4, 1, 1, n_clusters=4))
print(f"dimension {sums.dimension}, {len(sums.vertices)} vertices, {len(sums.edges)} edges, diameter {sums.diameter}")
for point, source, target in sums.exchange(*sums.edges[0]):
    print(f"along the first edge, point {point} goes from cluster {source} to {target}")
sums.plot(names=False)
plt.show()
