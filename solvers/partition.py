"""The one result of every strategy."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import finite_rows
from ..base.errors import BrokenBoundsWarning, CapabilityError, InvalidInputError
from ..base.messages import number
from ..base.status import Status
from ..models.certificates.certificate import Certificate, Split
from ..models.diagram.power_diagram import PowerDiagram
from ..models.objectives.bound import Bound
from ..models.objectives.objectives import Sense
from ..models.objectives.proof import Proof
from ..models.plots.shown import Sample, as_card, draw_areas, draw_partition
from ..models.polytope.broken_bounds import broken_bounds, by_name, in_words
from ..models.polytope.polytope import PartitionPolytope
from ..models.polytope.shares import digest_of
from .cells import Cells

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Partition:
    """A clustering of the training points and what is known about it.

    Attributes
    ----------
    labels : (n,) ndarray of int64
        Cluster of every point.
    sizes : (k,) ndarray of int64 or float64
        Number of points (or sum of weights) of each cluster; integers where all of them are whole.
    objective : float
        Value of the strategy's objective; its meaning is the strategy's.
    history : mapping of str to (t,) ndarray
        Trace of the run that was kept, column by column: always ``"objective"``, and whatever else the
        strategy records, by default the objective alone; ``pandas.DataFrame(partition.history)`` makes it a table.
    bound : Bound or None
        A proved interval around the global optimum.
    certificate : Certificate or None
        Independent proof that the last assignment step is optimal for its sites. It belongs to these labels and
        splits: a partition that is made with others, or with a certificate that was changed, has none.
    power_diagram : PowerDiagram or None
        Cells in the space of X; None when the strategy has none there.
    n_iter : int
        Iterations of the run that was kept.
    seconds : float
        Wall time of the fit.
    status : Status
        Why the run stopped.
    splits : tuple of (point, cluster, share)
        Shares of points that the last assignment splits, with weights or side constraints; ``labels`` holds their
        largest share.
    violation : float
        Largest amount by which ``labels`` break a bound, as they can where the assignment divides points, or a point
        is heavier than a bound; 0 when they keep all of them.
    violations : mapping of str to float
        The same for every name of the polytope, each in its own unit (of a share, the weight that its group has too
        much or too little of in the cluster); empty without bounds.
    prices : mapping of str to ndarray
        Prices of the last assignment by the names of the polytope: of the size dimensions (k,), and of shares and
        side constraints (q,); empty when the strategy has none.
    gap_tolerance : float
        Relative gap of ``bound`` up to which ``proof`` is GLOBAL; 1e-9 unless a wider one was asked for.
    local_optimum : str
        Changes of which the strategy found none that improves the partition, such as "moves and swaps"; empty when
        it makes no such claim.
    proved_for : str
        Digest of the labels and splits that ``bound`` speaks of, taken when it is handed in: with other labels it
        proves nothing. Pass "" together with a new one.
    embedded_cells : Cells or None
        Cells in another space, for strategies that cluster an image of the points: `cells` are these, where they are
        given.
    sense : {"max", "min"} or None
        Whether a larger or a smaller ``objective`` is better, as the strategy declares; None if it does not.
    sample : Sample or None
        Up to 3000 points of the fit and the names of their columns, for `plot`; not written to files of models.
    """

    labels: NDArray[np.int64]
    sizes: NDArray
    objective: float
    history: Mapping[str, NDArray] = field(default_factory=dict)
    bound: Bound | None = None
    certificate: Certificate | None = None
    power_diagram: PowerDiagram | None = None
    n_iter: int = 0
    seconds: float = 0.0
    status: Status = Status.CONVERGED
    splits: tuple[Split, ...] = ()
    violation: float = 0.0
    violations: Mapping[str, float] = field(default_factory=dict)
    prices: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    gap_tolerance: float = 1e-9
    local_optimum: str = ""
    proved_for: str = ""
    embedded_cells: Cells | None = None
    sense: Sense | None = None
    sample: Sample | None = field(default=None, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        sizes = np.asarray(self.sizes)
        if sizes.dtype != np.int64 and np.array_equal(sizes, np.rint(sizes)):
            object.__setattr__(self, "sizes", sizes.astype(np.int64))
        if self.certificate is not None and not self.certificate.belongs_to(self.labels, self.splits):
            object.__setattr__(self, "certificate", None)
        if not self.history:
            object.__setattr__(self, "history", {"objective": np.array([self.objective])})
        if self.bound is not None and not self.proved_for:
            object.__setattr__(self, "proved_for", digest_of(self.labels, self.splits, ()))

    def __repr__(self) -> str:
        """One line; all fields are attributes."""
        least, most = (number(float(size)) for size in (self.sizes.min(), self.sizes.max()))
        sizes = f"{len(self.sizes)} clusters of {least}" + (f" to {most}" if most != least else "")
        objective = number(float(self.objective))
        return f"<Partition: {len(self.labels)} points, {sizes}, objective {objective}, proof {self.proof}>"

    @property
    def proof(self) -> Proof:
        """What is proved of these labels: GLOBAL, STEP or NONE.

        Notes
        -----
        The gap is measured against the ends of the interval, which neither an offset of the points nor a far point
        that is not part of the optimum's value makes larger; an optimum of zero needs an interval of width zero.
        """
        bound, certificate = self.bound, self.certificate
        enclosed = bound is not None and bound.encloses(self.objective, self.gap_tolerance)
        if enclosed and self._is_theirs:
            return Proof.GLOBAL
        if certificate is not None and certificate.verified and certificate.belongs_to(self.labels, self.splits):
            return Proof.STEP
        return Proof.NONE

    @property
    def claim(self) -> str:
        """Everything that is proved of the partition, in plain words, each bound with its gap and its method."""
        bound, certificate, parts = self.bound, self.certificate, list[str]()
        if self.proof is Proof.GLOBAL and bound is not None:
            parts.append(f"optimal within a relative gap of {bound.gap:.1g}, proved by {bound.proof}")
        elif bound is not None and 0.0 <= bound.gap < 1.0 and self._is_theirs:
            parts.append(f"the best clustering there is {bound.room}")
        if self.local_optimum:
            parts.append(f"local optimum of {self.local_optimum}")
        if self.step_bound is not None and certificate is not None:
            site = "centre" if certificate.measure == "sum of squares" else "site"
            these = f"this {site}" if len(self.sizes) == 1 else f"these {len(self.sizes)} {site}s"
            parts.append(certificate.room(f"no other assignment to {these}"))
        elif self.proof is Proof.STEP or not parts or parts == [f"local optimum of {self.local_optimum}"]:
            parts.append(self.proof.description)
        return "; ".join(parts)

    @property
    def step_bound(self) -> Bound | None:
        """Where points are whole: an interval between the value of the last assignment, at the sites for which it was
        made, and that of the best one there; None without a certificate that belongs to these labels."""
        certificate = self.certificate
        if certificate is None or not (certificate.verified and certificate.belongs_to(self.labels, self.splits)):
            return None
        return certificate.bound

    @property
    def _is_theirs(self) -> bool:
        """Whether the bound speaks of these labels."""
        return self.proved_for == digest_of(self.labels, self.splits, ())

    @property
    def cells(self) -> Cells | None:
        """What says which cluster a new row belongs to; None when the strategy gives labels alone."""
        if self.embedded_cells is not None:
            return self.embedded_cells
        return None if self.power_diagram is None else Cells(None, self.power_diagram)

    def require_cells(self) -> Cells:
        """`cells`; CapabilityError when there are none."""
        cells = self.cells
        if cells is None:
            raise CapabilityError("the partition has no power diagram, so new rows have no cell: use its labels")
        return cells

    def predict(self, X: Any, covariates: Any = None) -> NDArray[np.int64]:
        """Cluster (m,) of new rows: the cell that holds them.

        Parameters
        ----------
        X : (m, d) array_like or DataFrame
            Rows like those that were partitioned, not checked here; `Partitioner.predict` checks them.
        covariates : (m,) or (m, c) array_like or DataFrame, optional
            Their covariates, for cells that depend on them.

        Raises
        ------
        CapabilityError
            When the partition has no cells.
        InvalidInputError
            When the rows or the covariates do not fit those of the fit.
        """
        return self.require_cells().predict(X, covariates)

    def plot(self, X: ArrayLike | None = None, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the points in the colours of their clusters, over the cells of the power diagram where there is one.

        Parameters
        ----------
        X : (n, d) array_like, optional
            The points of the partition, d >= 2; beyond two dimensions the picture shows the section by their principal
            plane. By default those of the fit.
        ax : matplotlib Axes, optional
            Where to draw; the current axes when None.
        **options
            Passed to `partitope.models.PowerDiagram.plot`.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        InvalidInputError
            When there are no points, or they have one column or do not fit the partition.
        """
        names: Sequence[str] = () if self.sample is None else self.sample.names
        if X is None and self.sample is not None and self.sample.rings:
            return draw_areas(self.sample, self.labels, ax)
        points: NDArray
        if X is not None:
            points, labels = finite_rows(X, n_rows=len(self.labels)), self.labels
            names = list(map(str, X.columns)) if hasattr(X, "columns") else names
        elif self.sample is not None:
            points, labels = self.sample.points, self.labels[:: self.sample.step]
        else:
            raise InvalidInputError("the partition has kept no points to draw: pass them, plot(X)")
        if points.shape[1] < 2:
            raise InvalidInputError(f"X has shape {points.shape}: a picture needs two columns or more")
        return draw_partition(points, labels, names, self.power_diagram, ax, options)

    def _repr_html_(self) -> str:
        sample = self.sample
        drawn = sample is not None and sample.points.shape[1] > 1
        bounds = None if sample is None else (sample.lower, sample.upper)
        title = f"{len(self.labels)} points in {len(self.sizes)} clusters, objective {number(float(self.objective))}"
        return as_card(title, self.claim, self.sizes, bounds, (lambda ax: self.plot(ax=ax)) if drawn else None)


def with_broken_bounds(partition: Partition, polytope: PartitionPolytope) -> Partition:
    """The partition with the amounts by which its labels break bounds, and a warning that names them."""
    if polytope.is_free:
        return partition
    in_memory = isinstance(partition.labels, np.ndarray)
    broken = broken_bounds(polytope, partition.labels, None if in_memory else _sizes_of_labels(partition, polytope))
    named = by_name(polytope, broken)
    if broken:
        divided = "; partition_.splits divides points within the bounds" if partition.splits else ""
        warnings.warn(f"{in_words(broken)}{divided}", BrokenBoundsWarning, stacklevel=4)
    return replace(partition, violation=max(named.values()), violations=named)


def _sizes_of_labels(partition: Partition, polytope: PartitionPolytope) -> NDArray[np.float64]:
    """Sizes (k,) where every divided point counts in the cluster of its largest share, as labels have it."""
    sizes = partition.sizes.astype(np.float64)
    largest: dict[int, tuple[int, float]] = {}
    for point, cluster, share in partition.splits:
        sizes[cluster] -= share * polytope.point_weights[point]
        if share > largest.get(point, (0, 0.0))[1]:
            largest[point] = cluster, share
    for point, (cluster, _) in largest.items():
        sizes[cluster] += polytope.point_weights[point]
    return sizes
