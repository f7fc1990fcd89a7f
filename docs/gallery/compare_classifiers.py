"""Is one classifier better than another?

Five folds, repeated, with the t-test that corrects for shared training rows. The naive test would call nearly every
difference real.
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

from partitope.classifiers import SelectiveNaiveBayes
from partitope.stats import corrected_t_test

X, y = load_iris(return_X_y=True)
classifiers = {
    "selective": SelectiveNaiveBayes(),
    "Gaussian": GaussianNB(),
    "logistic": LogisticRegression(max_iter=500),
}
folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0)
scores = {name: cross_val_score(classifier, X, y, cv=folds) for name, classifier in classifiers.items()}
for other in ("Gaussian", "logistic"):
    test = corrected_t_test(scores["selective"], scores[other], 1 / 4)  # a fold tests a quarter of what it trains on
    print(
        f"selective less {other}: {test.difference:+.3f}",
        f"({test.low:+.3f} to {test.high:+.3f}), p = {test.pvalue:.2f}",
    )

figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
ax.boxplot(list(scores.values()), tick_labels=list(classifiers), showmeans=True)
ax.set_ylabel("accuracy of a fold")
plt.show()
