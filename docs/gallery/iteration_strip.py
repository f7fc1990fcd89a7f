"""The steps of one run.

One start, stopped after one, two, three and four steps. Every step assigns the points exactly to the centres of the
step before.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.solvers import GeometricPartitioner
from partitope.solvers.geometric.plots import plot_iterations

rng = np.random.default_rng(0)
X = np.vstack([rng.normal(centre, 1.1, (size, 2)) for centre, size in [((2, 7), 90), ((7, 7), 40), ((6, 2), 20)]])
model = GeometricPartitioner(3, lower=45, upper=55, objective="lsa", init="random", random_state=1)
runs = [model.set_params(max_iter=steps).fit(X).partition_ for steps in (1, 2, 3, 4)]
print("sums of squares:", [round(float(run.objective), 1) for run in runs])
plot_iterations(runs, X)
plt.show()
