"""What balance does to accuracy.

A partition is optimised again and again while its least cluster size grows, from several starts. The band holds most of
the starts.
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from partitope.classifiers import balance_curve

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)[:, :6]
train, test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)
curve = balance_curve(train, y_train, test, y_test, 6, lowers=range(0, 57, 8), n_starts=6)
print(curve.table[curve.table["start"] == 0][["lower", "objective", "accuracy"]].round(3).to_string(index=False))

groups = curve.table.groupby("lower")
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for ax, column in [(axes[0], "objective"), (axes[1], "accuracy")]:
    low, middle, high = (groups[column].quantile(q) for q in (0.1, 0.5, 0.9))
    ax.fill_between(middle.index, low, high, color="#9CC3E5", alpha=0.6)
    ax.plot(middle.index, middle, "o-", color="#1F4E79", markersize=3)
    ax.set(xlabel="least size of every cluster", ylabel=f"{column}, median of six starts")
plt.show()
