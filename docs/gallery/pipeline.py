"""A step of a scikit-learn pipeline.

The estimators scale, clone and nest as scikit-learn's do. Columns of different units are standardised first; the
centres are brought back to the units of the table.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from partitope.cluster import BalancedKMeans

data = load_wine(as_frame=True)
columns = ["alcohol", "color_intensity", "proline"]
pipeline = make_pipeline(StandardScaler(), BalancedKMeans(3, lower=50, random_state=0)).fit(data.data[columns])
scaler, model = pipeline[0], pipeline[-1]
for centre in scaler.inverse_transform(model.cluster_centers_):
    print(", ".join(f"{name} {value:.1f}" for name, value in zip(columns, centre, strict=True)))

figure, ax = plt.subplots(figsize=(6, 3.8), layout="constrained")
for i, marker in enumerate("osv"):
    own = model.labels_ == i
    ax.scatter(data.data["alcohol"][own], data.data["proline"][own], marker=marker, label=f"{np.sum(own)} wines")
ax.set(xlabel="alcohol, % by volume", ylabel="proline, mg/l")
ax.legend()
plt.show()
