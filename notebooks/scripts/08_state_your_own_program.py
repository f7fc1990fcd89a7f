# %% [markdown]
r"""
# 8 · State your own program

The same customers in territories of equal size and revenue, without and with an equal share of rural ones (filled marks).
"""
# %% [plots]
import matplotlib.pyplot as plt


def plot_territories(X, runs, rural):
    """The customers by territory; the rural ones are filled."""
    figure, axes = plt.subplots(1, len(runs), figsize=(9, 4), layout="constrained", sharex=True, sharey=True)
    for ax, (name, model) in zip(axes, runs.items(), strict=True):
        for i, marker in enumerate("osv^"):
            own = model.labels_ == i
            ax.scatter(*X[own & ~rural].T, s=9, marker=marker, facecolors="none", edgecolors=f"C{i}", linewidths=0.7)
            ax.scatter(*X[own & rural].T, s=13, marker=marker, color=f"C{i}")
        ax.set_title(f"{name}: sum of squares {model.partition_.objective:.0f}", fontsize=11)


def plot_price_of_fairness(path):
    """What the share costs, over its slack."""
    figure, ax = plt.subplots(figsize=(5.5, 3.2), layout="constrained")
    ax.plot(100 * path.slack, path.price / path.value[-1], marker="o", markersize=3)
    ax.set(xlabel="share may differ by ... percentage points", ylabel="price, part of the sum of squares")
# %%
import numpy as np

from partitope.models import PartitionPolytope
from partitope.solvers import GeometricPartitioner

rng = np.random.default_rng(11)
n, k = 600, 4
places = [(2, 5, 1.2, 300), (7, 6, 1.0, 180), (6, 2, 1.0, 120)]
X = np.vstack([rng.normal((x, y), spread, (count, 2)) for x, y, spread, count in places])
revenue = np.round(rng.gamma(2.0, 5.0, n), 1)
rural = X[:, 0] + rng.normal(0, 2.0, n) > 6.0

weights = np.column_stack([np.ones(n), revenue])
even = np.tile(weights.sum(axis=0) / k, (k, 1))
balanced = PartitionPolytope(n, 0.95 * even, 1.05 * even, weights, names=["customers", "revenue"])
fair = balanced.share(rural, rural.mean() - 0.05, rural.mean() + 0.05, name="rural")
runs = {"balanced": balanced, "balanced and fair": fair}
for name, polytope in runs.items():
    runs[name] = GeometricPartitioner(k, objective="lsa", n_init=5, random_state=0).fit(X, polytope=polytope)
plot_territories(X, runs, rural)
# %% [markdown]
r"""
**Goals.** Afterwards you can state a program of your own with several size dimensions, shares and rows, and read its
prices. **Time.** 60 minutes. **Before it.** Notebooks 2 and 5.

**Question.** Sales territories should be compact, with about the same numbers of customers, revenue, and percentages of
rural customers. What does each of these wishes cost?

**Formula.** Point $j$ has the weights $w_{jr}$: here one customer, and its revenue. Besides $\sum_i \xi_{ij} = 1$ and
$\xi \ge 0$ the program has rows with names,

$$ L_{ir} \le \sum_j w_{jr}\, \xi_{ij} \le U_{ir}, \qquad
   \alpha \sum_j \xi_{ij} \le \sum_{j \in g} \xi_{ij} \le \beta \sum_j \xi_{ij} , $$

and every row has a price. A point goes where $|x_j - a_i|^2 + \mu_i + \sum_r \nu_{ir} w_{jr} + \dots$ is smallest: the cells
are those of a power diagram of the points *and* their attributes.
"""
# %%
print(f"{rural.mean():.1%} of the customers are rural; rows with prices: {', '.join(fair.row_names)}")
# %% [markdown]
r"""
## Two balanced quantities, with and without the share

`fit(X, polytope=...)` alternates exact assignments and centres, and keeps customers undivided. The last assignment of both
is certified.
"""
# %%
import pandas as pd

for name, model in runs.items():
    print(f"{name}: {model.partition_.proof.description}")
summary = pd.DataFrame(
    {
        (name, what): values
        for name, model in runs.items()
        for what, values in [
            ("customers", np.bincount(model.labels_, minlength=k)),
            ("revenue", np.bincount(model.labels_, revenue, k).round()),
            ("rural", [rural[model.labels_ == i].mean().round(3) for i in range(k)]),
        ]
    }
)
summary
# %% [markdown]
r"""
Balance alone leaves territories with hardly any of them; the share makes every
territory mixed, and the sum of squares more than twice as large.

An optimal vertex of the linear program divides at most as many customers as there are bounds on territories. The fit rounds it
within all bounds, and its claim says what that costs at most.
"""
# %%
fair_partition = runs["balanced and fair"].partition_
print(fair_partition.claim)
# %% [markdown]
r"""
## What fairness costs

Keep the centres of the balanced territories and loosen the share step by step: `bounds_path` solves the program at
every step, and certifies it.
"""
# %%
from partitope.models import AssignmentModel
from partitope.solvers import bounds_path

centres = runs["balanced"].cluster_centers_
exact_share = balanced.share(rural, rural.mean(), rural.mean(), name="rural")
path = bounds_path(AssignmentModel.lsa(X, centres, exact_share), "rural", np.linspace(0, 0.6, 25))
plot_price_of_fairness(path)
path.table().iloc[::4].round(3)
# %% [markdown]
r"""
The curve falls and is flat in the end: once the share may differ by 37 points it costs nothing any more. The other way
round, the first five points of tolerance cost most: with an equal share the sum of squares is 3.39 times that
of the balanced territories, with a share within five points 2.88 times.

## Who pays

Prices come back by name. They are slopes: `sensitivity` says from both sides what one unit of a bound changes in the sum of
squares.
"""
# %%
from partitope.solvers import sensitivity, solve

solution = solve(AssignmentModel.lsa(X, centres, fair))
table = sensitivity(solution, names=["customers", "revenue"]).table
table[table.derivative != 0].round(3)
# %% [markdown]
r"""
## New customers

The cell of a new customer depends on where it is, on its revenue, and on whether it is rural; `predict` asks for these as
covariates. Without them it says what is missing.
"""
# %%
attributes = pd.DataFrame({"revenue": revenue, "rural": rural.astype(float)})
found = runs["balanced and fair"].predict(X, covariates=attributes)
elsewhere = np.flatnonzero(found != runs["balanced and fair"].labels_)
print(f"{elsewhere.size} of {n} customers are in another cell than their territory's")
# %% [markdown]
r"""
All others are in the cell of their territory. The exceptions are on or near a boundary: rounding moved them to keep them whole.

## Exercises

**1.** Customer 0 insists on territory 3. What does that cost at these centres? Keep the solution in `insisting`.

<details><summary>Solution</summary>

```python
insisting = solve(AssignmentModel.lsa(X, centres, fair.fix([0], [3])))
extra = insisting.cost - solution.cost
print(f"{extra:.3f} units of the sum of squares")
```

Fixing a point narrows the polytope, so it never gains.

</details>

**2.** Let no customer be served by a centre that is more than 6 away. Is there still a fair assignment? Keep the
solution in `nearby`.

<details><summary>Solution</summary>

```python
distance = np.linalg.norm(X[:, None] - centres, axis=2)
near = fair.allow(distance <= 6)
nearby = solve(AssignmentModel.lsa(X, centres, near))
print(nearby.verify().verified, nearby.cost - solution.cost)
```

There is, and it is certified. A mask that left a customer without any territory would be refused by name.

</details>

**3.** Show by the prices alone that no fair assignment to these centres is better. Keep what `verify` returns in
`certificate`.

<details><summary>Solution</summary>

```python
certificate = solution.verify()
print(certificate.verdict, certificate.gap)
```

By weak duality the dual value of *any* prices bounds every assignment; the two values agree up to rounding.

</details>
"""
# %% [check]
with exercise(1):
    assert insisting.labels[0] == 3, "customer 0 is not in territory 3"
    assert insisting.verify().verified, "this is not certified as optimal"
    assert insisting.cost >= solution.cost - 1e-9, "a further condition never gains"
# %% [check]
with exercise(2):
    far = np.linalg.norm(X - centres[nearby.labels], axis=1) > 6
    assert not far.any(), f"{far.sum()} customers are served from more than 6 away"
    assert nearby.verify().verified, "this is not certified as optimal"
# %% [check]
with exercise(3):
    assert certificate.verified, "the two values do not agree"
    assert certificate.belongs_to(solution.labels, solution.splits), "this is the certificate of another solution"
