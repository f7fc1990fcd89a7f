# %% [markdown]
r"""
# 9 · The dual and the norm program, for any solver

Write a model down, hand it to a solver that you did not write, and look at what comes back: cells.
"""
# %% [plots]
import matplotlib.pyplot as plt
from matplotlib.patches import Circle, Polygon

from partitope.models.plots.polytope import plot_polytope


def plot_both_diagrams(diagrams, X, labels):
    """The cells of the prices that each solver returns."""
    figure, axes = plt.subplots(1, len(diagrams), figsize=(4.6 * len(diagrams), 4), layout="constrained")
    for ax, (name, diagram) in zip(axes, diagrams.items()):
        diagram.plot(ax, X=X, labels=labels, numbers=False, sites=True)
        ax.set_title(f"prices by {name}", fontsize=12)


def plot_walks_and_net(points, polytope, walks, directions, value):
    """Left: the vertices where walks of the iteration end. Right: level sets of the true and of the measured length."""
    figure, axes = plt.subplots(1, 2, figsize=(9.4, 4.6), layout="constrained")
    plot_polytope(points, polytope, axes[0], walk=[run.labels for run in max(walks, key=len)])
    axes[0].set_title("the iteration: its longest walk", fontsize=11)
    plot_polytope(points, polytope, axes[1])
    # the corners of the polygon on which the largest product with a direction is value / 2
    ahead = np.roll(directions, -1, axis=0)
    corners = [np.linalg.solve([b, c], np.full(2, value / 2)) for b, c in zip(directions, ahead)]
    axes[1].add_patch(Polygon(corners, fill=False, color="#D55E00", linewidth=2))
    axes[1].add_patch(Circle((0, 0), max(runs[-1].objective for runs in walks) / 2, fill=False, color="black", linestyle="--"))
    axes[1].set_title("the program: level sets of both lengths", fontsize=11)
    for ax in axes:
        ax.set_aspect("equal")
        ax.autoscale_view()
        ax.margins(0.1)
# %%
import numpy as np

from partitope.models import AssignmentModel, PartitionPolytope, PowerDiagram

rng = np.random.default_rng(2)
X = np.vstack([rng.normal((2, 5), 1.1, (26, 2)), rng.normal((7, 6), 1.1, (10, 2)), rng.normal((5, 2), 1.1, (9, 2))])
sites = np.array([[2.0, 5.0], [7.0, 6.0], [5.0, 2.0]])
bounds = PartitionPolytope(45, 12, 18, n_clusters=3)
model = AssignmentModel.lsa(X, sites, bounds, origin=np.zeros(2))
program = model.program
dual = program.dualize()


def by_highs(program):
    """Optimum and columns, by the simplex method or branch and bound of HiGHS."""
    highs = program.to_highs()
    highs.run()
    return highs.getInfo().objective_function_value, program.read(highs.getSolution().col_value)


def by_clarabel(program):
    """Optimum and columns, by the interior-point method of Clarabel, called by cvxpy."""
    problem = program.to_cvxpy()
    problem.solve(solver="CLARABEL")
    return problem.value, {name: variable.value for name, variable in problem.var_dict.items()}


highs, clarabel = by_highs(dual), by_clarabel(dual)
shares = by_highs(program)[1]["assign"]
labels = shares.argmax(axis=1)
diagrams = {
    name: PowerDiagram(sites, columns["size_lower"] + columns["size_upper"], "lsa")
    for name, (value, columns) in {"HiGHS": highs, "Clarabel": clarabel}.items()
}
plot_both_diagrams(diagrams, X, labels)
# %% [markdown]
r"""
**Goals.** Afterwards you can write down the dual of a model, hand both to any solver, read a power diagram off the answer,
and say what a linear solver cannot take. **Time.** 45 minutes. **Before it.** Notebooks 2 and 4.

**Question.** Do other solvers find the same answers, and is the dual really a power diagram?

**Formula.** With scores $\gamma_{ij} = |x_j|^2 - |x_j - a_i|^2$ the assignment program and its dual are

$$ \max_{\xi \ge 0} \sum_{ij} \gamma_{ij} \xi_{ij}, \quad \sum_i \xi_{ij} = 1, \quad l \le \sum_j \xi_{ij} \le u
\qquad\text{and}\qquad \min \sum_j \eta_j + \sum_i (u \mu_i^+ + l \mu_i^-), \quad \mu_i^+ + \mu_i^- + \eta_j \ge \gamma_{ij}, $$

with $\mu_i^- \le 0 \le \mu_i^+$. The smallest $\eta_j$ that the rows allow is $\max_i (\gamma_{ij} - \mu_i)$ with
$\mu_i = \mu_i^+ + \mu_i^-$: the cell of a power diagram that contains $x_j$. So the dual chooses a power diagram, and
nothing else.
"""
# %%
for title, one in [("program", program), ("dual", dual)]:
    print(title, "- columns", {b.name: b.size for b in one.columns}, "rows", {b.name: b.size for b in one.rows})
print(f"program {by_highs(program)[0]:.6f}, dual by HiGHS {highs[0]:.6f}, by Clarabel {clarabel[0]:.6f}")
for name, diagram in diagrams.items():
    scores = diagram.decision_function(X)
    loss = (scores.max(axis=1) - scores[np.arange(45), labels]).max()
    print(f"{name:9} prices {diagram.prices.round(3)}, a point is outside its cell by at most {abs(loss):.0e}")
# %% [markdown]
r"""
Three solutions, one value. The prices of the two solvers differ, and both diagrams induce the same clustering: the optimal
prices form a polyhedron. The simplex method of HiGHS ends at one of its vertices, where boundaries pass through points. An
interior-point method ends in the middle of the optimal prices, and its boundaries keep a distance from the points.

## A program that linear solvers do not take

Norm maximisation looks for the clustering with the longest cluster sums. As a program it has one row
$y_i^2 \le |s_i|^2$ per cluster, and these rows are not convex. A refusal says so, and says who could.
"""
# %%
from partitope.models import NormMaximisation, PartitopeError

points = np.random.default_rng(12).normal(size=(10, 2)) * [1.15, 1.0]
points -= points.mean(axis=0)
polytope = PartitionPolytope(10, lower=4, upper=6, n_clusters=2)
norms = NormMaximisation(points, polytope)
try:
    norms.program.to_highs()
except PartitopeError as refusal:
    print(refusal)
# %% [markdown]
r"""
If lengths are measured along eight directions $b_r$ only, $|s|$ becomes $\max_r b_r \cdot s$, which is never longer, and never
shorter than $|s| \cos (\pi / 8)$. Which direction measures a sum is one choice among eight, a binary variable each: a
mixed-integer linear program. Its value $T$ encloses the longest sum of norms between $T$ and $T / \cos (\pi / 8)$.
"""
# %%
from partitope.solvers import GeometricPartitioner

angles = 2 * np.pi * np.arange(8) / 8
directions = np.column_stack([np.cos(angles), np.sin(angles)])
value, columns = by_highs(norms.over_net(directions))


def walk(start):
    """Partitions after each step of the iteration from given sites, until nothing improves."""
    runs = []
    while not runs or runs[-1].n_iter == len(runs):
        step = GeometricPartitioner(2, objective="csa", lower=4, upper=6, init=start, max_iter=len(runs) + 1)
        runs.append(step.fit(points).partition_)
    return runs[:-1]


walks = [walk(np.array([[np.cos(t), np.sin(t)], [-np.cos(t), -np.sin(t)]])) for t in np.linspace(0, np.pi, 20)]
ends = sorted({round(runs[-1].objective, 4) for runs in walks})
print(f"the program: {value:.4f} <= longest sum of norms <= {value / np.cos(np.pi / 8):.4f}")
print("the iteration ends in", ends)
plot_walks_and_net(points, polytope, walks, directions, value)
# %% [markdown]
r"""
Left, the iteration climbs from vertex to vertex by linear programs. Right, no vertex is outside the orange octagon, on
which the measured length is constant: the program finds the outermost vertex in this measure. The dashed circle is the
longest sum of norms that the iteration found.

## Exercises

**1.** The dual of the dual is the program again. Dualize the dual, solve it by HiGHS, and keep its value in `again`.

<details><summary>Solution</summary>

```python
again = by_highs(dual.dualize())[0]
print(again, highs[0])
assert np.isclose(again, highs[0])
```

</details>

**2.** The prices with the largest margin are a linear program, too (`MarginProgram.of(diagram, X, labels)`), and its
dual is a cycle of clusters: move a point along each of its arcs, and the loss per distance is as small as it can be.
Solve its dual by HiGHS and keep the arcs of the cycle, pairs of clusters with a positive flow, in `cycle`.

<details><summary>Solution</summary>

```python
from partitope.models import MarginProgram

margin = MarginProgram.of(diagrams["HiGHS"], X, labels).program
least, flows = by_highs(margin.dualize())
cycle = margin.rows[0].index[flows["wall"] > 1e-9].tolist()
print(cycle, least, PowerDiagram.max_margin(X, labels, sites, "lsa").margin(X, labels).min())
```

</details>

**3.** Sixteen directions tell more. Keep the interval of the longest sum of norms that they prove in `interval`, a pair.

<details><summary>Solution</summary>

```python
angles = 2 * np.pi * np.arange(16) / 16
finer = by_highs(norms.over_net(np.column_stack([np.cos(angles), np.sin(angles)])))[0]
interval = (finer, finer / np.cos(np.pi / 16))
print(interval)
assert interval[0] <= max(runs[-1].objective for runs in walks) <= interval[1]
```

</details>
"""
# %% [check]
with exercise(1):
    assert np.isclose(again, by_highs(program)[0]), "the dual of the dual has the value of the program"
# %% [check]
with exercise(2):
    ahead, behind = (sorted(arc[end] for arc in cycle) for end in (0, 1))
    assert cycle and ahead == behind, "as many arcs of a cycle enter a cluster as leave it"
    wide = PowerDiagram.max_margin(X, labels, sites, "lsa")
    lengths = [np.linalg.norm(wide.gradients[i] - wide.gradients[l]) for i, l in cycle]
    gaps = wide.exchange_gaps(X, labels)
    ratio = sum(gaps[i, l] for i, l in cycle) / sum(lengths)
    assert np.isclose(ratio, wide.margin(X, labels).min()), "the ratio of this cycle is larger than the margin"
# %% [check]
with exercise(3):
    low, high = interval
    best = max(sum(np.linalg.norm(points[np.array(y) == i].sum(axis=0)) for i in (0, 1)) for y in polytope.enumerate())
    assert low <= best * (1 + 1e-9) and best <= high * (1 + 1e-9), f"the longest sum of norms, {best:.4f}, lies outside"
    assert high / low < 1.03, "sixteen directions prove a shorter interval"
