"""Census Income as the dissertation clusters it: the published split, rows without missing entries, 12 features.

``fnlwgt`` and ``education`` are left out, capital gain and loss are as a `Reading` says. All 15 060 test rows are
classified, where the printed tables count 15 051.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from partitope.classifiers import ClusteringClassifier, ConditionalMeanEncoder
from partitope.solvers.geometric.partitioner import GeometricPartitioner


def census_classifier(job: Mapping[str, Any], *, lower: int | None, weighted: bool, n_jobs: int | None) -> Any:
    """The classifier of a job's k, starts (their number, where they are drawn from and the seed)."""
    return ClusteringClassifier(
        GeometricPartitioner(job["k"], objective="csa", lower=lower, init=job.get("init", "sphere")),
        n_starts=job["n_starts"],
        encoder=ConditionalMeanEncoder(bins=None, smoothing=0.0, cross_fit=0),
        cleaner=None,
        weighting="least-squares" if weighted else None,
        random_state=job["random_state"],
        n_jobs=n_jobs,
    )
