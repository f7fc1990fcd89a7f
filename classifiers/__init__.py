"""Classifiers and transformers that stand on partitions."""

from .cac_search import CACSearchCV
from .cluster_values import ClusterValues
from .clustering_classifier import ClusteringClassifier
from .encoding import ConditionalMeanEncoder
from .kmeans_baseline import KMeansMajorityVote
from .local_models import LocalModelClassifier
from .modl import LogLikelihoodEncoder, MODLDiscretizer, MODLGrouper
from .naive_bayes import SelectiveNaiveBayes
from .pkm import PKMClassifier
from .profiles import ClusterProfiles, cluster_profiles
from .weighting import LeastSquaresWeighting

__all__ = [
    "CACSearchCV",
    "ClusterProfiles",
    "ClusterValues",
    "ClusteringClassifier",
    "ConditionalMeanEncoder",
    "KMeansMajorityVote",
    "LeastSquaresWeighting",
    "LocalModelClassifier",
    "LogLikelihoodEncoder",
    "MODLDiscretizer",
    "MODLGrouper",
    "PKMClassifier",
    "SelectiveNaiveBayes",
    "cluster_profiles",
]
