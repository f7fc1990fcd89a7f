# %% [markdown]
r"""
# 11 · How far from the optimum is k-means with bounds?

**Goals.** Afterwards you can bound the global optimum from below, and say how far a clustering can be from it.
**Time.** 60 minutes. **Before it.** Notebook 4.

**Question.** k-means stops where no step helps. How much better could the clustering be, and how do we know?

**Formula.** A clustering is the projector $Z = \sum_i \mathbf 1_{C_i} \mathbf 1_{C_i}^\top / |C_i|$, and its sum of squares
is linear in it,

$$ \sum_i \sum_{j \in C_i} |x_j - c_i|^2 = \langle C, Z \rangle, \qquad C_{jl} = \tfrac12 |x_j - x_l|^2 . $$

Every $Z$ satisfies $Z \mathbf 1 = \mathbf 1$, $0 \preceq Z \preceq I$, $\operatorname{tr} Z = k$, $Z_{jl} \ge 0$ and, with
sizes between $\ell$ and $u$, $1/u \le Z_{jj} \le 1/\ell$. The least $\langle C, Z \rangle$ over all such matrices is a
bound that no clustering can beat. Where it is not tight, `solve_global` branches: two points are together, or apart.
"""
# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_iris

from partitope.models import LeastSquaresSDP, Links, PartitionPolytope
from partitope.solvers import GeometricPartitioner, solve_global
from partitope.solvers.global_optimum.plots import plot_interval
from partitope.solvers.global_optimum.sdp import sdp_bound

X = load_iris().data
polytope = PartitionPolytope(len(X), 25, 50, n_clusters=4)
ends = [
    GeometricPartitioner(4, lower=25, upper=50, objective="lsa", n_init=1, random_state=seed).fit(X).partition_.objective
    for seed in range(40)
]
best = solve_global(X, polytope, gap=1e-5, time_limit=120)
print(f"best of 40 walks {min(ends):.4f}, optimum {best.objective:.4f}")
print(best.claim)
# %% [markdown]
r"""
## Where the walks end

Each walk assigns exactly, and the proof of each last step is right; that is no proof of the whole.
"""
# %%
excess = 100 * (np.array(ends) / best.objective - 1)
figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
axes[0].hist(excess, bins=20)
axes[0].set(xlabel="per cent above the optimum", ylabel="walks")
plot_interval(best, axes[1])
plt.show()
# %% [markdown]
r"""
No walk is better than the proved optimum, and more than half of them are above it. The bound of the right picture never
falls, and meets the best clustering within the gap that was asked for.

## How far by the number of clusters

The same question for several numbers of clusters, sizes at least two thirds and at most four thirds of the average.
"""
# %%
rows = []
for k in (2, 3, 4):
    low, high = int(np.ceil(2 * len(X) / (3 * k))), int(4 * len(X) / (3 * k))
    one = GeometricPartitioner(k, lower=low, upper=high, objective="lsa", n_init=1, random_state=0).fit(X)
    found = solve_global(X, PartitionPolytope(len(X), low, high, n_clusters=k), gap=1e-4, time_limit=60)
    rows.append((k, low, high, one.partition_.objective, found.objective, found.bound.gap))
table = pd.DataFrame(rows, columns=["k", "least", "most", "one walk", "best", "gap proved"]).set_index("k")
table.round(5)
# %% [markdown]
r"""
## Exercises

**1.** How much of the proof is the relaxation alone, without branching? Keep the bound of the relaxation in `root`.

<details><summary>Solution</summary>

```python
root = sdp_bound(LeastSquaresSDP(X, polytope), best.objective, gap=1e-5)
print(f"gap of the relaxation: {root.gap:.2g}")
```

It is at most a thousandth: the relaxation is nearly tight here.
</details>

**2.** Keep the first two flowers of the table apart. What does that cost? Keep the best clustering with the link in
`apart`.

<details><summary>Solution</summary>

```python
apart = solve_global(X, polytope, gap=1e-4, links=Links(len(X), cannot=[(0, 1)]), time_limit=60)
print(f"{100 * (apart.objective / best.objective - 1):.2f} % above the optimum")
```

The optimum with the link is not below the one without: a link only takes clusterings away.
</details>

**3.** Count every flower twice by weights, and bounds twice as large. What changes? Keep the result in `doubled`.

<details><summary>Solution</summary>

```python
twice = PartitionPolytope(len(X), 50, 100, np.full(len(X), 2.0), n_clusters=4)
doubled = solve_global(X, twice, gap=1e-4, time_limit=60)
print(doubled.objective / best.objective)
```

The value doubles, within the gaps of both proofs, and the clustering can stay.
</details>
"""
# %% [check]
with exercise(1):
    assert root.lower <= best.objective * (1 + 1e-9), "a lower bound cannot lie above the optimum"
    assert root.gap < 0.01, "the relaxation can do better"
# %% [check]
with exercise(2):
    assert apart.labels[0] != apart.labels[1], "the two flowers are together"
    assert apart.objective >= best.objective * (1 - 2e-4), "a link only takes clusterings away"
# %% [check]
with exercise(3):
    assert np.isclose(doubled.objective / best.objective, 2, rtol=3e-4), "every squared distance counts twice"
