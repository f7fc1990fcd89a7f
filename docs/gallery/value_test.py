"""Which cluster values can be trusted?

The picture shows the values in the training rows, the limits between neighbouring clusters, and the values on held-out
rows with intervals. Stars mark small p-values.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.stats import cluster_value_test

rng = np.random.default_rng(4)
truth = np.array([0.08, 0.25, 0.3, 0.55, 0.9])
labels, new = rng.integers(0, 5, 900), rng.integers(0, 5, 1500)
y, y_new = ((rng.random(len(part)) < truth[part]).astype(int) for part in (labels, new))
outcome = cluster_value_test(labels, y, new, y_new, method="exact", adjust="holm")
print(outcome.table.round(3).to_string(index=False))
figure, ax = plt.subplots(figsize=(8, 3.8), layout="constrained")
outcome.plot(ax)
plt.show()
