# %% [markdown]
r"""
# 1 · What is a partition polytope?

The pictures show points, and all their clusterings within size bounds: each dot is a clustering, and a linear program
finds every corner.
"""
# %% [plots]
import matplotlib.pyplot as plt

from partitope.models.plots.polytope import plot_polytope


def plot_points_and_sums(X, polytope):
    """The points with their numbers; next to them the sum of cluster 0 in every clustering."""
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
    axes[0].scatter(*X.T, c="0.2", s=30)
    for j, (x, y) in enumerate(X):
        axes[0].annotate(f" {j}", (x, y), fontsize=10)
    axes[0].set_title(f"{len(X)} points", fontsize=11)
    plot_polytope(X, polytope, axes[1])
    axes[1].set_title(f"sum of cluster 0 in all {polytope.count()} clusterings", fontsize=11)
    for ax in axes:
        ax.set_aspect("equal")
# %%
import numpy as np

from partitope.models import PartitionPolytope

rng = np.random.default_rng(4)
X = rng.normal(size=(9, 2))
nine = PartitionPolytope(9, lower=3, upper=6, n_clusters=2)
plot_points_and_sums(X, nine)
# %% [markdown]
r"""
**Goals.** Afterwards you can say why the vertices of the polytope are clusterings, name what destroys that, and find
the best clustering for given scores as a linear program. **Time.** 45 minutes. **Before it.** Linear programs; Python
with NumPy.

**Question.** Every point carries a label. Why can a *linear program*, whose solutions are usually fractions, find the
best clustering?

**Formula.** Let $\xi_{ij}$ be the share of point $j$ in cluster $i$. The bounded-shape partition polytope is

$$ \sum_i \xi_{ij} = 1 \;\;(\text{every point}), \qquad
   l_i \le \sum_j \xi_{ij} \le u_i \;\;(\text{every cluster}), \qquad \xi \ge 0 . $$

If the bounds are whole numbers, its vertices are exactly the clusterings within them.
"""
# %%
import itertools

from scipy.optimize import linprog
from scipy.spatial import ConvexHull

from partitope.models import AssignmentModel
from partitope.solvers import is_separable, solve

polytope = PartitionPolytope(5, lower=1, upper=3, n_clusters=2)
clusterings = list(polytope.enumerate())
print(len(clusterings), "clusterings, and the formula counts", polytope.count())
print("the first three:", [labels.tolist() for labels in clusterings[:3]])
# %% [markdown]
r"""
## The matrix

Every column has two ones: one in the row of its point, one in the row of its cluster. That is the incidence matrix of
a bipartite graph, and such a matrix is *totally unimodular*: every square submatrix has determinant $-1$, $0$ or $1$.
By Cramer's rule every vertex is then integral, *as long as the right-hand sides are integers too*. The ones of the
points are; the bounds have to be. For three points and two clusters we can simply try all submatrices.
"""
# %%
small = PartitionPolytope(3, lower=1, upper=2, n_clusters=2)
A, row_lower, row_upper = small.rows()
A = A.toarray()
print(A.astype(int))


def determinants(matrix):
    """All values that determinants of square submatrices take."""
    rows, columns = matrix.shape
    found = set()
    for size in range(1, min(rows, columns) + 1):
        for r in itertools.combinations(range(rows), size):
            for c in itertools.combinations(range(columns), size):
                found.add(round(np.linalg.det(matrix[np.ix_(r, c)])))
    return sorted(found)


print("determinants:", determinants(A))

costs = [-1, 0, 0, 0, 0.1, 0]  # put point 0 into cluster 0, and rather not point 2
for most in (1, 1.5):
    shares = linprog(costs, A_eq=A[:3], b_eq=np.ones(3), A_ub=A[3:], b_ub=[most, 3 - most], bounds=(0, 1)).x
    print(f"sizes {most} and {3 - most}, shares of the points:", (shares.reshape(3, 2) + 0).tolist())
# %% [markdown]
r"""
## One more constraint, and it is lost

Ask that point 0 in cluster 1 and point 1 in cluster 0 do not happen together: $\xi_{10} + \xi_{01} \le 1$. Let cluster 0
hold exactly one point. The rows of point 0, of cluster 0 and of the side constraint meet in the variables $\xi_{00}$,
$\xi_{10}$ and $\xi_{01}$, two in each row: an odd cycle, a submatrix of determinant $\pm 2$. The linear program now has
fractional vertices, although all its numbers are integers.
"""
# %%
side = np.zeros(6)
side[[0 * 2 + 1, 1 * 2 + 0]] = 1.0  # variable of point j and cluster i is column j * k + i
wider = np.vstack([A, side])
print("determinants with the side constraint:", determinants(wider))

cap = np.zeros(6)
cap[[0, 2, 4]] = 1.0  # the size of cluster 0
answer = linprog(
    c=[0, 0, -1, 0, 0.1, 0],  # put point 1 into cluster 0, if you can
    A_eq=A[:3], b_eq=np.ones(3), A_ub=np.vstack([side, cap, -cap]), b_ub=[1, 1, -1], bounds=(0, 1),
)
print("shares of the points:", answer.x.reshape(3, 2).round(2).tolist())
# %%
free = linprog(
    c=[0, 0, -1, 0, 0.1, 0], A_eq=A[:3], b_eq=np.ones(3), A_ub=np.vstack([cap, -cap]), b_ub=[1, -1], bounds=(0, 1)
)
print("the same costs without the side constraint:", (free.x.reshape(3, 2) + 0).round(2).tolist())
# %% [markdown]
r"""
## The shadow

The polytope has $n k$ dimensions. Its shadow under the map to the cluster sums $s_i = \sum_j \xi_{ij} x_j$ is the
picture at the head: for two clusters $s_0$ alone says everything, since $s_0 + s_1$ is the sum of all points. Every corner
is a clustering that some pair of sites makes optimal.
"""
# %%
direction = np.array([1.0, 0.4])
best = solve(AssignmentModel.csa(X, [direction, -direction], nine))
print("labels", best.labels.tolist(), "sum along the direction", round(best.objective, 4))
print("largest such sum over all clusterings:",
      round(max(AssignmentModel.csa(X, [direction, -direction], nine).value(y) for y in nine.enumerate()), 4))
# %% [markdown]
r"""
## Exercises

**1.** How many clusterings of 12 points into 3 clusters of 3 to 5 points are there, and what share of all $3^{12}$
labellings is that? Keep the number in `bounded`.

<details><summary>Solution</summary>

There are 200 970, or 38 % of all labellings.

```python
bounded = PartitionPolytope(12, lower=3, upper=5, n_clusters=3).count()
print(bounded, bounded / 3**12)
assert bounded == 6 * 27720 + 34650  # sizes 3, 4, 5 in six orders, and 4, 4, 4
assert PartitionPolytope(12, n_clusters=3).count() == 3**12
```

</details>

**2.** Give five points the weights $1, 2, 3, 4, 5$ and ask for clusters of weight 7.5 each. Can a vertex of this
polytope split a point? How many at most? Keep the solution in `solution`.

<details><summary>Solution</summary>

The matrix now has weights in the rows of the clusters and is no longer totally unimodular. A vertex may split at most
$k - 1$ points, here one. It must split one: whole points have whole weights.

```python
heavy = PartitionPolytope(5, lower=7.5, upper=7.5, weights=np.array([1.0, 2, 3, 4, 5]), n_clusters=2)
solution = solve(AssignmentModel(heavy, rng.normal(size=(5, 2))))
print(solution.labels, solution.splits)
assert len({point for point, _, _ in solution.splits}) == 1  # whole points cannot weigh 7.5
```

</details>

**3.** Many dots of the picture are not corners. Name one such clustering and explain why no choice of sites makes it the
best one. Keep the labels of the nine points in `inside`.

<details><summary>Solution</summary>

The sum of a clustering inside the shadow is a proper mixture of other sums. A linear objective that is not constant is
then larger for one of the others. One such clustering puts the even points into cluster 0 and the odd ones into
cluster 1.

Is it enough that a line separates the clusters? No. Of the 420 clusterings 42 can be separated by a line, but only 14 of
them are corners; the other 28 are inside the shadow. The boundary between two cells is $(a_0 - a_1) \cdot x = \mu_0 - \mu_1$.
Where the sizes have slack both prices are zero, and the boundary must pass through the origin. Only a bound that is reached
may push the boundary away, and only to its own side. A line through any other place separates, but is not a boundary for
these scores. Every corner is separable; not everything separable is a corner.

```python
inside = np.array([0, 1] * 4 + [0])
models = [AssignmentModel.csa(X, [a, -a], nine) for a in
          (np.array([np.cos(t), np.sin(t)]) for t in np.linspace(0, 2 * np.pi, 200))]
assert all(solve(model).objective > model.value(inside) + 1e-9 for model in models)

everything = [np.array(y) for y in nine.enumerate()]
corners = set(ConvexHull([X[y == 0].sum(axis=0) for y in everything]).vertices)
separable = {t for t, y in enumerate(everything) if is_separable(X, y)}
print(len(separable), "of", len(everything), "separable,", len(corners), "corners,",
      len(separable - corners), "separable and inside")
assert corners < separable
```

</details>
"""
# %% [check]
import math

with exercise(1):
    sizes = [(a, b) for a in range(3, 6) for b in range(3, 6) if 3 <= 12 - a - b <= 5]
    assert bounded == sum(math.comb(12, a) * math.comb(12 - a, b) for a, b in sizes), (
        "sum over all sizes; which point is in which cluster counts, and so does which cluster is which"
    )
# %% [check]
with exercise(2):
    assert len(solution.labels) == 5, "there are five points"
    divided = {point for point, _, _ in solution.splits}
    assert len(divided) == 1, f"{len(divided)} points are divided; whole points cannot weigh 7.5, and a vertex divides few"
# %% [check]
with exercise(3):
    assert nine.contains(inside), "every cluster has 3 to 6 points"
    hull = ConvexHull([X[y == 0].sum(axis=0) for y in nine.enumerate()])
    place = X[np.asarray(inside) == 0].sum(axis=0)
    assert (hull.equations @ [*place, 1.0] < -1e-9).all(), "this sum lies on the boundary of the shadow"
