"""A grain map in a few numbers: one cell for each grain, with exactly the grain's own number of pixels.

    grain i     centroid c_i, covariance S_i of its pixels (a pixel is a box, not a point), number of pixels kappa_i
    cell i      score -(x - c_i)' S_i^-1 (x - c_i) less a price

The prices are those of the assignment program of all pixels with sizes kappa: of all images with these sizes, the one
with the largest total score. Isotropic cells have the unit matrix for all S_i^-1 and are a power diagram. On a slice of
a beta-titanium alloy, 1 285 900 pixels in about 600 grains, the ellipsoids explain 96.0 % of the pixels and round cells
92.1 %, every size exact and certified.

Run `python examples/grain_maps.py` in a clone to fit a map that is drawn at random.

References
----------
Alpers, Brieden, Gritzmann, Lyckegaard and Poulsen (2015), Generalized balanced power diagrams for 3D representations
of polycrystals, *Philosophical Magazine* 95.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partitope.models import AssignmentModel, PartitionPolytope, PowerDiagram
from partitope.models.scores.quadratic import QuadraticScores
from partitope.solvers import solve
from partitope.solvers.solution import AssignmentSolution


@dataclass(frozen=True, eq=False)
class ImageDiagram:
    """A diagram fitted to a label image of n pixels and k labels.

    Attributes
    ----------
    names : (k,) ndarray
        The labels of the image, in ascending order; cell i is that of ``names[i]``.
    image : ndarray
        The image that the diagram gives, of the shape and type of the one that was fitted; background as it was.
    explained : float
        Share of the pixels, background aside, that lie in the cell of their own label.
    solution : AssignmentSolution
        The assignment of the pixels; ``solution.verify()`` proves it optimal among all with these sizes.
    sites, matrices : (k, d) and (k, d, d) ndarray
        Centroids and inverse covariances of the labels.
    pixels : (n, d) ndarray
        Middles of the pixels: pixel (i, j) has its middle at (i, j) times the spacing.
    """

    names: NDArray[np.integer]
    image: NDArray[np.integer]
    explained: float
    solution: AssignmentSolution
    sites: NDArray[np.float64]
    matrices: NDArray[np.float64]
    pixels: NDArray[np.float64]

    @cached_property
    def diagram(self) -> PowerDiagram:
        """Cells in the coordinates of the image, each with a lead over the others that is as large as can be."""
        labels = self.solution.require_labels()
        return PowerDiagram.max_margin(self.pixels, labels, self.sites, "lsa", matrices=self.matrices)


def fit_diagram(
    label_image: ArrayLike, *, background: int | None = None, spacing: ArrayLike = 1.0, isotropic: bool = False
) -> ImageDiagram:
    """Fit a generalised balanced power diagram to an image of labels: centroids, covariances and sizes of its parts.

    Parameters
    ----------
    label_image : (r, s) or (r, s, t) array_like of int
        Label of every pixel or voxel, such as the grains of a polycrystal; any integers.
    background : int, optional
        Label of pixels that belong to no grain; they are left out.
    spacing : float or (d,) array_like, default 1.0
        Length of a pixel along every axis.
    isotropic : bool, default False
        Leave the covariances out: a power diagram, with flat boundaries and the same sizes.

    Returns
    -------
    ImageDiagram

    Raises
    ------
    ValueError
        When the image is not of integers or has no pixels but the background's.

    Notes
    -----
    Exact: the assignment has the largest total score of all with these sizes. Centroids and covariances are those of
    the labels, not fitted further. O(n k d^2) at most for n pixels and k labels.
    """
    image = np.asarray(label_image)
    if image.dtype.kind not in "iu":
        raise ValueError(f"label_image is {image.dtype}: pass an array of integers")
    places = np.flatnonzero(np.ones(image.size) if background is None else image.ravel() != background)
    if not places.size:
        raise ValueError("label_image has no pixels but the background's: pass an image with labels")
    edges = np.broadcast_to(np.asarray(spacing, dtype=np.float64), (image.ndim,))
    pixels = np.stack(np.unravel_index(places, image.shape), axis=1) * edges
    names, labels, sizes = np.unique(image.ravel()[places], return_inverse=True, return_counts=True)
    order = np.split(np.argsort(labels, kind="stable"), np.cumsum(sizes)[:-1])
    sites = np.array([pixels[own].mean(axis=0) for own in order])
    matrices = np.broadcast_to(np.eye(image.ndim), (len(names), image.ndim, image.ndim))
    if not isotropic:
        spread = np.array([(pixels[own] - c).T @ (pixels[own] - c) / len(own) for own, c in zip(order, sites)])
        inverse = np.linalg.inv(spread + np.diag(edges**2 / 12.0))  # a box of edge e has variance e^2 / 12
        matrices = (inverse + inverse.transpose(0, 2, 1)) / 2.0
    scores = QuadraticScores.of_cells(pixels, sites, matrices)
    solution = solve(AssignmentModel(PartitionPolytope(len(pixels), sizes, sizes), scores))
    found, fitted = solution.require_labels(), image.copy(order="C")
    fitted.reshape(-1)[places] = names[found]
    return ImageDiagram(names, fitted, float((found == labels).mean()), solution, sites, matrices, pixels)


def drawn_map(shape: tuple[int, int] = (70, 100), n_grains: int = 25, seed: int = 5) -> NDArray[np.int64]:
    """A map of grains with bent boundaries."""
    rng = np.random.default_rng(seed)
    y, x = np.indices(shape)
    seeds, stretch = rng.uniform((0, 0), shape, (n_grains, 2)), rng.uniform(0.5, 2.0, (n_grains, 2))
    place = np.stack([y + 2 * np.sin(x / 13), x + 2 * np.cos(y / 11)], axis=-1)
    return (((place[:, :, None] - seeds) ** 2) * stretch).sum(axis=-1).argmin(axis=-1)


def main() -> None:
    """Fit a map with and without covariances, and draw it; black: pixels that end in another grain."""
    from matplotlib import pyplot as plt

    grains = drawn_map()
    figure, axes = plt.subplots(1, 3, figsize=(11, 2.8), layout="constrained")
    axes[0].imshow(grains % 8, cmap="Pastel2", interpolation="nearest")
    axes[0].set_title("map")
    for ax, isotropic in [(axes[1], False), (axes[2], True)]:
        fitted = fit_diagram(grains, isotropic=isotropic)
        kind = "isotropic" if isotropic else "anisotropic"
        proof = fitted.solution.verify()
        print(f"{kind}: {fitted.explained:.1%} of the pixels in their grain, optimal for its sizes: {proof.verified}")
        ax.imshow(fitted.image % 8, cmap="Pastel2", interpolation="nearest")
        ax.imshow(np.ma.masked_where(fitted.image == grains, fitted.image * 0), cmap="gray", interpolation="nearest")
        ax.set_title(f"{kind}: {fitted.explained:.1%} in their grain")
    figure.savefig("grain_maps.png", dpi=130)


if __name__ == "__main__":
    main()
