# %% [markdown]
r"""
# 3 · Cluster sums or least squares?

Coloured cells belong to cluster sums, the dashed line is the boundary of least squares: parallel always, the same only where
both sites are equally long.
"""
# %% [plots]
import matplotlib.pyplot as plt

from partitope.models import PowerDiagram


def plot_both_walls(X, polytope, lams):
    """For the sites (1 + lam, 0) and (0, -1): the cells of CSA, the boundary of LSA, and the best clustering of each."""
    figure, axes = plt.subplots(1, len(lams), figsize=(11.5, 3.7), layout="constrained")
    left, right, bottom, top = box = (-1.7, 3.4, -1.7, 1.7)
    x, y = np.meshgrid(np.linspace(left, right, 300), np.linspace(bottom, top, 200))
    for ax, lam in zip(axes, lams):
        sites = np.array([[1 + lam, 0.0], [0.0, -1.0]])
        csa, lsa = (solve(make(X, sites, polytope)) for make in (AssignmentModel.csa, AssignmentModel.lsa))
        PowerDiagram(sites, np.zeros(2), kind="csa").plot(ax, X=X, labels=csa.labels, box=box, sites=True, size=70)
        first, second = ((x - a) ** 2 + (y - b) ** 2 for a, b in sites)
        ax.contour(x, y, first - second, [0], colors="black", linestyles="--", linewidths=2)
        ax.set_title(f"lam = {lam:g}: CSA {csa.labels.tolist()}, LSA {lsa.labels.tolist()}", fontsize=11)
        ax.set_aspect("equal")
# %%
import numpy as np

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import solve

X = np.array([[1.0, 1.0], [-1.0, -1.0], [0.5, -0.5]])
polytope = PartitionPolytope(3, 0, 3, n_clusters=2)
plot_both_walls(X, polytope, lams=[2.0, 0.0, -0.5])
# %% [markdown]
r"""
**Goals.** Afterwards you can tell cluster sums from least squares, and say for which sites and sizes they agree.
**Time.** 30 minutes. **Before it.** Notebook 2.

**Question.** A point $x$ can be scored at a site $a$ by the projection $a \cdot x$ or the squared distance $|x - a|^2$. When
do both give the same clustering?

**Formula.**

$$ \text{CSA: } \max \sum_i a_i \cdot s_i, \quad s_i = \sum_{j \in C_i} x_j
   \qquad\qquad \text{LSA: } \min \sum_i \sum_{j \in C_i} |x_j - a_i|^2 . $$

Because $|x - a|^2 = |x|^2 - 2 a \cdot x + |a|^2$, the sum of squares is a constant minus twice the CSA value plus
$\sum_i |C_i|\,|a_i|^2$. With sites of equal length this last sum is a constant too. With sites of different lengths it
is not. (The examples are 4.1.17 and 4.3.5 of the dissertation
cited in the README.)
"""
# %%
import pandas as pd


def table(lam):
    """Values of all eight clusterings for the sites (1 + lam, 0) and (0, -1)."""
    sites = [[1 + lam, 0], [0, -1]]
    csa, lsa = AssignmentModel.csa(X, sites, polytope), AssignmentModel.lsa(X, sites, polytope)
    rows = [("".join(map(str, y)), csa.value(y), lsa.cost(y)) for y in polytope.enumerate()]
    return pd.DataFrame(rows, columns=["labels", "CSA (max)", "LSA (min)"]).set_index("labels")


pd.concat({"lam = 2": table(2.0), "lam = 0": table(0.0), "lam = -0.5": table(-0.5)}, axis=1)
# %% [markdown]
r"""
With $\lambda = 0$ both sites have length one and both columns name the same two clusterings. With $\lambda = 2$ the first
site is three times as long as the second: CSA gives it points 0 and 2, LSA finds it too far from point 2, and exactly as
far from point 0 as the other site. With $\lambda = -0.5$ it is half as long, and point 2 goes the other way in both columns.

## Alternating without standardising can go down

Norm maximisation alternates: assign points to sites, then move every site to its cluster. The objective
$\sum_i |s_i|$ never decreases *if sites are scaled to length one*. With the centres themselves as sites the sequence of
CSA values can fall:
"""
# %%
Y = np.array([[-4.0, 1.0], [1.0, -3.0], [-1.0, -1.0]])
two = PartitionPolytope(3, [1, 1], [2, 2])


def centres(labels):
    return np.array([Y[labels == i].mean(axis=0) for i in range(2)])


labels = solve(AssignmentModel.csa(Y, [[10.0, 0.0], [0.0, -60.0]], two)).labels
for step in range(2):
    model = AssignmentModel.csa(Y, centres(labels), two)  # (2) sites become centres
    following = solve(model).labels  # (1) the best clustering for them
    print(f"centres of {labels.tolist()}: this clustering is worth {model.value(labels):.4g}, "
          f"the best one, {following.tolist()}, {model.value(following):.4g}")
    labels = following

from partitope.solvers import GeometricPartitioner

cloud = np.random.default_rng(0).normal(size=(60, 2))
standard = GeometricPartitioner(3, objective="csa", lower=15, upper=25, init="random", random_state=1).fit(cloud).partition_
print("60 points, sites of length one:", standard.history["objective"].round(3).tolist())
# %% [markdown]
r"""
The best value 26 of the first step becomes 22.5 when the centres move: the sequence falls. With sites of length one the
objective $\sum_i |s_i|$ rises in every step until it stops. That is why the library standardises sites, and why it measures
CSA by $\sum_i |s_i|$, about the mean of the data.

## Exercises

**1.** For which lengths of the first site is there a clustering that is best for CSA *and* for LSA? Scan $\lambda$ from
$-0.9$ to 3. Keep these values of $\lambda$ in the list `agree`.

<details><summary>Solution</summary>

Only for $\lambda = 0$, 1 of 79 values. There both boundaries run through point 2. For any other length they pass it on different
sides: the longer site gains the point in CSA and loses it in LSA.

```python
agree = []
for lam in np.linspace(-0.9, 3, 79).round(2) + 0.0:
    both = table(lam).round(9)
    common = (both["CSA (max)"] == both["CSA (max)"].max()) & (both["LSA (min)"] == both["LSA (min)"].min())
    if common.any():
        agree.append(float(lam))
print(agree)
assert agree == [0.0]
```

</details>

**2.** Bound both clusters to hold at least one point and at most two. Do the two scores agree more often? Why? Keep the
number of values in `one_or_two`.

<details><summary>Solution</summary>

No: still for 1 of 79 values. The bounds allow the sizes 1 and 2 as well as 2 and 1, so $\sum_i |C_i| |a_i|^2$ still depends
on the clustering, and the two scores still want different sizes. Only *fixed* sizes make the sum a constant. Then both
scores agree for any sites, here for 79 of 79 values.

```python
def agreements(polytope):
    count = 0
    for lam in np.linspace(-0.9, 3, 79).round(2) + 0.0:
        pair, best = [[1 + lam, 0], [0, -1]], []
        for make in (AssignmentModel.csa, AssignmentModel.lsa):
            model = make(X, pair, polytope)
            values = {tuple(y): model.value(y) for y in polytope.enumerate()}
            best.append({y for y, value in values.items() if value > max(values.values()) - 1e-9})
        count += bool(best[0] & best[1])
    return count


one_or_two = agreements(PartitionPolytope(3, 1, 2, n_clusters=2))
print("free:", agreements(polytope), " 1 to 2 points:", one_or_two,
      " exactly 1 and 2:", agreements(PartitionPolytope(3, [1, 2], [1, 2])))
```

</details>

**3.** Shift all points by $(100, 0)$. Which of the two objectives changes its best clustering, and what does the
library do about it? Keep the best clustering of `Y + [100, 0]` by norms of uncentred sums in `far`.

<details><summary>Solution</summary>

Take the sum of squares about the centres, and $\sum_i |s_i|$. Squared distances do not care: points and centres move
together. The sums do: far from the origin all of them point to the right, and the best clustering is another one.
`GeometricPartitioner` centres the points first, so a shift changes nothing.

```python
def squares(points, y):
    return sum(((points[y == i] - points[y == i].mean(axis=0)) ** 2).sum() for i in range(2))


def norms(points, y):
    return sum(np.linalg.norm(points[y == i].sum(axis=0)) for i in range(2))


for points in (Y, Y + [100, 0]):
    print("least squares:", min(two.enumerate(), key=lambda y: squares(points, y)).tolist(),
          " largest norms of uncentred sums:", max(two.enumerate(), key=lambda y: norms(points, y)).tolist())
far = max(two.enumerate(), key=lambda y: norms(Y + [100, 0], y))
first = GeometricPartitioner(2, lower=1, upper=2, random_state=0).fit(Y)
second = GeometricPartitioner(2, lower=1, upper=2, random_state=0).fit(Y + [100, 0])
assert np.isclose(first.partition_.objective, second.partition_.objective)
```

</details>
"""
# %% [check]
with exercise(1):
    assert len(agree) > 0, "there is one"
    for lam in agree:
        both = table(lam).round(9)
        best = (both["CSA (max)"] == both["CSA (max)"].max()) & (both["LSA (min)"] == both["LSA (min)"].min())
        assert best.any(), f"for {lam} no clustering is best for both"
    assert 0.0 in np.round(agree, 9), "look again at sites of equal length"
# %% [check]
with exercise(2):
    assert one_or_two < 79, "sizes are not fixed here: only fixed sizes make the difference of the objectives a constant"
    assert one_or_two == len(agree), "bounds that leave the sizes open change nothing: compare with exercise 1"
# %% [check]
with exercise(3):
    def norm_sum(y):
        return sum(np.linalg.norm((Y + [100, 0])[np.asarray(y) == i].sum(axis=0)) for i in range(2))

    assert two.contains(far), "both clusters need a point"
    assert norm_sum(far) >= max(norm_sum(y) for y in two.enumerate()) - 1e-9, "another clustering has a larger sum"
