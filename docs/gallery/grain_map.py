"""A map of grains in a few numbers.

`fit_diagram` keeps of every grain its centroid, covariance and number of pixels, and finds the assignment of pixels
with exactly these numbers. Black: pixels that end in another grain.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.solvers import fit_diagram

rng = np.random.default_rng(5)
y, x = np.mgrid[:70, :100]
seeds, stretch = rng.uniform((0, 0), (70, 100), (25, 2)), rng.uniform(0.5, 2.0, (25, 2))
place = np.stack([y + 2 * np.sin(x / 13), x + 2 * np.cos(y / 11)], axis=-1)
grains = (((place[:, :, None] - seeds) ** 2) * stretch).sum(axis=-1).argmin(axis=-1)

figure, axes = plt.subplots(1, 3, figsize=(11, 2.8), layout="constrained")
axes[0].imshow(grains % 8, cmap="Pastel2", interpolation="nearest")
axes[0].set_title("map")
for ax, isotropic in [(axes[1], False), (axes[2], True)]:
    fitted = fit_diagram(grains, isotropic=isotropic)
    ax.imshow(fitted.image % 8, cmap="Pastel2", interpolation="nearest")
    ax.imshow(np.ma.masked_where(fitted.image == grains, fitted.image * 0), cmap="gray", interpolation="nearest")
    ax.set_title(f"{'isotropic' if isotropic else 'anisotropic'}: {fitted.explained:.1%} in their grain")
for ax in axes:
    ax.set(xticks=[], yticks=[])
plt.show()
