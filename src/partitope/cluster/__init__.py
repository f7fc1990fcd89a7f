"""Clusters in one line: balanced k-means with scikit-learn's interface, and a number of clusters to start with."""

from .balanced_k_means import BalancedKMeans

__all__ = ["BalancedKMeans"]
