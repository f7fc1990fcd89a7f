"""Is one classifier better than another?

Ten folds, repeated, with the t-test that corrects for shared training rows. The naive test would call nearly every
difference real.
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from partitope.classifiers import SelectiveNaiveBayes
from partitope.stats.comparison.cross_validation import repeated_cross_validation

X, y = load_iris(return_X_y=True)
classifiers = {
    "selective": SelectiveNaiveBayes(),
    "Gaussian": GaussianNB(),
    "logistic": LogisticRegression(max_iter=500),
}
result = repeated_cross_validation(classifiers, X, y, n_folds=5, n_repeats=4)
for other in ("Gaussian", "logistic"):
    test = result.compare("selective", other)
    print(
        f"selective less {other}: {test.difference:+.3f}",
        f"({test.low:+.3f} to {test.high:+.3f}), p = {test.pvalue:.2f}",
    )

figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
ax.boxplot([result.scores[name] for name in classifiers], tick_labels=list(classifiers), showmeans=True)
ax.set_ylabel("accuracy of a fold")
plt.show()
