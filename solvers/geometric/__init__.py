"""Norm maximisation and size-constrained k-means: exact assignment steps, alternated with new sites."""

from .partitioner import GeometricPartitioner

__all__ = ["GeometricPartitioner"]
