"""A palette whose colours are used equally often.

Pixels of a photograph as points of three dimensions. Free k-means spends colours on large areas; with equal sizes every
colour stands for as many pixels.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import load_sample_image

from partitope.cluster import BalancedKMeans

image = load_sample_image("flower.jpg")[::6, ::6] / 255.0
pixels = image.reshape(-1, 3)
free = KMeans(8, n_init=1, random_state=0).fit(pixels)
even = BalancedKMeans(8, balance=0.01, n_init=1, random_state=0).fit(pixels)
figure, axes = plt.subplots(2, 3, figsize=(9, 2.7), layout="constrained", height_ratios=[6, 1])
axes[0, 0].imshow(image)
axes[1, 0].set_axis_off()
axes[0, 0].set_title(f"{len(pixels)} pixels")
for ax, bar, model, name in [(*axes[:, 1], free, "k-means"), (*axes[:, 2], even, "equal sizes")]:
    ax.imshow(model.cluster_centers_[model.labels_].reshape(image.shape).clip(0, 1))
    ax.set_title(name)
    order = model.cluster_centers_.sum(axis=1).argsort()
    shares = np.bincount(model.labels_)[order] / len(pixels)
    bar.barh(0, shares, left=np.r_[0, shares.cumsum()[:-1]], color=model.cluster_centers_[order].clip(0, 1))
    bar.set_axis_off()
    print(f"{name}: shares {shares.round(3).tolist()}")
for ax in axes[0]:
    ax.set(xticks=[], yticks=[])
plt.show()
