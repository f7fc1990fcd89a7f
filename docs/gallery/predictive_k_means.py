"""Predictive k-means.

Columns become log-likelihoods of the classes before rows are clustered, so that clusters differ in what they say about
the class. `cluster_profiles` says it in words.
"""

from sklearn.datasets import load_iris

from partitope.classifiers import PKMClassifier, cluster_profiles

X, y = load_iris(return_X_y=True, as_frame=True)
y = load_iris().target_names[y]
model = PKMClassifier(random_state=0).fit(X, y)
profiles = cluster_profiles(X, y, model.apply(X))
print("\n".join(profiles.text(i, most=1) for i in range(len(profiles.counts[0]))))
figure = profiles.plot(most=2)
figure.savefig("profiles.png")
