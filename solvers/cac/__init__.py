"""Clustering aware classification (CAC): moves and swaps that trade compactness for class separation."""

from .partitioner import CAC

__all__ = ["CAC"]
