"""Cut numbers where the classes change.

The MODL criterion chooses intervals by the most probable explanation of the classes: as many as the data support, one
where a column says nothing.
"""

from itertools import pairwise

import numpy as np
from matplotlib import pyplot as plt

from partitope.classifiers import MODLDiscretizer

rng = np.random.default_rng(0)
age, noise = rng.uniform(0, 90, 600), rng.uniform(0, 90, 600)
chance = np.select([age < 20, age < 60], [0.1, 0.7], 0.3)
y = rng.random(600) < chance
model = MODLDiscretizer().fit(np.column_stack([age, noise]), y)
cuts = model.parts_[0].cuts
print(f"cuts of the age {cuts.round(1).tolist()}, of the noise {model.parts_[1].cuts.tolist()}")

figure, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
ax.plot(np.sort(age), chance[age.argsort()], color="0.5", linestyle="--", label="truth")
edges = np.r_[0, cuts, 90]
for low, high in pairwise(edges):
    ax.hlines(y[(age >= low) & (age < high)].mean(), low, high, color="#0072B2", linewidth=3)
ax.scatter(age, y + rng.uniform(-0.03, 0.03, 600), s=3, color="#D55E00", linewidths=0)
ax.set(xlabel="age", ylabel="share of the class", ylim=(-0.08, 1.08))
ax.legend(loc="center right")
plt.show()
