# %% [markdown]
r"""
# 8 · One table, five strategies

**Goals.** Afterwards you can choose a strategy by what it is told and what it optimises. **Time.** 45 minutes. **Before
it.** Notebook 3.

**Question.** The same points, the same bounds. What does each strategy see?

**Formula.** All five choose a clustering within size bounds; they differ in what they are told and what they maximise.

| strategy | is told | optimises |
|---|---|---|
| geometric | $X$ | $\sum_i \lvert s_i\rvert$, or the sum of squares |
| CAC | $X$ and classes $y$ | sum of squares minus separation of the classes inside clusters |
| PKM | $X$ and classes $y$ | sum of squares after each column is rewritten as log-likelihoods of the classes |
| KCC | $X$ and covariates $Z$ | dependence on $X$ that $Z$ does not explain |
| KCSSL | $X$, covariates $Z$, a few labels | the same, and the labels given |

$$ \text{geometric: } \min \sum_j |x_j - c_{\ell(j)}|^2, \qquad
   \text{KCC: } \max_{\ell} \; \mathrm{HSCONIC}\left(X, \ell \mid Z\right). $$
"""
# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from partitope.solvers import CAC, KCC, KCSSL, PKM, GeometricPartitioner

rng = np.random.default_rng(0)
n = 240
device = rng.integers(0, 2, n)  # which device measured: a nuisance that we know
group = rng.integers(0, 2, n)  # what we look for
y = (rng.random(n) < np.where(group == 1, 0.85, 0.15)).astype(int)  # a class that leans on the group
X = np.column_stack([4.0 * device + rng.normal(0, 0.6, n), 1.8 * group + rng.normal(0, 0.45, n)])
few = np.full(n, -1)
for value in (0, 1):
    few[rng.choice(np.flatnonzero(group == value), 5, replace=False)] = value
bounds = {"n_clusters": 2, "lower": 90, "upper": 150, "random_state": 0}
runs = {
    "geometric": GeometricPartitioner(objective="lsa", n_init=10, **bounds).fit(X),
    "CAC": CAC(alpha=6.0, **bounds).fit(X, y),
    "PKM": PKM(n_init=10, **bounds).fit(X, y),
    "KCC": KCC(n_init=20, **bounds).fit(X, covariates=device),
    "KCSSL": KCSSL(**bounds).fit(X, few, covariates=device),
}
rows = [
    (name, np.bincount(model.labels_).tolist(), adjusted_rand_score(device, model.labels_),
     adjusted_rand_score(group, model.labels_), adjusted_rand_score(y, model.labels_))
    for name, model in runs.items()
]
table = pd.DataFrame(rows, columns=["strategy", "sizes", "like the device", "like the group", "like the class"])
table.set_index("strategy").round(2)
# %%
figure, axes = plt.subplots(2, 3, figsize=(12, 6.6), layout="constrained", sharex=True, sharey=True)
colours, markers = ["#0072B2", "#E69F00"], ["o", "s"]


def draw(ax, labels, title):
    for value in (0, 1):
        mine = labels == value
        ax.scatter(X[mine, 0], X[mine, 1], s=16, c=colours[value], marker=markers[value], edgecolors="0.2", linewidths=0.4)
    ax.set_title(title, fontsize=10)


draw(axes[0, 0], group, "the truth we look for")
for ax, (name, model) in zip(axes.ravel()[1:], runs.items()):
    draw(ax, model.labels_, name)
for ax in axes[1]:
    ax.set_xlabel("first feature: the device moves it")
for ax in axes[:, 0]:
    ax.set_ylabel("second feature")
# %% [markdown]
r"""
* The geometric strategy cuts where the points are far apart: between the devices.
* CAC wants the two classes far apart *inside* each cluster, so that a simple classifier works there. It joins a group
  of one device with the other group of the other device: wrong as a grouping, right for its purpose.
* PKM rewrites columns by what they say about the class. The device says nothing, so only the second feature is left.
* KCC never sees the class. It is told the device and looks for what the device does not explain: the groups.
* KCSSL does the same with five labels a group.

## Exercises

**1.** Take the device away: subtract the mean of each device from $X$. What does the geometric strategy see now? Keep
the fitted model in `again`.

<details><summary>Solution</summary>

```python
centred = X - np.array([X[device == d].mean(axis=0) for d in (0, 1)])[device]
again = GeometricPartitioner(objective="lsa", n_init=10, **bounds).fit(centred)
print(adjusted_rand_score(group, again.labels_))
assert adjusted_rand_score(group, again.labels_) > adjusted_rand_score(group, runs["geometric"].labels_)
```

</details>

**2.** Raise CAC's `alpha` from 0 to 20. When does it stop being $k$-means? Keep the labels for `alpha=0` in `same`.

<details><summary>Solution</summary>

Between 2 and 6. At 20 each cluster is one class and a single row of the other, far away: that row separates well and
costs little, and no classifier learns anything from it.

```python
for alpha in (0.0, 2.0, 6.0, 20.0):
    labels = CAC(alpha=alpha, **bounds).fit(X, y).labels_
    print(alpha, round(adjusted_rand_score(device, labels), 2), round(adjusted_rand_score(y, labels), 2))
print(pd.crosstab(labels, y))
same = CAC(alpha=0.0, **bounds).fit(X, y).labels_
assert adjusted_rand_score(same, runs["geometric"].labels_) > 0.9
```

</details>

**3.** Give KCSSL no labels for group 1 at all. What happens, and what does the error say to do? Keep the text of the
error in `message`.

<details><summary>Solution</summary>

Without any labelled row of a group the strategy cannot know that the group exists. It raises an error, which asks for
labelled rows of at least two classes.

```python
one_sided = np.where(few == 1, -1, few)
try:
    KCSSL(**bounds).fit(X, one_sided, covariates=device)
except ValueError as error:
    message = str(error)
    print(message)
else:
    raise AssertionError("one class of labels was taken")
```

</details>
"""
# %% [check]
with exercise(1):
    before, after = (adjusted_rand_score(group, model.labels_) for model in (runs["geometric"], again))
    assert after > before, "the groups are not seen better than before: are the means of both devices subtracted?"
# %% [check]
with exercise(2):
    assert adjusted_rand_score(same, runs["geometric"].labels_) > 0.9, "without separation CAC is k-means within bounds"
# %% [check]
with exercise(3):
    assert "class" in message, "the error says how many classes need labelled rows"
