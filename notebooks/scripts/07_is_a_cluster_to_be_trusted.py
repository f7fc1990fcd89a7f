# %% [markdown]
r"""
# 7 · Is the value of a cluster to be trusted?

The value of each cluster in training, the limits that its neighbours leave it, and what new rows say.
"""
# %% [plots]
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd


def incomes(n):
    """A table of n rows in the manner of a census, who has a high income, and the chance of it in every row."""
    rng = np.random.default_rng(6)
    effects = {
        "schooling": {"primary": -2.4, "secondary": -0.8, "college": 0.8, "university": 2.4},
        "work": {"farm": -1.5, "craft": -0.5, "sales": 0.0, "office": 0.3, "health": 0.7, "law": 2.0},
        "household": {"married": 1.4, "single": -1.4, "widowed": -0.4},
    }
    X = pd.DataFrame({name: rng.choice(list(levels), n) for name, levels in effects.items()})
    X["age"], X["hours"] = rng.integers(18, 75, n), rng.normal(40, 10, n).round().clip(5, 80).astype(int)
    log_odds = -0.2 - ((X["age"] - 50) / 15) ** 2 + 0.06 * (X["hours"] - 40)
    log_odds += sum(X[name].map(levels) for name, levels in effects.items())
    chance = (1 / (1 + np.exp(-log_odds))).to_numpy()
    return X, rng.random(n) < chance, chance


def plot_test(outcome):
    """Training values, limits, and test values with their intervals."""
    figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
    outcome.plot(ax)
# %%
from partitope.classifiers import ClusteringClassifier
from partitope.solvers import GeometricPartitioner
from partitope.stats import cluster_value_test

X, y, chance = incomes(18_000)
train, test, y_train, y_test = X[:12_000], X[12_000:], y[:12_000].astype(int), y[12_000:].astype(int)
model = ClusteringClassifier(
    GeometricPartitioner(6, objective="csa", lower=600), aggregate="max", n_starts=3, encoder="plain", cleaner=None,
    weighting="least-squares", random_state=0,
).fit(train, y_train)
own, new = (model.diagrams_[model.best_].predict(model.encode(part)) for part in (train, test))
outcome = cluster_value_test(own, y_train, new, y_test, method="exact", adjust="holm")
plot_test(outcome)
# %% [markdown]
r"""
**Goals.** Afterwards you can test whether the value of a cluster holds on new rows, and say why the training rows
cannot tell. **Time.** 50 minutes. **Before it.** Notebook 6; hypothesis tests.

**Question.** In training, 54 % of the rows of a cluster are positive. Will new rows of this cluster behave alike, or was
it luck?

**Formula.** Sort the clusters by training value $f_1 \le \dots \le f_k$, with $f_0 = 0$ and $f_{k+1} = 1$. A value counts
as confirmed when new data exclude both neighbours' territory, with $\lambda = 3/4$ unless another is asked for:

$$ p^l_i = \lambda f_i + (1 - \lambda) f_{i-1}, \quad p^u_i = \lambda f_i + (1 - \lambda) f_{i+1}, \qquad
   H^l_0: p_i \le p^l_i, \quad H^u_0: p_i \ge p^u_i . $$

Both hypotheses are tested on rows that had no part in the clustering. The table is that of notebook 6, in which the chance of
every row is known: what a test says can be compared with the truth.
"""
# %%
outcome.table.round(4)
# %% [markdown]
r"""
A small `p_lower` says: the true share is above the lower limit. A small `p_upper`: it is below the upper limit. Both
together confirm the value. Of the 12 hypotheses at most 6 can be true, one per cluster, since a share cannot be below the
lower limit and above the upper one. The rows of different clusters are independent. So 12 tests at 5 % reject some true
hypothesis by luck in up to 26 % of all cases, and the p-values are adjusted (Holm). They are exact binomial ones rather
than a normal approximation.
"""
# %%
confirmed = outcome.significant(0.05).all(axis=1)
print("clusters confirmed on both sides:", outcome.table["cluster"].to_numpy()[confirmed].tolist())
by_value = outcome.table["cluster"].to_numpy()
true_share = np.bincount(new, chance[12_000:], minlength=6)[by_value] / np.bincount(new, minlength=6)[by_value]
between = (outcome.table["lower_limit"] < true_share) & (true_share < outcome.table["upper_limit"])
print("true shares between the limits:", by_value[between.to_numpy()].tolist())
# %% [markdown]
r"""
Of the 6 clusters 6 have a true share between their limits, and the test rows confirm 3 of these and no other: it
misses some, and invents none.

## Trap: testing on the training rows

The clusters were formed and valued on the training rows. Testing on them again is *double dipping*: the share that is
tested is the very value that it is tested for, so luck cannot show. The library sees it when it is told which rows are
meant. How much luck there can be, a table without any connection shows: give the classes to the rows in random order,
and do everything again.
"""
# %%
import warnings

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    index = np.arange(len(y_train))
    again = cluster_value_test(
        own, y_train, own, y_train, method="exact", adjust="holm", train_index=index, test_index=index
    )
print("confirmed on the training rows:", int(again.significant(0.05).all(axis=1).sum()), "of", len(again.n),
      " on new rows:", int(confirmed.sum()))
print("warned:", [type(entry.message).__name__ for entry in caught])

rng = np.random.default_rng(0)
luck, new_luck = rng.permutation(y_train), rng.permutation(y_test)
lucky = ClusteringClassifier(
    GeometricPartitioner(6, objective="csa", lower=600), aggregate="max", n_starts=3, encoder="plain", cleaner=None,
    weighting="least-squares", random_state=0,
).fit(train, luck)
cells = [lucky.diagrams_[lucky.best_].predict(lucky.encode(part)) for part in (train, test)]
shares = [np.bincount(at, y, minlength=6) / np.bincount(at, minlength=6) for at, y in zip(cells, (luck, new_luck))]
top = shares[0].argmax()
print("random classes, training rows: shares from", shares[0].min().round(3), "to", shares[0].max().round(3))
print("random classes, new rows: the cluster with the largest share in training has", shares[1][top].round(3))
# %% [markdown]
r"""
The training rows confirm 3 clusters and the new rows 3, so nothing seems wrong. The random classes show what is:
encoding and clustering make shares from 28 % to 37 % out of nothing, where every true share is 33 %. New rows
tell: the cluster with the largest share in training has 33 % there.

## Exercises

**1.** Repeat the test with $\lambda = 0.5$ and $\lambda = 0.9$. For which is it easier to be confirmed, and why? Keep the
number of hypotheses rejected at 5 % in the dictionary `counts`, by $\lambda$.

<details><summary>Solution</summary>

For $\lambda = 0.5$. A large $\lambda$ puts the limits close to $f_i$: less deviation is tolerated, and confirming needs more
data.

```python
counts = {lam: int(cluster_value_test(own, y_train, new, y_test, lam=lam, method="exact").significant(0.05).sum())
          for lam in (0.5, 0.75, 0.9)}
print(counts)
assert counts[0.5] >= counts[0.9]
```

</details>

**2.** How many test rows does each cluster need to be confirmed with probability 0.8? Keep the analysis in `needed`.

<details><summary>Solution</summary>

From 602 to 9 917, if the training values are the true shares. The whole test set has 6 000 rows: a value next to its
neighbour's cannot be confirmed with it.

```python
from partitope.stats import power_analysis

values = model.cluster_values_[model.best_].score(np.arange(6))[:, 1]
needed = power_analysis(values, power=0.8)
print(needed.table)
```

</details>

**3.** Use only 300 of the test rows. Keep the test in `small`. How many clusters are still confirmed?

<details><summary>Solution</summary>

None.

```python
few = np.random.default_rng(0).choice(len(y_test), 300, replace=False)
small = cluster_value_test(own, y_train, new[few], y_test[few], method="exact", adjust="holm", n_clusters=6)
print(int(small.significant(0.05).all(axis=1).sum()), "of 6, before:", int(confirmed.sum()))
assert small.significant(0.05).sum() <= outcome.significant(0.05).sum()
```

</details>
"""
# %% [check]
with exercise(1):
    for lam, count in counts.items():
        again = cluster_value_test(own, y_train, new, y_test, lam=lam, method="exact")
        assert count == again.significant(0.05).sum(), f"for {lam} the number is another one; count both hypotheses"
    assert {0.5, 0.9} <= set(counts), "ask for 0.5 and for 0.9"
# %% [check]
with exercise(2):
    assert needed.power == 0.8, "the probability is to be 0.8"
    assert len(needed.table) == 6, "there are six clusters"
# %% [check]
with exercise(3):
    assert small.n.sum() == 300, f"{small.n.sum()} rows were used"
    assert small.significant(0.05).sum() <= outcome.significant(0.05).sum(), "fewer rows cannot tell more"
