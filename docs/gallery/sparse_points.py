"""Sparse points.

Texts as counts of words: the matrix stays sparse, sizes are bounded, and the proof is the same. The heaviest words of
the centres name the clusters.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.feature_extraction.text import TfidfVectorizer

from partitope.solvers import GeometricPartitioner

rng = np.random.default_rng(0)
topics = {"polytope": "vertex edge facet cone hull", "market": "price bid seller buyer auction",
          "map": "wall cell border site region"}  # fmt: skip
words = [text.split() for text in topics.values()]
all_words = [word for topic in words for word in topic]
texts = [" ".join(rng.choice(words[j % 3], 6)) + " " + " ".join(rng.choice(all_words, 2)) for j in range(90)]
vectorizer = TfidfVectorizer()
X = vectorizer.fit_transform(texts)
model = GeometricPartitioner(3, lower=28, upper=32, objective="lsa", n_init=5, random_state=0).fit(X)
names = vectorizer.get_feature_names_out()
figure, axes = plt.subplots(1, 3, figsize=(9, 2.8), layout="constrained", sharex=True)
for i, ax in enumerate(axes):
    centre = np.asarray(X[model.labels_ == i].mean(axis=0)).ravel()
    top = centre.argsort()[::-1][:5]
    ax.barh(names[top], centre[top], color="#9CC3E5", edgecolor="#1F4E79")
    ax.invert_yaxis()
    ax.set_title(f"cluster {i}: {model.partition_.sizes[i]} texts")
print(f"{X.nnz} of {X.shape[0] * X.shape[1]} entries are stored; {model.partition_.proof.name.lower()}")
plt.show()
