"""The geometric iteration under must-links and cannot-links, by the name under which they are looked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from .partitioner import GeometricPartitioner


@dataclass(eq=False, repr=False)
class LinkedPartitioner(GeometricPartitioner):
    """Partition points under size bounds, must-links and cannot-links: `GeometricPartitioner` by another name.

    Examples
    --------
    >>> from partitope.solvers.geometric.linked_partitioner import LinkedPartitioner
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> labels = LinkedPartitioner(2, must_link=[(0, 3)], objective="lsa", random_state=0).fit_predict(X)
    >>> bool(labels[0] == labels[3])
    True
    """

    variants: ClassVar[dict[str, dict[str, Any]]] = {}
