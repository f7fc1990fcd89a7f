# %% [markdown]
r"""
# 4 · Norm maximisation: walking on vertices

Every step walks to a better corner, and the walk ends in one that no step leaves: not always in the best.
"""
# %% [plots]
import matplotlib.pyplot as plt

from partitope.models.plots.polytope import plot_polytope


def plot_walk_and_ends(X, polytope, walks):
    """The longest walk from its first corner (square) to its last (star), and all corners in which walks end."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
    plot_polytope(X, polytope, axes[0], walk=[run.labels for run in max(walks, key=len)])
    axes[0].set_title("the longest walk: square to star", fontsize=11)
    plot_polytope(X, polytope, axes[1], clusterings=False)
    ends = {tuple(X[runs[-1].labels == 0].sum(axis=0).round(9)): runs[-1].objective for runs in walks}
    for place, value in ends.items():
        away = 22 * np.array(place) / np.linalg.norm(place)
        axes[1].annotate(f"{value:.2f}", place, xytext=away, textcoords="offset points", ha="center", va="center")
        axes[1].plot(*place, "o", color="black", markersize=8)
    axes[1].set_title("where walks end, and what it is worth", fontsize=11)
    for ax in axes:
        ax.set_aspect("equal")
        ax.margins(0.16)


def plot_steps(points, steps):
    """The cells of some steps of a walk."""
    figure, axes = plt.subplots(1, 4, figsize=(12, 3.2), layout="constrained")
    for ax, t in zip(axes, np.unique(np.linspace(0, len(steps) - 1, 4).astype(int))):
        steps[t].plot(points, ax=ax, size=8)
        ax.set_title(f"step {steps[t].n_iter}: {steps[t].objective:.5g}", fontsize=12)
        ax.set(xticks=[], yticks=[])


def plot_ends(ends, bound):
    """How many starts end in which objective, and what no clustering exceeds."""
    figure, ax = plt.subplots(figsize=(7, 2.8), layout="constrained")
    ax.hist(ends, bins=30, color="#0072B2", edgecolor="white")
    ax.axvline(bound, color="#D55E00", linewidth=2, label="no clustering is better than this")
    ax.set(xlabel="objective in which a start ends", ylabel="starts")
    ax.legend(frameon=False)
# %%
import numpy as np

from partitope.models import PartitionPolytope
from partitope.solvers import GeometricPartitioner

rng = np.random.default_rng(12)
X = rng.normal(size=(10, 2)) * [1.15, 1.0]
X -= X.mean(axis=0)
polytope = PartitionPolytope(10, lower=4, upper=6, n_clusters=2)


def walk(start, points=X, lower=4, upper=6, k=2):
    """Partitions after each step from given sites, until nothing improves."""
    runs = []
    while not runs or runs[-1].n_iter == len(runs):
        model = GeometricPartitioner(k, objective="csa", lower=lower, upper=upper, init=start, max_iter=len(runs) + 1)
        runs.append(model.fit(points).partition_)
    return runs[:-1]


starts = [np.array([[np.cos(t), np.sin(t)], [-np.cos(t), -np.sin(t)]]) for t in np.linspace(0, np.pi, 60, endpoint=False)]
walks = [walk(start) for start in starts]
plot_walk_and_ends(X, polytope, walks)
# %% [markdown]
r"""
**Goals.** Afterwards you can explain why the iteration stops, and tell a local optimum from a global one. **Time.** 40
minutes. **Before it.** Notebooks 1 and 2.

**Question.** Each assignment step is exact. Is the clustering at the end the best one?

**Formula.** For centred points, choose the clustering within the bounds that maximises

$$ \sum_i |s_i|, \qquad s_i = \sum_{j \in C_i} x_j . $$

A convex function over a polytope takes its maximum at a vertex, and linearising it at the current clustering, with sites
$a_i = s_i / |s_i|$, gives a linear program whose solution is at least as good. The walk ends in a *local* optimum; the
global problem is NP-hard.
"""
# %%
longest = max(walks, key=len)
print("objectives along the longest walk:", [round(run.objective, 4) for run in longest])
print("values in which the 60 walks end:", sorted({round(runs[-1].objective, 4) for runs in walks}))
# %% [markdown]
r"""
Opposite corners are the same clustering with its two labels exchanged. In cells, the same walk for more points:
"""
# %%
rng = np.random.default_rng(1)
angles = rng.uniform(0, 2 * np.pi, 180)
ring = np.column_stack([np.cos(angles), np.sin(angles)]) * rng.normal(3, 0.5, (180, 1))
spread = np.array([[1.0, 0.05], [1.0, 0.4], [0.9, 0.9], [0.3, 1.0]])
steps = walk(spread, ring, 30, 60, 4)
plot_steps(ring, steps)
# %% [markdown]
r"""
## Fifty starts, and a bound on all clusterings

Different starts end in different local optima. `solve_global` keeps the best partition and *proves* an interval that contains
the global optimum: the gap is what is still unknown.
"""
# %%
from partitope.solvers import solve_global

ends = []
for seed in range(50):
    model = GeometricPartitioner(4, objective="csa", lower=30, upper=60, init="random", random_state=seed)
    ends.append(model.fit(ring).partition_.objective)
best = solve_global(ring, PartitionPolytope(180, lower=30, upper=60, n_clusters=4), "csa", gap=4e-3)
print(f"50 starts: worst {min(ends):.4f}, best {max(ends):.4f}")
print(f"proof: {best.proof} ({best.claim})")
print(f"{best.bound.lower:.4f} <= optimum <= {best.bound.upper:.4f} by {best.bound.proof}")
plot_ends(ends, best.bound.upper)
# %% [markdown]
r"""
## Exercises

**1.** With ten points you can try all clusterings. Is the best of the 60 walks the global optimum? Keep the values of
all clusterings in `values`.

<details><summary>Solution</summary>

Here it is. The walks end in 4 different values, and the largest of them is the largest of all 672 clusterings.

```python
values = [sum(np.linalg.norm(X[y == i].sum(axis=0)) for i in range(2)) for y in polytope.enumerate()]
found = max(runs[-1].objective for runs in walks)
assert np.isclose(max(values), found)
```

</details>

**2.** Every step is optimal for its sites. Read the certificate of a last step: what does it prove, and what does it
not? Keep the certificate of the longest walk in `certificate`.

<details><summary>Solution</summary>

It proves that no clustering within the bounds is better *for these sites*. It says nothing about other sites.

```python
certificate = longest[-1].certificate
print(longest[-1].proof, certificate.gap)
assert certificate.verified
worst = min((runs[-1] for runs in walks), key=lambda run: run.objective)
assert worst.certificate.verified and worst.objective <= found
```

</details>

**3.** Loosen the bounds to 0 and 10. Does the global optimum of the ten points rise, fall, or stay? Keep the global
optimum for the loose bounds in `loose`.

<details><summary>Solution</summary>

More clusterings are allowed, so it cannot fall. Here it stays: the best clustering of all has 4 and 6 points and was
allowed before.

```python
loose = solve_global(X, PartitionPolytope(10, n_clusters=2), "csa")
print(loose.objective, found)
assert np.isclose(loose.objective, found)
assert sorted(np.bincount(loose.labels)) == [4, 6]
```

</details>
"""
# %% [check]
with exercise(1):
    assert len(values) == polytope.count(), f"{len(values)} values, but {polytope.count()} clusterings"
    assert np.isclose(max(values), solve_global(X, polytope, "csa").objective), "each is the sum of two norms of sums"
# %% [check]
with exercise(2):
    assert certificate.verified, "the last step of a walk is certified: is this its certificate?"
    assert np.isclose(certificate.gap, 0, atol=1e-9), "a verified step has no gap"
# %% [check]
with exercise(3):
    everything = [[j >> i & 1 for i in range(10)] for j in range(2**10)]
    norms = [sum(np.linalg.norm(X[np.array(y) == i].sum(axis=0)) for i in (0, 1)) for y in everything]
    assert np.isclose(loose.objective, max(norms)), f"the best of all {len(everything)} labellings has {max(norms):.4f}"
