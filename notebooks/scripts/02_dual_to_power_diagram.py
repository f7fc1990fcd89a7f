# %% [markdown]
r"""
# 2 · From the dual of a linear program to a power diagram

**Goals.** Afterwards you can read a price, check a proof by weak duality without trusting a solver, and explain why
walls are straight. **Time.** 45 minutes. **Before it.** Notebook 1; duality of linear programs.

**Question.** We only asked for cluster sizes between bounds. Why do the clusters end up in convex cells, with straight
walls, and what decides where a wall runs?

**Formula.** Let $\gamma_i(x)$ be the score of point $x$ in cluster $i$, here $-|x - a_i|^2$ for a site $a_i$. The dual of
the assignment program has one price $\mu_i$ a cluster:

$$ \min_{\mu} \; \sum_i \left( u_i \mu_i^+ - l_i \mu_i^- \right) + \sum_j \max_i \left( \gamma_i(x_j) - \mu_i \right) . $$

Every point goes to the cluster with the largest $\gamma_i(x) - \mu_i$, that is, the smallest $|x - a_i|^2 + \mu_i$: the
lowest of $k$ paraboloids, each lifted by its price. The places where two of them are equally high form a hyperplane.
"""
# %%
import matplotlib.pyplot as plt
import numpy as np

from partitope.models import AssignmentModel, PartitionPolytope, PowerDiagram
from partitope.models.plots.lifted import plot_lifted
from partitope.solvers import solve

rng = np.random.default_rng(3)
X = np.vstack([rng.normal((2, 5), 1.0, (70, 2)), rng.normal((7, 6), 1.0, (30, 2)), rng.normal((6, 2), 1.0, (20, 2))])
sites = np.array([[2.0, 5.0], [7.0, 6.0], [6.0, 2.0]])


def solved(lower, upper):
    polytope = PartitionPolytope(len(X), lower, upper, n_clusters=3)
    return solve(AssignmentModel.lsa(X, sites, polytope))


free, bounded = solved(0, 120), solved(38, 42)
for name, solution in [("free", free), ("bounded", bounded)]:
    print(f"{name:8}", "sizes", np.bincount(solution.labels), "prices", solution.prices.round(3))
# %% [markdown]
r"""
Prices are zero while no bound is felt. With sizes between 38 and 42, cluster 0 with its large group is *held down* at 42
points (positive price: its paraboloid is lifted, its cell shrinks), and cluster 2 is *held up* at 38 (negative price).
Cluster 1 ends with 40 points, between its bounds: its price is zero.

A solver may be wrong. Nobody has to believe it: for given prices, the dual is a sum over the data, and by weak duality
it can never fall below the value of any assignment. If both are equal, both are optimal.
"""
# %%
proof = bounded.verify()
print("primal", proof.primal_objective, " dual", proof.dual_objective, " verified:", proof.verified)
# %%
figure, axes = plt.subplots(1, 3, figsize=(12.5, 4), layout="constrained")
for ax, solution, title in [(axes[0], free, "no bounds"), (axes[1], bounded, "38 to 42 points each")]:
    PowerDiagram(sites, solution.prices, kind="lsa").plot(ax, X=X, labels=solution.labels, numbers=False, sites=True)
    ax.set_title(title, fontsize=10)
    ax.axhline(5.5, color="black", linewidth=1, linestyle="--")
near = np.abs(X[:, 1] - 5.5) < 0.5
plot_lifted(PowerDiagram(sites, bounded.prices, kind="lsa"), axes[2], start=[-1, 5.5], end=[10, 5.5],
            X=X[near], labels=bounded.labels[near])
axes[2].set_title("paraboloids above the dashed line, lifted by prices", fontsize=10)
axes[2].set_xlabel("distance along the line");
# %% [markdown]
r"""
In the last picture each colour is one site; dashed curves are the paraboloids at price zero. The thick curve is their
lower envelope, and the coloured bands below it are the cells: read the wall where two curves cross.

## Many prices, one clustering

The prices of a solver put some wall exactly on a point. All prices that keep the clustering form a polyhedron
$\mu_i - \mu_l \le w_{il}$, where $w_{il}$ is the least loss of moving a point from $i$ to $l$. Among them are the ones
whose walls stay as far from all points as possible.
"""
# %%
tight = PowerDiagram(sites, bounded.prices, kind="lsa")
wide = PowerDiagram.max_margin(X, bounded.labels, sites, kind="lsa")
for name, diagram in [("solver's prices", tight), ("widest margin", wide)]:
    print(f"{name:16}", "smallest distance to a wall:", diagram.margin(X, bounded.labels).min().round(6) + 0.0)
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

**2.** Add 5 to all prices. Do the cells change? Does the dual value? Keep the change of the dual value in `worse`.

<details><summary>Solution</summary>

Only differences of prices move walls, so the cells stay. Raising all prices by $t$ lowers every $\max_i(\gamma_i - \mu_i)$
by $t$, together $n t$, while $\sum_i u_i \mu_i^+ - l_i \mu_i^-$ rises. It rises by at least $n t$, since the old prices were
optimal; here the dual gets worse by 23.4.

```python
from partitope.models import check_assignment
shifted = bounded.prices + 5
assert (PowerDiagram(sites, shifted, kind="lsa").predict(X) == PowerDiagram(sites, bounded.prices, kind="lsa").predict(X)).all()
worse = check_assignment(bounded.model, bounded.labels, shifted).dual_objective - proof.dual_objective
assert worse > 1
```

</details>

**3.** Lower the common upper bound step by step from 120 to 40, without a lower bound. Draw the price of cluster 0
against the bound. Why is the curve a staircase? Keep the prices in the list `prices0`, from 120 down to 40.

<details><summary>Solution</summary>

The optimum is piecewise linear in the bound, and the prices together are its slope: what is lost when the next points
move. The same points stay at the walls until the bound has passed a breakpoint; then others follow, which lose more.

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
    scores, mu = -((X[:, None] - sites) ** 2).sum(axis=2), bounded.prices + 5
    dual = 42 * np.maximum(mu, 0).sum() + 38 * np.minimum(mu, 0).sum() + (scores - mu).max(axis=1).sum()
    model_constant = proof.dual_objective - (
        42 * np.maximum(mu - 5, 0).sum() + 38 * np.minimum(mu - 5, 0).sum() + (scores - mu + 5).max(axis=1).sum()
    )
    assert np.isclose(worse, dual + model_constant - proof.dual_objective), "put both prices into the dual of the head"
# %% [check]
with exercise(3):
    assert len(prices0) == 81, f"there are {len(prices0)} prices; from 120 down to 40 there are 81 bounds"
    assert np.isclose(prices0[0], 0) and np.isclose(prices0[-1], solved(0, 40).prices[0]), "start at 120, end at 40"
    assert (np.diff(prices0) >= -1e-9).all(), "a tighter bound never costs less"
