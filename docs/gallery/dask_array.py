"""Points of several machines.

A Dask array is clustered where its blocks lie; a pass sends prices out and brings sums and the points near walls back.
The certificate is the same as on one machine.
"""

import dask
import dask.array as da
import numpy as np
from matplotlib import pyplot as plt

from partitope.solvers import GeometricPartitioner

rows = np.random.default_rng(0).normal(size=(8000, 2)) * [2.0, 1.0]
X = da.from_array(rows, chunks=(2000, 2))
with dask.config.set(scheduler="synchronous"):
    model = GeometricPartitioner(5, lower=1500, upper=1700, objective="lsa", max_iter=20, random_state=0).fit(X)
    labels = np.asarray(model.labels_)
print(f"{X.numblocks[0]} blocks, sizes {np.bincount(labels).tolist()}")
print(model.partition_.proof.name.lower(), "- gap", model.partition_.certificate.gap)

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
model.partition_.power_diagram.plot(ax, X=rows[::10], labels=labels[::10], size=8)
plt.show()
