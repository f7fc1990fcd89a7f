"""The diagram of a grain map: one cell for each label of an image, with the label's own size.

    grain i     centroid c_i, covariance S_i of its pixels (a pixel is a box, not a point), number of pixels kappa_i
    cell i      score -(x - c_i)' S_i^-1 (x - c_i) less a price,      exactly kappa_i pixels

The prices are those of the assignment program of all pixels with sizes kappa: of all images with these sizes, the one
with the largest total score. Isotropic cells have the unit matrix for all S_i^-1, and are a power diagram.

References
----------
Alpers, Brieden, Gritzmann, Lyckegaard and Poulsen (2015), Generalized balanced power diagrams for 3D representations
of polycrystals, *Philosophical Magazine* 95.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_array, as_floats, as_number
from ...base.errors import InvalidInputError
from ...models.diagram.power_diagram import PowerDiagram
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ...models.scores.quadratic import QuadraticFunctions
from ...models.scores.scores import AffineScores, LinearScores
from ..assignment.solve import solve
from ..solution import AssignmentSolution
from ..transport.rows import exchange_gaps, kernel_data
from .moments import Moments

TILE_SIDES = {1: (128,), 2: (16, 8), 3: (8, 4, 4)}  # pixels that are neighbours in space stay together in a pass


@dataclass(frozen=True, eq=False)
class ImageDiagram:
    """A diagram fitted to a label image.

    Attributes
    ----------
    names : (k,) ndarray
        The labels of the image, in ascending order; cell i is that of ``names[i]``.
    image : ndarray
        The image that the diagram gives, of the shape and type of the one that was fitted; background as it was.
    explained : float
        Share of the pixels, background aside, that lie in the cell of their own label.
    sizes : (k,) ndarray of int64
        Pixels of every label, the same in both images.
    solution : AssignmentSolution
        The assignment of the pixels, with the prices of their sizes; ``solution.verify()`` proves it optimal among all
        with these sizes.
    sites : (k, d) ndarray
        Centroids of the labels.
    matrices : (k, d, d) ndarray or None
        Inverse covariances of the labels; None for isotropic cells.
    """

    names: NDArray[np.integer]
    image: NDArray[np.integer]
    explained: float
    sizes: NDArray[np.int64]
    solution: AssignmentSolution
    sites: NDArray[np.float64]
    matrices: NDArray[np.float64] | None

    @cached_property
    def diagram(self) -> PowerDiagram:
        """Cells in the coordinates of the image, each with a lead over the others that is as large as can be.

        Pixel (i, j) has its middle at (i, j) times the spacing. Computed when first asked for: one pass over all
        pixels and labels, and O(k^3).
        """
        source, labels = self.solution.model.score_source, self.solution.require_labels()
        assert isinstance(source, LinearScores)
        n, k = source.shape
        gaps = exchange_gaps(kernel_data(source), np.arange(n), labels, np.ones(n), k)
        np.fill_diagonal(gaps, 0.0)
        scores = _functions(self.sites, self.matrices, source.origin)
        return PowerDiagram.from_gaps(self.sites, gaps, scores, "lsa", self.matrices)


def fit_diagram(
    label_image: ArrayLike,
    *,
    background: int | None = None,
    spacing: ArrayLike = 1.0,
    isotropic: bool = False,
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
        Leave the covariances out: a power diagram, with flat walls and the same sizes.

    Returns
    -------
    ImageDiagram

    Raises
    ------
    InvalidInputError
        When the image is not of integers, has no pixels or not one to three axes, the background is no number, or the
        spacing is not positive.

    Notes
    -----
    Exact: the assignment has the largest total score of all with these sizes. Centroids and covariances are those of
    the labels, not fitted further. O(n k d^2) at most for n pixels and k labels.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.solvers import fit_diagram
    >>> x, y = np.mgrid[:40, :40]
    >>> inside = ((x - 20) / 18) ** 2 + ((y - 20) / 8) ** 2 < 1
    >>> fitted = fit_diagram(inside.astype(int))
    >>> bool((np.bincount(fitted.image.ravel()) == np.bincount(inside.ravel())).all())
    True
    """
    image = as_array(label_image, "label_image")
    if image.dtype.kind not in "iub" or not 1 <= image.ndim <= 3:
        raise InvalidInputError(f"label_image is {image.dtype} of {image.ndim} axes: pass integers with 1 to 3 axes")
    if background is not None and np.isnan(as_number(background)):
        raise InvalidInputError(f"background={background!r} is not usable: pass one label of the image, or None")
    edges = as_floats(spacing, "spacing")
    if edges.shape not in ((), (image.ndim,)) or not (np.isfinite(edges).all() and (edges > 0).all()):
        raise InvalidInputError(f"spacing={spacing!r}: pass a positive number, or one for each of {image.ndim} axes")
    edges = np.broadcast_to(edges, (image.ndim,))
    places = _in_tiles(image, background)
    if not places.size:
        raise InvalidInputError("label_image has no pixels but the background's: pass an image with labels")
    names, labels = _named(image.ravel()[places])
    X = np.stack(np.unravel_index(places, image.shape), axis=1) * edges
    sizes = np.bincount(labels, minlength=len(names))
    origin = X.mean(axis=0)
    moments = Moments.of(X, origin, labels, len(names))
    sites, matrices = moments.means + origin, None
    if not isotropic:
        inverse = np.linalg.inv(moments.covariances + np.diag(edges**2 / 12.0))
        matrices = (inverse + inverse.transpose(0, 2, 1)) / 2.0
    scores = _functions(sites, matrices, origin)
    solution = solve(AssignmentModel(PartitionPolytope(len(X), sizes, sizes), scores.on(X)))
    fitted = image.copy(order="C")
    fitted.reshape(-1)[places] = names[solution.require_labels()]
    return ImageDiagram(
        names=names,
        image=fitted,
        explained=float((solution.require_labels() == labels).mean()),
        sizes=sizes,
        solution=solution,
        sites=sites,
        matrices=matrices,
    )


def _functions(
    sites: NDArray[np.float64], matrices: NDArray[np.float64] | None, origin: NDArray[np.float64]
) -> AffineScores:
    """The scores of any point of space."""
    if matrices is None:
        return AffineScores.lsa(sites - origin, origin)
    return QuadraticFunctions.of_cells(sites - origin, matrices, origin)


def _named(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Distinct values in ascending order, and the index of every value among them; by counting where they are dense."""
    low, high = int(values.min()), int(values.max())
    if high - low > 4 * values.size:
        names, labels = np.unique(values, return_inverse=True)
        return names, labels.astype(np.int64)
    shifted = values.astype(np.int64) - low
    present = np.flatnonzero(np.bincount(shifted))
    index = np.empty(high - low + 1, dtype=np.int64)
    index[present] = np.arange(present.size)
    return (present + low).astype(values.dtype), index[shifted]


def _in_tiles(image: NDArray[Any], background: int | None) -> NDArray[np.int64]:
    """Flat indices (n,) of the pixels that have a label, tile by tile."""
    order = np.arange(image.size, dtype=np.int64).reshape(image.shape)
    sides = TILE_SIDES[image.ndim]
    whole = tuple(slice(0, size - size % side) for size, side in zip(image.shape, sides))
    inner = order[whole]
    cut = inner.reshape([part for size, side in zip(inner.shape, sides) for part in (size // side, side)])
    tiles = cut.transpose([*range(0, 2 * image.ndim, 2), *range(1, 2 * image.ndim, 2)]).ravel()
    rest = np.ones(image.shape, dtype=bool)
    rest[whole] = False
    places = np.concatenate([tiles, order[rest]])
    return places if background is None else places[image.ravel()[places] != background]
