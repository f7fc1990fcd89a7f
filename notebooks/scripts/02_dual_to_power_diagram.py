# %% [markdown]
r"""
# 2 · From the dual of a linear program to a power diagram

Size bounds put a price on every cluster. Prices lift paraboloids, and boundaries are where two of them cross.
"""
# %% [plots]
import matplotlib.pyplot as plt

from partitope.models import PowerDiagram
from partitope.models.plots.lifted import plot_lifted


def plot_prices_and_walls(X, sites, free, bounded, cut):
    """Cells without and with bounds, and the lifted paraboloids along the line y = cut."""
    figure, axes = plt.subplots(1, 3, figsize=(12.5, 4), layout="constrained")
    for ax, solution, title in [(axes[0], free, "no bounds"), (axes[1], bounded, "with bounds on the sizes")]:
        PowerDiagram(sites, solution.prices, kind="lsa").plot(ax, X=X, labels=solution.labels, numbers=False, sites=True)
        ax.set_title(title, fontsize=12)
        ax.axhline(cut, color="black", linewidth=1, linestyle="--")
    near = np.abs(X[:, 1] - cut) < 0.5
    plot_lifted(PowerDiagram(sites, bounded.prices, kind="lsa"), axes[2], start=[-1, cut], end=[10, cut],
                X=X[near], labels=bounded.labels[near])
    axes[2].set_title("paraboloids above the dashed line, lifted", fontsize=12)
    axes[2].set_xlabel("distance along the line")
# %%
import numpy as np

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import solve

rng = np.random.default_rng(3)
X = np.vstack([rng.normal((2, 5), 1.0, (70, 2)), rng.normal((7, 6), 1.0, (30, 2)), rng.normal((6, 2), 1.0, (20, 2))])
sites = np.array([[2.0, 5.0], [7.0, 6.0], [6.0, 2.0]])


def solved(lower, upper):
    """The assignment of least sum of squares within the bounds."""
    polytope = PartitionPolytope(len(X), lower, upper, n_clusters=3)
    return solve(AssignmentModel.lsa(X, sites, polytope))


free, bounded = solved(0, 120), solved(38, 42)
plot_prices_and_walls(X, sites, free, bounded, cut=5.5)
# %% [markdown]
r"""
**Goals.** Afterwards you can read a price, check a proof by weak duality without trusting a solver, and explain why
boundaries are straight. **Time.** 45 minutes. **Before it.** Notebook 1; duality of linear programs.

**Question.** Why do clusters with bounds on their sizes end up in convex cells, and what decides where a boundary runs?

**Formula.** The assignment program looks for the least sum of squares $|x_j - a_i|^2$ within the bounds. Its dual has one
price $\mu_i$ a cluster:

$$ \max_{\mu} \; \sum_j \min_i \left( |x_j - a_i|^2 + \mu_i \right) - \sum_i \left( u_i \mu_i^+ - l_i \mu_i^- \right) . $$

Every point goes to the cluster with the smallest $|x - a_i|^2 + \mu_i$: the lowest of $k$ paraboloids, each lifted by its
price. The places where two of them are equally high form a hyperplane.
"""
# %%
for name, solution in [("free", free), ("bounded", bounded)]:
    print(f"{name:8}", "sizes", np.bincount(solution.labels), "prices", solution.prices.round(3))
# %% [markdown]
r"""
Prices are zero while no bound is felt. With sizes between 38 and 42, cluster 0 with its large group is *held down* at 42
points (positive price: its paraboloid is lifted, its cell shrinks), and cluster 2 is *held up* at 38 (negative price).
Cluster 1 ends with 40 points, between its bounds: its price is zero.

A solver may be wrong. Nobody has to believe it: for given prices, the dual is a sum over the data, and by weak duality no
assignment costs less. If both are equal, both are optimal.
"""
# %%
def lower_bound(prices, lower=38, upper=42):
    """The dual at given prices: no assignment within the bounds has a smaller sum of squares."""
    squares = ((X[:, None] - sites) ** 2).sum(axis=2)
    paid = upper * np.maximum(prices, 0) + lower * np.minimum(prices, 0)
    return (squares + prices).min(axis=1).sum() - paid.sum()


print(f"sum of squares {bounded.cost:.6f}, lower bound by the prices {lower_bound(bounded.prices):.6f}")
proof = bounded.verify()  # the same by the library, with bounds on all rounding errors
print(proof.verified, "-", proof.verdict)
# %% [markdown]
r"""
In the picture at the head, on the right, dashed curves are the paraboloids at price zero. The thick curve is the lower
envelope: read the boundary where two curves cross.

## Many prices, one clustering

The prices of a solver put some boundary exactly on a point. All prices that keep the clustering form a polyhedron
$\mu_i - \mu_l \le w_{il}$, where $w_{il}$ is the least loss of moving a point from $i$ to $l$. Among them are the ones
whose boundaries stay as far from all points as possible.
"""
# %%
tight = PowerDiagram(sites, bounded.prices, kind="lsa")
wide = PowerDiagram.max_margin(X, bounded.labels, sites, kind="lsa")
for name, diagram in [("solver's prices", tight), ("widest margin", wide)]:
    print(f"{name:16}", "smallest distance to a boundary:", diagram.margin(X, bounded.labels).min().round(6) + 0.0)
# %% [markdown]
r"""
## Exercises

**1.** Complementary slackness: check that a cluster has a price only where it sits at one of its bounds. Keep the
clusters that sit at a bound in the list `held`.

<details><summary>Solution</summary>

```python
sizes = np.bincount(bounded.labels)
held = [i for i, size in enumerate(sizes) if size in (38, 42)]
for size, price in zip(sizes, bounded.prices):
    assert price <= 1e-9 or size == 42
    assert price >= -1e-9 or size == 38
```

</details>

**2.** Add 5 to all prices. Do the cells change? Does the lower bound? Keep in `worse` by how much it falls.

<details><summary>Solution</summary>

Only differences of prices move boundaries, so the cells stay. Raising all prices by $t$ raises every
$\min_i(|x_j - a_i|^2 + \mu_i)$ by $t$, together $n t$, and $\sum_i u_i \mu_i^+ - l_i \mu_i^-$ by at least as much, since the
old prices were optimal; here the bound gets worse by 23.4.

```python
shifted = bounded.prices + 5
assert (PowerDiagram(sites, shifted, kind="lsa").predict(X) == PowerDiagram(sites, bounded.prices, kind="lsa").predict(X)).all()
worse = lower_bound(bounded.prices) - lower_bound(shifted)
assert worse > 1
```

</details>

**3.** Lower the common upper bound step by step from 120 to 40, without a lower bound. Draw the price of cluster 0
against the bound. Why is the curve a staircase? Keep the prices in the list `prices0`, from 120 down to 40.

<details><summary>Solution</summary>

The optimum is piecewise linear in the bound, and the prices together are its slope: what is lost when the next points
move. The same points stay at the boundaries until the bound has passed a breakpoint; then others follow, which lose more.

```python
tops = range(120, 39, -1)
prices0 = [solved(0, top).prices[0] for top in tops]
assert all(b >= a - 1e-9 for a, b in zip(prices0, prices0[1:]))
plt.step(list(tops), prices0)
```

</details>
"""
# %% [check]
with exercise(1):
    assert sorted(held) == np.flatnonzero(np.abs(bounded.prices) > 1e-9).tolist(), (
        "compare the sizes with 38 and 42; these clusters are the ones with a price"
    )
# %% [check]
with exercise(2):
    fall = lower_bound(bounded.prices) - lower_bound(bounded.prices + 5)
    assert np.isclose(worse, fall), "put both prices into the dual of the head"
# %% [check]
with exercise(3):
    assert len(prices0) == 81, f"there are {len(prices0)} prices; from 120 down to 40 there are 81 bounds"
    assert np.isclose(prices0[0], 0) and np.isclose(prices0[-1], solved(0, 40).prices[0]), "start at 120, end at 40"
    assert (np.diff(prices0) >= -1e-9).all(), "a tighter bound never costs less"
