# %% [markdown]
r"""
# 9 · Solvers compared

**Goals.** Afterwards you can compare solvers by values and proofs rather than by labels, and read a performance
profile. **Time.** 40 minutes. **Before it.** Notebook 2.

**Question.** One linear program, many codes that solve it. Do they agree, and which one is fast?

**Formula.** All get the same program and must return the same optimal *value*; labels may differ where the optimum is not
unique. Agreement is judged by weak duality, in code that knows no solver:

$$ \text{gap} = \frac{\text{dual}(\mu) - \text{primal}(\text{labels})}{\text{scale}} \le 10^{-9} . $$

Speed is judged by *performance profiles*: for each code the share of instances it solves within $\tau$ times the best time.
"""
# %%
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import BACKENDS, solve


def instance(seed, n, k, d=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 3 * rng.normal(size=(5, d))[rng.integers(0, 5, n)]
    polytope = PartitionPolytope(n, lower=int(0.8 * n / k), upper=int(1.2 * n / k) + 1, n_clusters=k)
    return AssignmentModel.lsa(X, X[rng.choice(n, k, replace=False)], polytope)


names = [name for name in ("transport", "highs", "scipy", "networkx") if name in BACKENDS.available()]
model = instance(0, 300, 5)
rows = []
for name in names:
    solution = solve(model, name)
    proof = solution.verify()
    rows.append((name, solution.objective, proof.gap, proof.verified, solution.status.name))
pd.DataFrame(rows, columns=["backend", "objective", "gap", "verified", "status"]).set_index("backend")
# %% [markdown]
r"""
## The model leaves the house

The same program can be written to files and handed to other modelling languages; what comes back is checked as
everything else.
"""
# %%
folder = Path(tempfile.mkdtemp())
model.write(folder / "program.lp")
lines = (folder / "program.lp").read_text().splitlines()
print("\n".join(line[:100] for line in lines[:3]), "\n...", len(lines), "lines")
pyomo_model = model.to_pyomo()
print("as a Pyomo model:", pyomo_model.nvariables(), "variables,", pyomo_model.nconstraints(), "constraints")
graph = model.to_networkx()
print("as a network:", graph.number_of_nodes(), "nodes,", graph.number_of_edges(), "arcs")
# %% [markdown]
r"""
## Profiles
"""
# %%
sizes = [(100, 3), (200, 4), (400, 4), (400, 8), (800, 5), (800, 10)]
seconds = pd.DataFrame(index=range(len(sizes)), columns=names, dtype=float)
values = seconds.copy()
for row, (n, k) in enumerate(sizes):
    program = instance(row, n, k)
    for name in names:
        solution = min((solve(program, name) for _ in range(3)), key=lambda answer: answer.seconds)
        seconds.loc[row, name], values.loc[row, name] = solution.seconds, solution.objective
spread = (values.max(axis=1) - values.min(axis=1)) / values.abs().max(axis=1)
print("largest relative difference of optimal values:", f"{spread.max():.1e}")
assert spread.max() < 1e-7

ratio = seconds.div(seconds.min(axis=1), axis=0)
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
styles = ["-", "--", ":", "-."]
for name, style, colour in zip(names, styles, ["#0072B2", "#D55E00", "#009E73", "#7F7F7F"]):
    at = np.sort(ratio[name])
    ax.step(np.concatenate([[1], at, [ratio.max().max() * 1.3]]),
            np.concatenate([[0], np.arange(1, len(at) + 1), [len(at)]]) / len(at),
            where="post", linestyle=style, color=colour, linewidth=2, label=name)
ax.set_xscale("log")
ax.set_xlabel("time, as a multiple of the best code's")
ax.set_ylabel("share of instances solved")
ax.legend(frameon=False);
# %% [markdown]
r"""
The instances are small, so that the notebook runs quickly; the profile says nothing about large ones. The repository's
benchmarks do.

## Exercises

**1.** Take integer points on a grid, so that the optimum is not unique. Do the backends return the same labels? The
same value? Keep the solutions in the dictionary `answers`, by backend.

<details><summary>Solution</summary>

The value is the same, up to rounding. The labels need not be: any of the optimal clusterings is a right answer.

```python
grid = np.array([[a, b] for a in range(6) for b in range(6)], dtype=float)
ties = AssignmentModel.lsa(grid, [[1, 1], [4, 1], [2.5, 4]], PartitionPolytope(36, 12, 12, n_clusters=3))
answers = {name: solve(ties, name) for name in names}
print({name: int((a.labels != answers["transport"].labels).sum()) for name, a in answers.items()})
assert np.ptp([a.objective for a in answers.values()]) < 1e-7
```

</details>

**2.** Spoil one label of a verified solution and check it again. Which number gives it away? Keep the spoilt labels in
`bad`.

<details><summary>Solution</summary>

The gap, and complementary slackness: point 0 is no longer in the cluster that its prices prefer. The sizes are still
within their bounds, so feasibility says nothing.

```python
from partitope.models import check_assignment
good = solve(model)
bad = good.labels.copy()
bad[0] = (bad[0] + 1) % 5
proof = check_assignment(model, bad, good.prices)
print(proof.gap, proof.complementarity, proof.primal_violation)
assert not proof.verified and proof.primal_feasible
```

</details>

**3.** Solve a program twice with the transport backend, the second time with the first one's prices as a warm start.
Compare the number of path searches. Keep the two solutions in `cold` and `warm`.

<details><summary>Solution</summary>

The warm start needs almost none: the prices already prove nearly every label.

```python
large = instance(7, 5000, 8)
cold = solve(large)
warm = solve(large, warm_start=cold.prices)
print(cold.iterations, warm.iterations)
assert warm.iterations <= cold.iterations
assert np.isclose(warm.objective, cold.objective)
```

</details>
"""
# %% [check]
with exercise(1):
    assert set(answers) == set(names), f"the backends are {', '.join(names)}"
    assert np.ptp([answer.objective for answer in answers.values()]) < 1e-7, "all solve the same program"
# %% [check]
with exercise(2):
    from partitope.models import check_assignment

    right = solve(model)
    assert (np.asarray(bad) != right.labels).sum() == 1, "spoil one label"
    assert not check_assignment(model, bad, right.prices).verified, "this clustering is as good as the other one"
# %% [check]
with exercise(3):
    assert np.isclose(cold.objective, warm.objective), "both solve the same program"
    assert warm.iterations <= cold.iterations, "the second one starts from the prices of the first"
