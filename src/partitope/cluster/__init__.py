"""Clusters in one line: balanced k-means with scikit-learn's interface, numbers of clusters."""

from .balanced_k_means import BalancedKMeans
from .suggest import suggest_clusters

__all__ = [
    "BalancedKMeans",
    "suggest_clusters",
]
