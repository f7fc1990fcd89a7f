"""The steps of one run.

One start, stopped after one, two, three and four steps. Every step assigns the points exactly to the centres of the
step before.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.solvers import GeometricPartitioner

rng = np.random.default_rng(0)
X = np.vstack([rng.normal(centre, 1.1, (size, 2)) for centre, size in [((2, 7), 90), ((7, 7), 40), ((6, 2), 20)]])
model = GeometricPartitioner(3, lower=45, upper=55, objective="lsa", init="random", random_state=1)
runs = [model.set_params(max_iter=steps).fit(X).partition_ for steps in (1, 2, 3, 4)]
print("sums of squares:", [round(float(run.objective), 1) for run in runs])
_, axes = plt.subplots(1, len(runs), figsize=(11, 2.9), layout="constrained")
for ax, run in zip(axes, runs):
    run.plot(X, ax=ax)
    ax.set_title(f"step {run.n_iter}: {run.objective:.5g}", fontsize=9)
    ax.set_xticks([])
    ax.set_yticks([])
plt.show()
