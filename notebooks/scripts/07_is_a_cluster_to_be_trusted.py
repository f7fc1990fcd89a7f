# %% [markdown]
r"""
# 7 · Is the value of a cluster to be trusted?

**Question.** In training, 64 % of the rows of a cluster are positive. Will new rows of this cluster behave alike, or was
it luck?

**Formula.** Sort the clusters by training value $f_1 \le \dots \le f_k$, with $f_0 = 0$ and $f_{k+1} = 1$. A value counts
as confirmed when new data exclude both neighbours' territory, with $\lambda = 3/4$ unless another is asked for:

$$ p^l_i = \lambda f_i + (1 - \lambda) f_{i-1}, \quad p^u_i = \lambda f_i + (1 - \lambda) f_{i+1}, \qquad
   H^l_0: p_i \le p^l_i, \quad H^u_0: p_i \ge p^u_i . $$

Both hypotheses are tested on rows that had no part in the clustering.
"""
# %%
import matplotlib.pyplot as plt
import numpy as np

from partitope.classifiers import ClusteringClassifier
from partitope.datasets import load_census
from partitope.solvers import GeometricPartitioner
from partitope.stats import cluster_value_test, power_analysis

census = load_census(complete=True)
columns = [name for name in census.X.columns if name not in ("fnlwgt", "education")]
train, test = census.train, census.test
y_train, y_test = ((part.y == census.classes[1]).astype(int) for part in (train, test))
model = ClusteringClassifier(
    GeometricPartitioner(8, lower=500), aggregate="max", n_starts=3, encoder="plain", cleaner=None,
    weighting="least-squares", random_state=0,
).fit(train.X[columns], y_train)
own, new = (model.diagrams_[model.best_].predict(model.encode(part.X[columns])) for part in (train, test))
outcome = cluster_value_test(own, y_train, new, y_test, method="exact", adjust="holm")
outcome.table.round(4)
# %% [markdown]
r"""
A small `p_lower` says: the true share is above the lower limit. A small `p_upper`: it is below the upper limit. Both
together confirm the value. Of the 16 hypotheses at most 8 can be true, one a cluster, since a share cannot lie below the
lower limit and above the upper one. The rows of different clusters are independent. So 16 tests at 5 % reject some true
hypothesis by luck in up to 34 % of all cases, and the p-values are adjusted (Holm). They are exact binomial ones rather
than a normal approximation.
"""
# %%
figure, ax = plt.subplots(figsize=(9, 4), layout="constrained")
outcome.plot(ax)
ax.set_title("training values, limits, and test values with intervals", fontsize=10)
confirmed = outcome.significant(0.05).all(axis=1)
print("clusters confirmed on both sides:", outcome.table["cluster"].to_numpy()[confirmed].tolist())
# %% [markdown]
r"""
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
    GeometricPartitioner(8, lower=500), aggregate="max", n_starts=3, encoder="plain", cleaner=None,
    weighting="least-squares", random_state=0,
).fit(train.X[columns], luck)
cells = [lucky.diagrams_[lucky.best_].predict(lucky.encode(part.X[columns])) for part in (train, test)]
shares = [np.bincount(at, y, minlength=8) / np.bincount(at, minlength=8) for at, y in zip(cells, (luck, new_luck))]
print("random classes, training rows: shares from", shares[0].min().round(2), "to", shares[0].max().round(2))
print("random classes, new rows:      shares from", shares[1].min().round(2), "to", shares[1].max().round(2))
# %% [markdown]
r"""
The training rows confirm 4 clusters, the new rows 2. Part of that is honest, since there are twice as many training
rows. The random classes show the rest: encoding and clustering make shares from 16 % to 33 % out of nothing, where every
true share is 25 %. New rows tell, and the training rows would not.

## Exercises

**1.** Repeat the test with $\lambda = 0.5$ and $\lambda = 0.9$. For which is it easier to be confirmed, and why?

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

**2.** How many test rows does each cluster need to be confirmed with probability 0.8?

<details><summary>Solution</summary>

From 321 to 21 825, if the training values are the true shares. The whole test set has 15 060 rows: a value next to its
neighbour's cannot be confirmed with it.

```python
values = model.cluster_values_[model.best_].score(np.arange(8))[:, 1]
needed = power_analysis(values, power=0.8)
print(needed.table)
```

</details>

**3.** Use only 300 of the test rows. How many clusters are still confirmed?

<details><summary>Solution</summary>

None.

```python
few = np.random.default_rng(0).choice(len(y_test), 300, replace=False)
small = cluster_value_test(own, y_train, new[few], y_test[few], method="exact", adjust="holm", n_clusters=8)
print(int(small.significant(0.05).all(axis=1).sum()), "of 8, before:", int(confirmed.sum()))
assert small.significant(0.05).sum() <= outcome.significant(0.05).sum()
```

</details>
"""
