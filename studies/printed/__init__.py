"""What the papers print: one module a publication, typed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Printed:
    """One printed number of a paper.

    Attributes
    ----------
    table : str
        Where it stands.
    data, method, metric : str
        What it is about.
    value : float
        The number, in the paper's unit.
    sd : float or None
        The standard deviation printed with it.
    """

    table: str
    data: str
    method: str
    metric: str
    value: float
    sd: float | None = None


@dataclass(frozen=True)
class Figure:
    """One printed number of the dissertation.

    Attributes
    ----------
    table : str
        Number of the table.
    weighting : {"unweighted", "weighted"}
        Whether columns were multiplied by their least-squares coefficients.
    k : int
        Number of clusters.
    classifier : {"max", "mean"}
        Aggregation over starts.
    part : {"train", "test"}
        Rows it was measured on.
    metric : {"ACC", "SENS", "SPEC", "AUC"}
        What was measured.
    value : float
        Percent.
    """

    table: str
    weighting: str
    k: int
    classifier: str
    part: str
    metric: str
    value: float


def find(printed: Sequence[Printed], data: str, method: str, metric: str) -> Printed | None:
    """The printed figure of a row, if there is one."""
    return next((p for p in printed if (p.data, p.method, p.metric) == (data, method, metric)), None)
