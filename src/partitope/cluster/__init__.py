"""Clusters in one line: balanced k-means with scikit-learn's interface, numbers of clusters."""

from .balanced_k_means import BalancedKMeans
from .model import ClusterModel
from .suggest import ClusterSuggestion, suggest_clusters
from .table_encoder import TableEncoder

__all__ = [
    "BalancedKMeans",
    "ClusterModel",
    "ClusterSuggestion",
    "TableEncoder",
    "suggest_clusters",
]
