# %% [markdown]
r"""
# 11 · A grain map in a few numbers

**Goals.** Afterwards you can describe a map by centroids, covariances and sizes, and read walls that are conic
sections. **Time.** 45 minutes. **Before it.** Notebook 2.

**Question.** A metal consists of grains. A microscope gives a map that says of every pixel to which grain it belongs. How
much of the map is left when all that is kept of a grain is where it lies, how it is stretched, and how large it is?

**Formula.** Of grain $i$ keep the centroid $c_i$, the covariance matrix $S_i$ of its pixels and their number $\kappa_i$. Pixel
$j$ in grain $i$ scores

$$ \gamma_{ij} = -(x_j - c_i)^{\mathsf T} S_i^{-1} (x_j - c_i), \qquad \sum_j \xi_{ij} = \kappa_i , $$

and the assignment of pixels with the largest total score is one linear program, whose lower and upper bounds on sizes are
equal. Its cells $\{x : \gamma_i(x) - \mu_i \text{ is largest}\}$ have walls that are pieces of conic sections: a *generalised
balanced power diagram* (Alpers, Brieden, Gritzmann, Lyckegaard and Poulsen, 2015). With the unit matrix in place of $S_i^{-1}$
the walls are straight, and the diagram is an ordinary, isotropic power diagram with the same sizes.
"""
# %%
import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from partitope.solvers import fit_diagram

rng = np.random.default_rng(5)
rows, columns, k = 160, 240, 60
y, x = np.mgrid[:rows, :columns]
# a map that is drawn here: stretched grains that grew into each other, on a plane that is bent afterwards
bent = np.stack([y + 3 * np.sin(x / 29) + np.sin((x + y) / 11), x + 3 * np.cos(y / 23) + np.cos((x - y) / 13)], -1)
seeds = rng.uniform((0, 0), (rows, columns), (k, 2))
angle, stretch = rng.uniform(0, np.pi, k), rng.uniform(1.0, 1.5, k)
turned = np.stack([np.stack([np.cos(angle), np.sin(angle)], -1), np.stack([-np.sin(angle), np.cos(angle)], -1)], 1)
seen = np.einsum("iab,rcib->rcia", turned, bent[:, :, None, :] - seeds) * np.stack([1 / stretch, stretch], -1)
grains = (seen**2).sum(axis=-1).argmin(axis=-1)
print(f"{grains.size} pixels, {np.unique(grains).size} grains of {np.bincount(grains.ravel()).min()} "
      f"to {np.bincount(grains.ravel()).max()} pixels")
# %% [markdown]
r"""
## Both diagrams beside the map

`fit_diagram` takes the map, finds centroids, covariances and sizes, and solves the program. Pixels that get another grain than
in the map are black.
"""
# %%
fitted = {"anisotropic": fit_diagram(grains), "isotropic": fit_diagram(grains, isotropic=True)}
colours = rng.permutation(grains.max() + 1)
figure, axes = plt.subplots(1, 3, figsize=(12, 3.2), layout="constrained")
axes[0].imshow(colours[grains], cmap="terrain", alpha=0.75, interpolation="nearest")
axes[0].set_title("map", fontsize=10)
for ax, (name, one) in zip(axes[1:], fitted.items(), strict=True):
    ax.imshow(colours[one.image], cmap="terrain", alpha=0.75, interpolation="nearest")
    wrong = np.ma.masked_where(one.image == grains, np.ones(grains.shape))
    ax.imshow(wrong, cmap="gray", vmin=1, vmax=2, interpolation="nearest")
    ax.set_title(f"{name}: {one.explained:.1%} of the pixels in their own grain", fontsize=10)
for ax in axes:
    ax.set_xticks([])
    ax.set_yticks([])
plt.show()
# %% [markdown]
r"""
The stretched cells follow the map nearly everywhere, and what they miss lies along the walls. The isotropic cells miss whole
ends of grains. Both are the best assignments for their scores, and both are certified.

## Sizes are exact, and have prices

Every grain keeps its number of pixels to the last one. The price of a grain is what a pixel has to gain before it may enter:
without prices, each pixel would go to the grain that is nearest in its own measure.
"""
# %%
one = fitted["anisotropic"]
same = {name: np.array_equal(np.bincount(f.image.ravel()), np.bincount(grains.ravel())) for name, f in fitted.items()}
print("sizes as in the map:", same)
print("certified:", {name: f.solution.verify().verified for name, f in fitted.items()})
scores = one.solution.model.score_source.dense()
nearest = np.bincount(scores.argmax(axis=1), minlength=len(one.sizes))
table = pd.DataFrame({"pixels": one.sizes, "without prices": nearest, "price": one.solution.prices.round(2)})
table.index.name = "grain"
table.loc[table.price.abs().sort_values().index[[0, 1, -2, -1]]]
# %% [markdown]
r"""
A grain that would get too many pixels is dear, one that would get too few is cheap. The prices are all that tells this
diagram from the nearest centroid: one number a grain.

## How sure is a pixel?

`PowerDiagram.margin` is the distance of a pixel to the wall of its cell, to first order. Pixels that the diagram puts into
another grain lie near walls.
"""
# %%
pixels = np.stack(np.unravel_index(np.arange(grains.size), grains.shape), axis=1).astype(float)
cells = one.diagram
margin = cells.margin(pixels, one.image.ravel())
wrong = one.image.ravel() != grains.ravel()
figure, ax = plt.subplots(figsize=(6, 3), layout="constrained")
bins = np.linspace(0, 12, 25)
ax.hist([margin[~wrong], margin[wrong]], bins=bins, density=True, label=["in their own grain", "in another"])
ax.set(xlabel="distance to the wall, in pixels", ylabel="density")
ax.legend()
plt.show()
print(f"median distance to the wall: {np.median(margin[wrong]):.1f} pixels where the map differs, "
      f"{np.median(margin[~wrong]):.1f} elsewhere")
# %% [markdown]
r"""
## A real map

A slice through beta titanium is measured in the same way where its file is at hand, in the folder that the environment variable
`PARTITOPE_DATA` names; every second pixel of both axes is taken here. The file is not part of this project.
"""
# %%
file = Path(os.environ.get("PARTITOPE_DATA", "")) / "grains" / "beta_titanium_slice.npz"
if file.is_file():
    titanium = np.load(file)["grain"][::2, ::2]
    for isotropic in (False, True):
        real = fit_diagram(titanium, isotropic=isotropic)
        print(f"{titanium.size} pixels, {len(real.names)} grains, {'isotropic' if isotropic else 'anisotropic'}: "
              f"{real.explained:.1%} in their own grain, certified: {real.solution.verify().verified}")
else:
    print("no real map here")
# %% [markdown]
r"""
## Exercises

**1.** What if sizes are left free? Compare the nearest centroid in its own measure, without prices, with the map. Keep
the share of the area that moves to other grains in `off`.

<details><summary>Solution</summary>

```python
own = one.solution.require_labels()
loose = scores.argmax(axis=1)
off = np.abs(nearest - one.sizes).sum() / (2 * grains.size)
print(f"{(loose == own).mean():.1%} of the pixels stay where they are, {off:.1%} of the area moves to other grains")
```

</details>

**2.** A coarser microscope sees every second pixel. How well do the cells of the coarse map tell the fine one? Keep the
grain of every pixel by the coarse cells in `told`.

<details><summary>Solution</summary>

```python
coarse = fit_diagram(grains[::2, ::2], spacing=2.0)
told = coarse.names[coarse.diagram.predict(pixels)]
print(f"{(told == grains.ravel()).mean():.1%} of all pixels, {(one.image == grains).mean():.1%} from the fine map")
```

The cells are those of the plane, not of the pixels: a quarter of the map tells nearly as much.

</details>

**3.** Bound the price of a grain from both sides. Which prices are optimal at all? Keep the differences of the prices
in `moved`.

<details><summary>Solution</summary>

Sizes that are fixed leave prices some room: as long as no pixel changes its grain, all prices of a grain between two numbers
prove the same assignment. `one.diagram` takes, of all of them, those with the largest margin.

```python
moved = cells.prices - one.solution.prices
print(f"prices of the largest margin differ by up to {np.ptp(moved):.3f} from those of the solver")
```

</details>
"""
# %% [check]
with exercise(1):
    free_sizes = np.bincount(scores.argmax(axis=1), minlength=len(one.sizes))
    assert 0 <= off <= 1, "a share lies between 0 and 1"
    assert np.isclose(off, np.maximum(free_sizes - one.sizes, 0).sum() / grains.size), "count what grains gain, once"
# %% [check]
with exercise(2):
    assert len(told) == grains.size, "one grain for each pixel of the fine map"
    assert (np.asarray(told) == grains.ravel()).mean() > 0.8, "fewer than four pixels in five are right: mind `spacing`"
# %% [check]
with exercise(3):
    assert len(moved) == len(one.sizes), "one difference for each grain"
    assert np.allclose(np.diff(moved), np.diff(cells.prices - one.solution.prices)), "cells less solver, in this order"
