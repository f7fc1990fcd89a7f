"""Dependence, and dependence once a third thing is known.

x and y both follow z. The Hilbert-Schmidt criterion sees that they depend on each other; its conditional form sees that
nothing is left once z is known.
"""

import numpy as np
from matplotlib import pyplot as plt

from partitope.stats import hsconic, hsic

rng = np.random.default_rng(0)
z = np.repeat([0.0, 3.0, 6.0], 40)
x, y = z + rng.normal(size=120), z + rng.normal(size=120)
plain = hsic(x, y, n_permutations=199)
given = hsconic(x, y, z, kernel_z="categorical", n_permutations=199)
print(f"x and y: p = {plain.pvalue:.3f}; x and y given z: p = {given.pvalue:.3f}")

figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
for value, marker in zip(np.unique(z), "osv", strict=True):
    axes[0].scatter(x[z == value], y[z == value], marker=marker, s=14, label=f"z = {value:.0f}")
axes[0].set(xlabel="x", ylabel="y", aspect="equal")
axes[0].legend()
axes[1].hist(1000 * given.permuted, bins=20, color="#9CC3E5", edgecolor="#1F4E79", label="y permuted within z")
axes[1].axvline(1000 * given.statistic, color="black", label="as observed")
axes[1].set(xlabel="conditional dependence, in thousandths", ylabel="permutations")
axes[1].legend()
plt.show()
