# %% [markdown]
r"""
# 5 · What a bound costs

Balance is free for a while, and then dearer with every point: the least sum of squares over the least size, its slopes, and
the cells at one bound.
"""
# %% [plots]
import matplotlib.pyplot as plt


def plot_price_of_balance(X, path, solution):
    """The path, its slopes, and the cells of a solution."""
    figure, axes = plt.subplots(1, 3, figsize=(12.5, 3.9), layout="constrained")
    path.plot(axes[0])
    axes[0].set(xlabel="least size of every cluster", ylabel="sum of squares about the sites")
    axes[1].step(path.parameter[:-1], path.slopes, where="post", color="#D55E00", linewidth=2)
    axes[1].set(xlabel="least size of every cluster", ylabel="cost of one point more in every cluster")
    diagram = PowerDiagram(solution.model.sites, solution.prices, kind="lsa")
    diagram.plot(axes[2], X=X, labels=solution.labels, sites=True, numbers=False)
    axes[2].set_title(f"cells at the bound {solution.model.polytope.lower[0]:.0f}", fontsize=12)
# %%
import numpy as np

from partitope.models import AssignmentModel, PartitionPolytope, PowerDiagram
from partitope.solvers import bounds_path, solve

rng = np.random.default_rng(5)
X = np.vstack([rng.normal((2, 5), 1.0, (70, 2)), rng.normal((7, 6), 1.0, (30, 2)), rng.normal((6, 2), 1.0, (20, 2))])
sites = np.array([[2.0, 5.0], [7.0, 6.0], [6.0, 2.0]])
free = AssignmentModel.lsa(X, sites, PartitionPolytope(120, n_clusters=3))
path = bounds_path(free, "lower")
tight = solve(AssignmentModel.lsa(X, sites, PartitionPolytope(120, 36, 120, n_clusters=3)))
plot_price_of_balance(X, path, tight)
# %% [markdown]
r"""
**Goals.** Afterwards you can say what a size bound costs, which bound is to blame, and how far a price reaches.
**Time.** 40 minutes. **Before it.** Notebook 2.

**Question.** Somebody asks for balanced clusters. What is the price of balance, and which bound is to blame?

**Formula.** For fixed sites let $C(l, u)$ be the least sum of squares of an assignment, as in notebook 2. It is a convex,
piecewise linear function of the bounds, and the prices $\mu$ are its slopes: one more point of room at an upper bound saves
$\mu_i \ge 0$, one more point asked for at a lower bound costs $-\mu_i \ge 0$,

$$ \frac{\partial C}{\partial u_i} = -\mu_i^+ , \qquad \frac{\partial C}{\partial l_i} = \mu_i^- ,
   \qquad \mu^+ = \max(\mu, 0), \quad \mu^- = \max(-\mu, 0) . $$
"""
# %%
print(f"balance is free up to a lower bound of {path.free_until:.0f}, and possible up to {path.parameter[-1]:.0f}")
path.table().tail(4).round(3)
# %% [markdown]
r"""
The path shows the least sum of squares, so its slopes are positive: with a common lower bound, each is the sum of all
$\mu_i^-$. It is exact: every breakpoint is computed, none is sampled. Between two breakpoints the same points sit at the
boundaries, so the slope is constant.

## Which bound is to blame?

At a breakpoint a price is not unique: the cost of tightening and the gain of loosening differ. `sensitivity` gives both
sides, and the range in which they hold. Its column `derivative` is the change of the sum of squares for one unit in the
direction of the row: positive where a bound is tightened, negative where it is loosened. The prices of the solver are between
the sides.
"""
# %%
from partitope.solvers import sensitivity

print("sizes", np.bincount(tight.labels), "prices", tight.prices.round(3))
sensitivity(tight).table.query("derivative != 0").round(3)
# %% [markdown]
r"""
The lower bound of cluster 2 costs most: one point more in it costs 18.944 units of the sum of squares, one point less
would save 18.690. The lower bound of cluster 1 follows; cluster 0 is free.

## Exercises

**1.** Check a derivative of the table by solving again with that bound moved by one. Keep the row of the table in `row`
and the other solution in `moved`.

<details><summary>Solution</summary>

```python
row = sensitivity(tight).table.query("bound == 'lower' and side == 'raise' and feasible and derivative != 0").iloc[0]
lower = np.full(3, 36.0)
lower[int(row.cluster)] += 1
moved = solve(AssignmentModel.lsa(X, sites, PartitionPolytope(120, lower, 120)))
print(moved.cost - tight.cost, row.derivative)
assert np.isclose(moved.cost - tight.cost, row.derivative)
```

</details>

**2.** Draw the path for a common *upper* bound instead. Where does it start to hurt? Keep the path in `upper`.

<details><summary>Solution</summary>

At 70, the size of the largest cluster without bounds.

```python
upper = bounds_path(free, "upper")
plt.plot(upper.parameter, upper.value)
free = solve(AssignmentModel.lsa(X, sites, PartitionPolytope(120, n_clusters=3)))
assert upper.free_until == np.bincount(free.labels).max()
```

</details>

**3.** Why is the curve convex? Check it on the path, then argue with linear programming. Keep the differences of
neighbouring slopes of the path in `bends`.

<details><summary>Solution</summary>

If $\xi$ is feasible for bounds $b$ and $\xi'$ for $b'$, the mixture is feasible for the mixture of bounds and costs the
mixture of costs; the optimum costs at most that.

```python
bends = np.diff(path.slopes)
assert (bends >= -1e-9 * path.slopes.max()).all()
```

</details>
"""
# %% [check]
with exercise(1):
    assert row.derivative != 0, "take a row whose derivative is not zero, so that there is something to see"
    assert np.isclose(moved.cost - tight.cost, row.derivative), "move only the bound of this row, by one"
# %% [check]
with exercise(2):
    assert upper.vary == "upper", "this path varies another bound"
    nearest = ((X[:, None] - sites) ** 2).sum(axis=2).argmin(axis=1)
    assert upper.free_until == np.bincount(nearest).max(), "without bounds every point goes to its nearest site"
# %% [check]
with exercise(3):
    assert len(bends) == len(path.slopes) - 1, "one difference for each pair of neighbours"
    assert (np.asarray(bends) >= -1e-9 * path.slopes.max()).all(), "a convex curve bends upwards only"
