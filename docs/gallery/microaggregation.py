"""Records that are released as group means.

Every record is replaced by the mean of its group, and every group has at least three records (microaggregation). Lines
join each record to the mean that is released for it. The title shows the information loss in per cent, and a proved
lower bound for every possible grouping.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.solvers.microaggregation import Microaggregation

rng = np.random.default_rng(1)
people = np.column_stack([rng.lognormal(3.4, 0.4, 60), rng.normal(45, 12, 60)])  # income, age
model = Microaggregation(3, n_iter=20_000, bound_iter=50, random_state=0).fit(people)
released = model.aggregate(people)
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for before, after in zip(people, released):
    ax.plot(*np.transpose([before, after]), color="0.75", linewidth=1, zorder=0)
ax.plot(*people.T, "o", markersize=4, label="records")
ax.plot(*np.unique(released, axis=0).T, "s", markersize=7, label="what is released")
ax.set(xlabel="income", ylabel="age")
ax.set_title(f"loss {model.information_loss_:.2f} %, at least {model.bound_:.2f} %")
ax.legend()
print("groups of", *np.unique(np.bincount(model.labels_)), "records; loss", round(model.information_loss_, 2))
plt.show()
