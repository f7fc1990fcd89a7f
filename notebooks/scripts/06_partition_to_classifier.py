# %% [markdown]
r"""
# 6 · From a partition to a classifier

What clusters of training rows say of new rows: on the left the share of high incomes in each, on the right how often it comes
true.
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


def plot_promises(values, sizes, new, y_test):
    """The shares of the clusters in training, sorted, with their sizes; and against them those among new rows."""
    k, order = len(values), np.argsort(values)
    figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained", width_ratios=[1.2, 1])
    axes[0].bar(range(k), values[order], color=np.where(values[order] >= 0.5, "#D55E00", "#0072B2"), edgecolor="0.2")
    axes[0].axhline(0.5, color="black", linewidth=1, linestyle="--")
    for position, i in enumerate(order):
        axes[0].annotate(f"{sizes[i]:.0f}", (position, values[i]), rotation=90, fontsize=8, ha="center", va="bottom")
    axes[0].set(xlabel="clusters, sorted by value", ylabel="share of high incomes in training", ylim=(0, 1.12))
    counts = np.bincount(new, minlength=k)
    observed = np.bincount(new, y_test, minlength=k) / np.maximum(counts, 1)
    axes[1].plot([0, 1], [0, 1], color="0.6", linewidth=1)
    axes[1].scatter(values, observed, s=counts / 6, c="#009E73", edgecolors="0.2", alpha=0.8)
    axes[1].set(xlabel="share in training", ylabel="share among the test rows")
    axes[0].set_title("what the clusters say (numbers: training rows)", fontsize=11)
    axes[1].set_title("and what comes true (area: test rows)", fontsize=11)
# %%
from partitope.classifiers import ClusteringClassifier
from partitope.solvers import GeometricPartitioner

X, y, chance = incomes(18_000)
train, test, y_train, y_test = X[:12_000], X[12_000:], y[:12_000], y[12_000:]
model = ClusteringClassifier(
    GeometricPartitioner(29, objective="csa", lower=1), aggregate="max", n_starts=3, encoder="plain", cleaner=None,
    weighting="least-squares", random_state=0,
).fit(train, y_train)
values = model.cluster_values_[model.best_].score(np.arange(29))[:, 1]
new = model.partition_.power_diagram.predict(model.encode(test))
plot_promises(values, model.partition_.sizes, new, y_test)
# %% [markdown]
r"""
**Goals.** Afterwards you can turn a table into points, points into cells and cells into a classifier, and measure it
honestly. **Time.** 45 minutes. **Before it.** Notebook 1; what a classifier is.

**Question.** A clustering step never looks at the class of a point. How good a classifier can come of it, if the class is
used before (to place the points) and after (to give every cluster a value)?

**Formula.** Replace each value $v$ of a column by the mean of the class over the training rows with that value: the
table becomes points in the unit cube. This encoding looks at the class, and so do the weights of the columns below; the
clustering itself does not. Cluster the points, and let every cluster vote with its share of the class,

$$ f_i = \frac{\#\{ j \in C_i : y_j = 1 \}}{|C_i|}, \qquad
   \hat y(x) = 1 \iff f_{\,\operatorname{argmax}_i (a_i \cdot x - \mu_i)} \ge \omega . $$

New rows find their cluster through the power diagram. The table is made by `incomes`, in the manner of a census (who has a
high income?): nothing has to be fetched, and the chance of every row is known. `load_dataset("census")` reads the real one.
"""
# %%
from partitope.classifiers import ConditionalMeanEncoder
from partitope.stats import accuracy_interval, binary_report

print(train.shape, test.shape, "share of high incomes in training:", y_train.mean().round(3))
train.head(3)
# %%
plain = {"smoothing": 0.0, "cross_fit": 0}  # the averages of the dissertation
encoder = ConditionalMeanEncoder(**plain).fit(train, y_train)
pd.DataFrame(encoder.transform(train.head(3)), columns=train.columns).round(3)
# %% [markdown]
r"""
Every entry is now an estimate of the probability of a high income *given this one value*. Weighting the columns by
their coefficients in a least-squares fit of $y$ stretches what matters. The classifier does both by itself, here with plain
averages as in the dissertation; by default it shrinks them where values are rare, and cross-fits them.
"""
# %%
report = binary_report(y_test, model.predict_proba(test)[:, 1])
low, high = accuracy_interval(round(report.accuracy * len(y_test)), len(y_test))
possible = np.maximum(chance, 1 - chance)[12_000:].mean()  # what somebody who knows all chances can expect
print(f"test accuracy {report.accuracy:.4f} (95 %: {low:.4f} to {high:.4f}), possible {possible:.4f}, "
      f"sensitivity {report.sensitivity:.4f}, AUC {report.auc:.4f}")
# %% [markdown]
r"""
The classifier is right in 80.6 % of the new rows. Who knew the chance of every row could expect 84.1 %: the rest is
chance, and no classifier gets it.

In the picture at the head, on the right, every cluster is a circle: clusters near the diagonal keep their promise on new rows. Notebook 7 asks which of
them can be *trusted* to.

## Many starts

A local optimum is a matter of chance. Take the best of the starts by its objective ("max"), or the mean of what all
starts say ("mean"). With three starts on this table the AUC is 0.8685 with the best and 0.8746 with the mean.
"""
# %%
rows = []
for aggregate in ("max", "mean"):
    score = model.predict_proba(test, aggregate=aggregate)[:, 1]
    measured = binary_report(y_test, score)
    rows.append({"aggregate": aggregate, "accuracy": measured.accuracy, "sensitivity": measured.sensitivity,
                 "specificity": measured.specificity, "AUC": measured.auc})
pd.DataFrame(rows).set_index("aggregate").round(4)
# %% [markdown]
r"""
## Exercises

**1.** What is the accuracy of always saying "no"? How much better is the classifier? Keep the accuracy of "no" in `base`.

<details><summary>Solution</summary>

"No" is right for 66.7 % of the test rows; the classifier is better by 13.9 percentage points.

```python
base = 1 - y_test.mean()
print(base, report.accuracy - base)
assert report.accuracy > base + 0.05
```

</details>

**2.** Lower the threshold from 0.5 to 0.3. Which measures rise, which fall? Keep the two reports in the dictionary `at`, by
threshold.

<details><summary>Solution</summary>

More rows are called positive: sensitivity cannot fall, specificity cannot rise.

```python
score = model.predict_proba(test)[:, 1]
at = {omega: binary_report(y_test, score, threshold=omega) for omega in (0.5, 0.3)}
assert at[0.3].sensitivity >= at[0.5].sensitivity
assert at[0.3].specificity <= at[0.5].specificity
```

</details>

**3.** Why may the encoding be learnt on the training rows only? Encode with the labels of the test rows as well, add a column
that is different in nearly every row, and explain what you see. Keep the AUC of the mean of all columns in the dictionary
`gains`, under "honest" and "leaky".

<details><summary>Solution</summary>

The averages would carry the labels of the rows that are to be predicted; a value that occurs once gives its label away.
With such a column the AUC of the mean of all columns is 0.8236 when the encoding is learnt on the training rows and 0.9937
when it has seen the test rows, a gain that new rows would not show.

```python
number = pd.Series(np.random.default_rng(0).integers(0, 30_000, len(X)).astype(str), name="number")
both = pd.concat([X, number], axis=1)
leaky = ConditionalMeanEncoder(bins=None, **plain).fit(both, y)
honest = ConditionalMeanEncoder(bins=None, **plain).fit(both[:12_000], y_train)
gains = {}
for name, coder in [("honest", honest), ("leaky", leaky)]:
    gains[name] = binary_report(y_test, coder.transform(both[12_000:]).mean(axis=1)).auc
print(gains)
assert gains["leaky"] > gains["honest"]
```

</details>
"""
# %% [check]
with exercise(1):
    assert np.isclose(base, np.mean(~y_test)), "how often is the class of a test row no high income?"
# %% [check]
with exercise(2):
    assert set(at) == {0.5, 0.3}, "one report for 0.5 and one for 0.3"
    assert at[0.3].sensitivity >= at[0.5].sensitivity, "more rows are called positive: sensitivity cannot fall"
    assert at[0.3].specificity <= at[0.5].specificity, "more rows are called positive: specificity cannot rise"
# %% [check]
with exercise(3):
    assert 0.5 < gains["honest"] < 1, "an AUC of honest columns lies between a half and one"
    assert gains["leaky"] > gains["honest"] + 0.01, "the test labels should give something away"
