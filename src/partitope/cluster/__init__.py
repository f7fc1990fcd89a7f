"""Clusters in one line: balanced k-means with scikit-learn's interface, codes of vectors, numbers of clusters."""

from .balanced_k_means import BalancedKMeans
from .model import ClusterModel
from .residual_quantizer import ResidualQuantizer
from .suggest import ClusterSuggestion, suggest_clusters
from .table_encoder import TableEncoder

__all__ = [
    "BalancedKMeans",
    "ClusterModel",
    "ClusterSuggestion",
    "ResidualQuantizer",
    "TableEncoder",
    "suggest_clusters",
]
